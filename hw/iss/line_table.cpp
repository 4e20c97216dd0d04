#include "hw/iss/line_table.h"

#include <algorithm>
#include <cstring>

namespace twinplane::hw {

/// One unit's line-number program (DWARF 4, section 6.2).
class LineTable::Unit {
 public:
  Unit(const std::uint8_t* begin, const std::uint8_t* end, LineTable& table)
      : at_(begin), end_(end), table_(table) {}

  void read() {
    version_ = number(2);
    if (version_ < 2 || version_ > 4) return;
    const std::uint64_t header = number(4);
    if (header > static_cast<std::uint64_t>(end_ - at_)) return;
    const std::uint8_t* const program = at_ + header;
    unit_ = number(1); // smallest instruction
    if (version_ >= 4) number(1);
    number(1); // default of is_stmt
    line_base_ = static_cast<std::int8_t>(number(1));
    line_range_ = number(1);
    opcode_base_ = number(1);
    if (line_range_ == 0 || opcode_base_ == 0) return;
    for (std::uint64_t i = 1; i < opcode_base_; ++i) lengths_.push_back(static_cast<std::uint8_t>(number(1)));
    read_files();
    at_ = program;
    run();
  }

 private:
  std::uint64_t number(unsigned bytes) {
    std::uint64_t value = 0;
    if (static_cast<std::size_t>(end_ - at_) < bytes) {
      at_ = end_;
      return 0;
    }
    std::memcpy(&value, at_, bytes);
    at_ += bytes;
    return value;
  }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ < end_ && shift < 63; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  std::int64_t sleb() {
    std::int64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte = 0x80;
    while (at_ < end_ && (byte & 0x80) != 0 && shift < 63) {
      byte = *at_++;
      value |= std::int64_t{byte & 0x7F} << shift;
      shift += 7;
    }
    return (byte & 0x40) != 0 && shift < 63 ? value - (std::int64_t{1} << shift) : value;
  }
  std::string text() {
    const std::uint8_t* const end = std::find(at_, end_, 0);
    const std::string all(at_, end);
    at_ = end == end_ ? end_ : end + 1;
    return all;
  }

  void read_files() {
    std::vector<std::string> folders{""};
    while (at_ < end_) {
      std::string folder = text();
      if (folder.empty()) break;
      folders.push_back(std::move(folder));
    }
    first_file_ = static_cast<std::uint32_t>(table_.files_.size());
    while (at_ < end_) {
      const std::string name = text();
      if (name.empty()) break;
      const std::uint64_t folder = uleb();
      uleb(); // time
      uleb(); // bytes
      const bool inside = folder != 0 && folder < folders.size();
      table_.files_.push_back(inside ? folders[folder] + "/" + name : name);
    }
  }

  void emit(std::uint32_t line) {
    if (dropped_) return;
    const std::uint32_t file = first_file_ + file_ - 1;
    table_.rows_.push_back({address_, file < table_.files_.size() ? file : 0, line});
  }
  void reset() {
    address_ = 0;
    file_ = line_ = 1;
    dropped_ = false;
  }
  void advance(std::uint64_t by) { address_ += static_cast<std::uint32_t>(by * unit_); }

  void run() {
    reset();
    while (at_ < end_) {
      const std::uint64_t opcode = number(1);
      if (opcode >= opcode_base_) {
        const std::uint64_t adjusted = opcode - opcode_base_;
        advance(adjusted / line_range_);
        line_ += static_cast<std::uint32_t>(line_base_ + static_cast<int>(adjusted % line_range_));
        emit(line_);
      } else if (opcode == 0) {
        extended();
      } else {
        standard(opcode);
      }
    }
  }

  void extended() {
    const std::uint64_t length = uleb();
    if (length == 0 || length > static_cast<std::uint64_t>(end_ - at_)) return;
    const std::uint8_t* const next = at_ + length;
    const std::uint64_t opcode = number(1);
    if (opcode == 1) {
      emit(0);
      reset();
    } else if (opcode == 2) {
      address_ = static_cast<std::uint32_t>(number(4));
      dropped_ = address_ == 0; // code that the linker has not kept
    }
    at_ = next;
  }

  void standard(std::uint64_t opcode) {
    switch (opcode) {
      case 1:
        emit(line_);
        break;
      case 2:
        advance(uleb());
        break;
      case 3:
        line_ += static_cast<std::uint32_t>(sleb());
        break;
      case 4:
        file_ = static_cast<std::uint32_t>(uleb());
        break;
      case 8:
        advance((255 - opcode_base_) / line_range_);
        break;
      case 9:
        address_ += static_cast<std::uint32_t>(number(2));
        break;
      default:
        for (std::uint8_t i = 0; i < lengths_[opcode - 1]; ++i) uleb();
    }
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  LineTable& table_;
  std::uint64_t version_ = 0, unit_ = 1, line_range_ = 1, opcode_base_ = 0;
  int line_base_ = 0;
  std::vector<std::uint8_t> lengths_; // operands of the standard opcodes
  std::uint32_t first_file_ = 0;
  std::uint32_t address_ = 0, file_ = 1, line_ = 1;
  bool dropped_ = false;
};

LineTable::LineTable(const std::uint8_t* section, std::size_t bytes) {
  const std::uint8_t* const end = section + bytes;
  while (end - section > 4) {
    std::uint32_t length = 0;
    std::memcpy(&length, section, sizeof length);
    section += sizeof length;
    if (length > static_cast<std::size_t>(end - section)) break;
    Unit(section, section + length, *this).read();
    section += length;
  }
  // A row holds up to the next one of its sequence.
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return a.address != b.address ? a.address < b.address : (a.line == 0) > (b.line == 0);
  });
}

std::string LineTable::line_of(std::uint32_t address) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), address,
                                      [](std::uint32_t a, const Row& r) { return a < r.address; });
  if (after == rows_.begin() || (after - 1)->line == 0) return {};
  const Row& row = *(after - 1);
  return row.file < files_.size() ? files_[row.file] + ":" + std::to_string(row.line) : std::string();
}

} // namespace twinplane::hw
