// fio I/O logs, versions 2 and 3 (fio HOWTO, "Trace file format v2/v3"). Version 2 keeps time in `wait`
// lines, version 3 stamps each line; both in microseconds unless another unit is asked for.
#include <array>

#include "platform/trace/fields.h"
#include "platform/trace/formats.h"

namespace twinplane::platform {
namespace {

struct Action {
  std::string_view name;
  enum class Kind : std::uint8_t { io, file, wait } kind;
  IoOp op;
};

constexpr std::array<Action, 9> kActions{{{"read", Action::Kind::io, IoOp::read},
                                          {"write", Action::Kind::io, IoOp::write},
                                          {"trim", Action::Kind::io, IoOp::trim},
                                          {"sync", Action::Kind::io, IoOp::flush},
                                          {"datasync", Action::Kind::io, IoOp::flush},
                                          {"wait", Action::Kind::wait, IoOp::read},
                                          {"add", Action::Kind::file, IoOp::read},
                                          {"open", Action::Kind::file, IoOp::read},
                                          {"close", Action::Kind::file, IoOp::read}}};

class FioParser final : public RecordParser {
 public:
  explicit FioParser(const TimeUnit& unit) : unit_(unit) {}

  void restart() override {
    version_ = 0;
    now_ns_ = 0;
  }

  Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) override {
    if (version_ == 0) return header(line, complaint);
    Fields fields;
    split(line, Separator::blanks, fields, 6);
    const std::size_t first = version_ == 3 ? 1 : 0;
    if (fields.count < first + 2) return refuse(complaint, "FILE ACTION [OFFSET LENGTH]", line);
    if (version_ == 3 && !parse_time(fields.at[0], unit_, now_ns_)) {
      return refuse(complaint, "a time stamp in the first column", fields.at[0]);
    }
    const std::string_view word = fields.at[first + 1];
    for (const Action& action : kActions) {
      if (action.name == word) return act(action, fields, first, record, complaint);
    }
    return refuse(complaint, "read, write, trim, sync, datasync, wait, add, open or close", word);
  }

 private:
  static Parsed refuse(Complaint& complaint, std::string_view expected, std::string_view got) {
    complaint = {expected, got};
    return Parsed::malformed;
  }

  Parsed header(std::string_view line, Complaint& complaint) {
    if (trim(line) == "fio version 2 iolog") version_ = 2;
    if (trim(line) == "fio version 3 iolog") version_ = 3;
    if (version_ == 0) return refuse(complaint, "'fio version 2 iolog' or 'fio version 3 iolog'", line);
    return Parsed::ignored;
  }

  Parsed act(const Action& action, const Fields& fields, std::size_t first, RawRecord& record,
             Complaint& complaint) {
    if (action.kind == Action::Kind::file) return Parsed::ignored;
    if (action.kind == Action::Kind::wait) {
      std::uint64_t delay = 0;
      if (fields.count < first + 3 || !parse_time(fields.at[first + 2], unit_, delay)) {
        return refuse(complaint, "a delay after 'wait'", fields.at[fields.count - 1]);
      }
      now_ns_ += delay;
      return Parsed::ignored;
    }
    record.time_ns = now_ns_;
    record.op = action.op;
    record.device = fields.at[first];
    record.offset = record.length = 0;
    if (action.op == IoOp::flush) return Parsed::record;
    if (fields.count < first + 4 || !parse_integer(fields.at[first + 2], record.offset) ||
        !parse_integer(fields.at[first + 3], record.length)) {
      return refuse(complaint, "OFFSET LENGTH in bytes after the action", fields.at[fields.count - 1]);
    }
    return Parsed::record;
  }

  TimeUnit unit_;
  unsigned version_ = 0;
  std::uint64_t now_ns_ = 0;
};

} // namespace

std::unique_ptr<RecordParser> make_fio_parser(const ParserOptions& options) {
  return std::make_unique<FioParser>(require_time_unit(options.time_unit.empty() ? "us" : options.time_unit));
}

} // namespace twinplane::platform
