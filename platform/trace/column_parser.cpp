// The parser that follows a column map.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "platform/trace/column_map.h"

namespace twinplane::platform {
namespace {

bool starts_with_letter(std::string_view text) {
  return !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

class ColumnParser final : public RecordParser {
 public:
  explicit ColumnParser(ColumnMap map) : map_(std::move(map)) {
    for (const std::size_t column : {map_.time, map_.op, map_.offset, map_.size, map_.device_last}) {
      if (column != ColumnMap::kNone) wanted_ = std::max(wanted_, column + 1);
    }
    columns_expected_ = "at least " + std::to_string(wanted_) + " columns";
    time_expected_ =
        "a time in " + std::string(map_.time_unit.name) + " in column " + std::to_string(map_.time);
    op_expected_ = op_description();
    offset_expected_ = "a whole, non-negative offset in column " + std::to_string(map_.offset);
    size_expected_ = "a whole, non-negative size in column " + std::to_string(map_.size);
    by_character_.fill(kUnknown);
    for (unsigned c = 0; c < by_character_.size(); ++c) {
      const char character = static_cast<char>(c);
      for (std::size_t i = 0; i < std::min<std::size_t>(map_.op_words.size(), kUnknown); ++i) {
        if (same_word({&character, 1}, map_.op_words[i].word))
          by_character_[c] = static_cast<std::uint8_t>(i);
      }
    }
  }

  void restart() override { lines_ = 0; }

  Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) override {
    if (lines_++ < map_.skip_lines) return Parsed::ignored;
    Fields& fields = fields_;
    split(line, map_.separator, fields, wanted_);
    if (fields.count < wanted_) return refuse(complaint, columns_expected_, line);
    if (lines_ == 1 && is_header(fields)) return Parsed::ignored;
    if (!parse_time(fields.at[map_.time], map_.time_unit, record.time_ns)) {
      return refuse(complaint, time_expected_, fields.at[map_.time]);
    }
    if (!read_bytes(fields.at[map_.offset], map_.offset_unit, record.offset)) {
      return refuse(complaint, offset_expected_, fields.at[map_.offset]);
    }
    if (!read_bytes(fields.at[map_.size], map_.size_unit, record.length)) {
      return refuse(complaint, size_expected_, fields.at[map_.size]);
    }
    record.device = {};
    if (map_.device != ColumnMap::kNone) {
      const std::string_view last = fields.at[map_.device_last];
      const char* begin = fields.at[map_.device].data();
      record.device = {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
    }
    return read_op(fields, record, complaint);
  }

 private:
  static constexpr std::uint8_t kUnknown = 0xFF;

  static Parsed refuse(Complaint& complaint, std::string_view expected, std::string_view got) {
    complaint = {expected, got};
    return Parsed::malformed;
  }

  bool is_header(const Fields& fields) const {
    return starts_with_letter(fields.at[map_.time]) && starts_with_letter(fields.at[map_.offset]) &&
           starts_with_letter(fields.at[map_.size]);
  }

  static bool read_bytes(std::string_view text, std::uint64_t unit, std::uint64_t& bytes) {
    std::uint64_t count = 0;
    return parse_integer(text, count) && !__builtin_mul_overflow(count, unit, &bytes);
  }

  std::string op_description() const {
    if (map_.op_rule == ColumnMap::OpRule::parity)
      return "flags (a number) in column " + std::to_string(map_.op);
    std::string words;
    for (const ColumnMap::OpWord& kind : map_.op_words) words += (words.empty() ? "" : ", ") + kind.word;
    return "one of " + words + " in column " + std::to_string(map_.op);
  }

  static Parsed take(const ColumnMap::OpWord& kind, RawRecord& record) {
    record.op = kind.op;
    record.fua = kind.fua;
    return Parsed::record;
  }

  Parsed read_op(const Fields& fields, RawRecord& record, Complaint& complaint) const {
    if (map_.op_rule == ColumnMap::OpRule::constant) {
      record.op = map_.constant;
      return Parsed::record;
    }
    const std::string_view text = fields.at[map_.op];
    if (text.empty() && map_.blank_op_ignored) return Parsed::ignored;
    if (map_.op_rule == ColumnMap::OpRule::parity) {
      std::uint64_t flags = 0;
      if (!parse_integer(text, flags)) return refuse(complaint, op_expected_, text);
      record.op = (flags & 1) == (map_.odd == IoOp::read ? 1u : 0u) ? IoOp::read : IoOp::write;
      return Parsed::record;
    }
    if (text.size() == 1 && by_character_[static_cast<unsigned char>(text[0])] != kUnknown) {
      return take(map_.op_words[by_character_[static_cast<unsigned char>(text[0])]], record);
    }
    for (const ColumnMap::OpWord& kind : map_.op_words) {
      if (same_word(kind.word, text)) return take(kind, record);
    }
    return refuse(complaint, op_expected_, text);
  }

  ColumnMap map_;
  Fields fields_; // of the line at hand
  std::size_t wanted_ = 0;
  std::uint64_t lines_ = 0;
  std::array<std::uint8_t, 256> by_character_{};
  std::string columns_expected_, time_expected_, op_expected_, offset_expected_, size_expected_;
};

} // namespace

std::unique_ptr<RecordParser> make_column_parser(ColumnMap map) {
  return std::make_unique<ColumnParser>(std::move(map));
}

} // namespace twinplane::platform
