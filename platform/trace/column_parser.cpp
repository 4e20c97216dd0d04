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
    for (const int column : {map_.time, map_.op, map_.offset, map_.size, map_.device, map_.device_last})
      want(column);
    for (const ColumnMap::Condition& condition : map_.where) want(condition.column);
    columns_expected_ = "at least " + std::to_string(least_) + " columns";
    if (from_right_) {
      wanted_ = Fields::kMax;
      columns_expected_ +=
          " and fewer than " + std::to_string(Fields::kMax) + ", to count them from the right";
    }
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

  void restart() override {
    lines_ = 0;
    tally_.clear();
  }

  std::uint64_t skip_lines() const override { return map_.skip_lines; }

  Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) override {
    ++lines_;
    Fields& fields = fields_;
    split(line, map_.separator, fields, wanted_);
    const bool complete = fields.count >= least_ && (!from_right_ || fields.count < Fields::kMax);
    if (!complete) return refuse(complaint, columns_expected_, line);
    if (lines_ == 1 && map_.skip_lines == 0 && is_header(fields)) return Parsed::ignored;
    if (!is_chosen(fields)) return Parsed::ignored;
    if (!parse_time(at(fields, map_.time), map_.time_unit, record.time_ns)) {
      return refuse(complaint, time_expected_, at(fields, map_.time));
    }
    if (!read_bytes(at(fields, map_.offset), map_.offset_unit, record.offset)) {
      return refuse(complaint, offset_expected_, at(fields, map_.offset));
    }
    if (!read_bytes(at(fields, map_.size), map_.size_unit, record.length)) {
      return refuse(complaint, size_expected_, at(fields, map_.size));
    }
    record.device = {};
    if (map_.device != ColumnMap::kNone) record.device = device_of(fields);
    if (!map_.bases.empty() && !add_base(record)) return refuse(complaint, base_expected_, record.device);
    return read_op(fields, record, complaint);
  }

 private:
  static constexpr std::uint8_t kUnknown = 0xFF;

  static Parsed refuse(Complaint& complaint, std::string_view expected, std::string_view got) {
    complaint = {expected, got};
    return Parsed::malformed;
  }

  void want(int column) {
    if (column == ColumnMap::kNone) return;
    from_right_ = from_right_ || column < 0;
    least_ = std::max(least_, static_cast<std::size_t>(column < 0 ? -column : column + 1));
    wanted_ = std::max(wanted_, least_);
  }

  static std::string_view at(const Fields& fields, int column) {
    return fields
        .at[column < 0 ? fields.count - static_cast<std::size_t>(-column) : static_cast<std::size_t>(column)];
  }

  /// Whether every condition holds; what does not fit is counted by the word that stands there.
  bool is_chosen(const Fields& fields) {
    for (const ColumnMap::Condition& condition : map_.where) {
      const std::string_view text = at(fields, condition.column);
      const auto& words = condition.words;
      if (std::any_of(words.begin(), words.end(), [&](const auto& word) { return same_word(word, text); }))
        continue;
      tally_.other_lines.add("lines with " + std::string(text) + " in column " +
                             std::to_string(condition.column));
      return false;
    }
    return true;
  }

  std::string_view device_of(const Fields& fields) {
    const std::string_view first = at(fields, map_.device);
    const std::string_view last = at(fields, map_.device_last);
    const std::string_view span{first.data(),
                                static_cast<std::size_t>(last.data() + last.size() - first.data())};
    if (map_.device == map_.device_last || span.find('"') == std::string_view::npos) return span;
    device_.clear();
    for (int column = map_.device; column <= map_.device_last; ++column) {
      if (column != map_.device) device_ += static_cast<char>(map_.separator);
      device_ += at(fields, column);
    }
    return device_;
  }

  bool add_base(RawRecord& record) const {
    for (const ColumnMap::Base& base : map_.bases) {
      if (base.device == record.device)
        return !__builtin_add_overflow(record.offset, base.bytes, &record.offset);
    }
    return false;
  }

  bool is_header(const Fields& fields) const {
    return starts_with_letter(at(fields, map_.time)) && starts_with_letter(at(fields, map_.offset)) &&
           starts_with_letter(at(fields, map_.size));
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

  Parsed read_op(const Fields& fields, RawRecord& record, Complaint& complaint) {
    if (map_.op_rule == ColumnMap::OpRule::constant) {
      record.op = map_.constant;
      return Parsed::record;
    }
    const std::string_view text = at(fields, map_.op);
    if (text.empty() && map_.blank_op_ignored) {
      tally_.left_out.add("no operation in column " + std::to_string(map_.op) + " (blank-op=ignore)");
      return Parsed::ignored;
    }
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
  Fields fields_;          // of the line at hand
  std::size_t wanted_ = 0; // fields to cut
  std::size_t least_ = 0;  // that a line needs
  bool from_right_ = false;
  std::string device_; // of several columns in quotes
  std::uint64_t lines_ = 0;
  std::array<std::uint8_t, 256> by_character_{};
  std::string columns_expected_, time_expected_, op_expected_, offset_expected_, size_expected_;
  const std::string base_expected_ = "a device that base= names";
};

} // namespace

std::unique_ptr<RecordParser> make_column_parser(ColumnMap map) {
  return std::make_unique<ColumnParser>(std::move(map));
}

} // namespace twinplane::platform
