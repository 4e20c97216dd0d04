#include "platform/cli/trace_options.h"

#include <string>

#include "platform/cli/validators.h"

namespace twinplane::platform::cli {

namespace {

DeviceLayout device_layout(const std::string& word) {
  if (word == "concatenate") return DeviceLayout::concatenate;
  if (word == "by-name") return DeviceLayout::by_name;
  if (word == "keep") return DeviceLayout::keep;
  throw CLI::ValidationError("--devices", "expected concatenate, by-name or keep, got " + word);
}

TraceClock trace_clock(const std::string& word) {
  if (word == "shared") return TraceClock::shared;
  if (word == "own") return TraceClock::own;
  throw CLI::ValidationError("--clock", "expected shared or own, got " + word);
}

char block_action(const std::string& word) {
  if (word == "D" || word == "Q") return word[0];
  throw CLI::ValidationError("--block-action", "expected D or Q, got " + word);
}

} // namespace

void set_paths(TraceOptions& options, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  options.path = paths.front();
  options.others.assign(paths.begin() + 1, paths.end());
}

std::vector<CLI::Option*> add_trace_options(CLI::App& command, TraceOptions& options) {
  const std::vector<CLI::Option*> before = command.get_options();
  command.add_option("--format", options.format, "trace format, see `twinplane list`; default: by content")
      ->type_name("NAME");
  command
      .add_option("--columns", options.columns,
                  "column map of any other text format, e.g. "
                  "time=0:ms,op=4:R|W,offset=2:sectors,size=3:bytes,sep=comma")
      ->type_name("MAP");
  command
      .add_option("--time-unit", options.time_unit,
                  "replaces the format's unit of time: s, ms, us, ns, ps, filetime")
      ->type_name("UNIT");
  command
      .add_option_function<std::string>(
          "--devices", [&options](const std::string& word) { options.devices = device_layout(word); },
          "several devices: laid end to end; those of one name in several traces taken for one; or all from "
          "0")
      ->type_name("concatenate|by-name|keep");
  command
      .add_option_function<std::string>(
          "--clock", [&options](const std::string& word) { options.clock = trace_clock(word); },
          "several traces: their times are of one clock, or each begins with the first")
      ->type_name("shared|own");
  command.add_option("--only-device", options.only_device, "keep only this device's requests")
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--block-action",
          [&options](const std::string& word) { options.block_action = block_action(word); },
          "blkparse: take D (issued) or Q (queued) lines")
      ->type_name("D|Q");
  command
      .add_option("--sort-window", options.sort_window, "records held back to restore the order of arrival")
      ->check(whole_number(1, std::int64_t{1} << 24))
      ->type_name("N");
  command.add_option("--max-records", options.max_records, "reads only the first N requests")
      ->check(whole_number(1))
      ->type_name("N");
  command.add_flag("--skip-bad-lines", options.skip_bad_lines,
                   "counts malformed lines instead of refusing the file");
  std::vector<CLI::Option*> added = command.get_options();
  added.erase(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(before.size()));
  return added;
}

} // namespace twinplane::platform::cli
