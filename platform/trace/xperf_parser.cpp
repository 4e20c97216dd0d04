// Microsoft Production Server traces: the CSV that xperf dumps from Event Tracing for Windows. The header
// between BeginHeader and EndHeader names the columns of each event. DiskRead and DiskWrite are logged when
// the request completes, so it arrived ElapsedTime earlier; times are microseconds.
#include <array>

#include "platform/trace/fields.h"
#include "platform/trace/formats.h"

namespace twinplane::platform {
namespace {

class XperfParser final : public RecordParser {
 public:
  explicit XperfParser(const TimeUnit& unit) : unit_(unit) {}

  void restart() override {
    in_header_ = false;
    events_ = {};
    tally_.clear();
  }

  Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) override {
    const std::string_view text = trim(line);
    if (text == "BeginHeader" || text == "EndHeader") {
      in_header_ = text == "BeginHeader";
      return Parsed::ignored;
    }
    const std::string_view name = trim(line.substr(0, line.find(',')));
    if (name == "DiskFlush" && !in_header_)
      tally_.left_out.add("DiskFlush, which is logged when the drive has done it");
    if (name != "DiskRead" && name != "DiskWrite") return Parsed::ignored;
    Columns& columns = events_[name == "DiskRead" ? 0 : 1];
    Fields fields;
    split(line, Separator::comma, fields);
    if (in_header_) return learn(columns, fields, line, complaint);
    if (!columns.known) {
      return refuse(complaint, "the columns of this event named between BeginHeader and EndHeader", line);
    }
    record.op = name == "DiskRead" ? IoOp::read : IoOp::write;
    return read_event(columns, fields, line, record, complaint);
  }

 private:
  enum Role : std::size_t { time, offset, size, elapsed, disk, kRoles };

  struct Columns {
    std::array<std::size_t, kRoles> at{};
    std::size_t needed = 0;
    bool known = false;
  };

  static Parsed refuse(Complaint& complaint, std::string_view expected, std::string_view got) {
    complaint = {expected, got};
    return Parsed::malformed;
  }

  static Parsed learn(Columns& columns, const Fields& fields, std::string_view line, Complaint& complaint) {
    constexpr std::array<std::string_view, kRoles> kNames{"TimeStamp", "ByteOffset", "IOSize", "ElapsedTime",
                                                          "DiskNum"};
    columns.needed = 0;
    for (std::size_t role = 0; role < kRoles; ++role) {
      std::size_t column = 0;
      while (column < fields.count && !same_word(fields.at[column], kNames[role])) ++column;
      if (column == fields.count) {
        return refuse(complaint, "TimeStamp, ByteOffset, IOSize, ElapsedTime and DiskNum among the columns",
                      line);
      }
      columns.at[role] = column;
      columns.needed = column + 1 > columns.needed ? column + 1 : columns.needed;
    }
    columns.known = true;
    return Parsed::ignored;
  }

  Parsed read_event(const Columns& columns, const Fields& fields, std::string_view line, RawRecord& record,
                    Complaint& complaint) const {
    if (fields.count < columns.needed) return refuse(complaint, "as many columns as the header names", line);
    std::uint64_t completed = 0;
    std::uint64_t took = 0;
    if (!parse_time(fields.at[columns.at[time]], unit_, completed)) {
      return refuse(complaint, "a TimeStamp", fields.at[columns.at[time]]);
    }
    if (!parse_time(fields.at[columns.at[elapsed]], unit_, took)) {
      return refuse(complaint, "an ElapsedTime", fields.at[columns.at[elapsed]]);
    }
    if (!parse_integer(fields.at[columns.at[offset]], record.offset)) {
      return refuse(complaint, "a ByteOffset", fields.at[columns.at[offset]]);
    }
    if (!parse_integer(fields.at[columns.at[size]], record.length)) {
      return refuse(complaint, "an IOSize", fields.at[columns.at[size]]);
    }
    record.time_ns = completed > took ? completed - took : 0;
    record.device = fields.at[columns.at[disk]];
    return Parsed::record;
  }

  TimeUnit unit_;
  bool in_header_ = false;
  std::array<Columns, 2> events_{};
};

} // namespace

std::unique_ptr<RecordParser> make_xperf_parser(const ParserOptions& options) {
  return std::make_unique<XperfParser>(
      require_time_unit(options.time_unit.empty() ? "us" : options.time_unit));
}

} // namespace twinplane::platform
