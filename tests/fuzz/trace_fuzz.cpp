// Every trace parser, the wrappers around files, and the column map. An input is a trace file; a first line
// that begins with "--" holds options as `trace info` has them.
#include <sstream>
#include <vector>

#include "platform/config/error.h"
#include "platform/trace/trace_info.h"
#include "platform/trace/trace_source.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace twinplane;
using namespace twinplane::platform;

constexpr std::uint64_t kMostInfoBytes = 1u << 26; // so many pages are not looked at one by one

void take_options(std::string_view line, TraceOptions& options) {
  std::istringstream words{std::string(line)};
  std::string name;
  std::string value;
  while (words >> name) {
    if (name == "--skip-bad-lines") options.skip_bad_lines = true;
    if (name == "--keep-devices") options.devices = DeviceLayout::keep;
    if (name == "--twice") options.others = {options.path};
    if (name == "--by-name") options.devices = DeviceLayout::by_name;
    if (name.back() != '=') continue;
    words >> value;
    if (name == "--format=") options.format = value;
    if (name == "--columns=") options.columns = value;
    if (name == "--time-unit=") options.time_unit = value;
    if (name == "--only-device=") options.only_device = value;
    if (name == "--block-action=" && !value.empty()) options.block_action = value[0];
    if (name == "--max-records=") options.max_records = value.size();
  }
}

std::vector<IoRecord> read(TraceSource& source) {
  std::vector<IoRecord> records;
  IoRecord record;
  while (source.next(record)) {
    fuzz::claim(record.length != 0 || record.op == IoOp::flush, "a request has a length");
    fuzz::claim(record.offset + record.length >= record.offset, "a request ends in the address space");
    fuzz::claim(records.empty() || record.arrival_ns >= records.back().arrival_ns, "arrivals are in order");
    records.push_back(record);
  }
  return records;
}

void look(const TraceOptions& options) {
  const auto source = open_trace(options);
  const std::vector<IoRecord> records = read(*source);
  (void)source->notes();
  source->rewind();
  const std::vector<IoRecord> again = read(*source);
  fuzz::claim(again.size() == records.size(), "a second round has as many requests");
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    bytes += records[i].length;
    fuzz::claim(again[i].offset == records[i].offset && again[i].arrival_ns == records[i].arrival_ns,
                "a second round is the first again");
  }
  if (bytes > kMostInfoBytes) return;
  source->rewind();
  std::ostringstream out;
  print(collect_info(*source), out);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file;
  std::string_view text = fuzz::text_of(data, size);
  TraceOptions options;
  options.path = file.path();
  options.sort_window = 16;
  if (text.substr(0, 2) == "--") take_options(fuzz::take_line(text), options);
  file.set(text);
  try {
    look(options);
  } catch (const InputError&) {
  }
  return 0;
}
