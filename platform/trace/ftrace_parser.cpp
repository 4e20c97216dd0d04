// Block events as ftrace, trace-cmd and perf script print them:
//
//   TASK-PID [CPU] FLAGS TIME: block_rq_issue: MAJ,MIN RWBS BYTES (COMMAND) SECTOR + SECTORS [TASK]
//
// Task names may hold blanks, so everything counts from the name of the event. Issues (D) or insertions into
// the queue (Q) are replayed; the other events tell of the same requests at other points of their way.
#include <string>

#include "platform/config/error.h"
#include "platform/trace/block_request.h"
#include "platform/trace/fields.h"
#include "platform/trace/formats.h"

namespace twinplane::platform {
namespace {

constexpr std::string_view kSystem = "block:"; // before the event's name in perf script

/// The request behind an event's name; empty views where it has none.
struct Event {
  std::string_view name;
  std::string_view time;
  std::string_view device;
  BlockRequestText request;
};

bool cut_event(std::string_view line, Event& event) {
  std::size_t at = line.find(": block");
  if (at == std::string_view::npos) return false;
  const std::string_view before = trim(line.substr(0, at));
  event.time = before.substr(before.find_last_of(" \t") + 1);
  if (event.time.size() == before.size()) return false;
  line.remove_prefix(at + 2);
  if (line.substr(0, kSystem.size()) == kSystem) line.remove_prefix(kSystem.size());
  at = line.find(':');
  if (at == std::string_view::npos) return false;
  event.name = line.substr(0, at);
  Fields fields;
  split(line.substr(at + 1), Separator::blanks, fields, Fields::kMax);
  event.device = fields.at[0];
  event.request.letters = fields.count > 1 ? fields.at[1] : std::string_view{};
  for (std::size_t i = 3; i + 1 < fields.count; ++i) {
    if (fields.at[i] != "+") continue;
    event.request.sector = fields.at[i - 1];
    event.request.sectors = fields.at[i + 1];
    break;
  }
  return fields.count >= 2;
}

class FtraceParser final : public RecordParser {
 public:
  explicit FtraceParser(char action) : replayed_(action == 'Q' ? "block_bio_queue" : "block_rq_issue") {
    tally_.replayed = replayed_;
  }

  void restart() override { tally_.clear(); }

  Parsed parse(std::string_view line, RawRecord& record, Complaint& complaint) override {
    Event event;
    if (!cut_event(line, event)) {
      tally_.actions.add("no block event");
      return Parsed::ignored;
    }
    tally_.actions.add(event.name);
    if (event.name != replayed_) return Parsed::ignored;
    if (event.device.find(',') == std::string_view::npos) {
      complaint = {"a device MAJ,MIN behind the event's name", event.device};
      return Parsed::malformed;
    }
    if (!parse_time(event.time, *find_time_unit("s"), record.time_ns)) {
      complaint = {"a time in seconds before the event's name", event.time};
      return Parsed::malformed;
    }
    record.device = event.device;
    return read_block_request(event.request, record, tally_, complaint);
  }

 private:
  std::string_view replayed_;
};

} // namespace

std::unique_ptr<RecordParser> make_ftrace_parser(const ParserOptions& options) {
  require_block_options("ftrace", options);
  return std::make_unique<FtraceParser>(options.block_action);
}

} // namespace twinplane::platform
