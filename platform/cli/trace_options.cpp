#include "platform/cli/trace_options.h"

#include <string>

namespace twinplane::platform::cli {

namespace {

DeviceLayout device_layout(const std::string& word) {
  if (word == "concatenate") return DeviceLayout::concatenate;
  if (word == "keep") return DeviceLayout::keep;
  throw CLI::ValidationError("--devices", "expected concatenate or keep, got " + word);
}

char block_action(const std::string& word) {
  if (word == "D" || word == "Q") return word[0];
  throw CLI::ValidationError("--block-action", "expected D or Q, got " + word);
}

} // namespace

void add_trace_options(CLI::App& command, TraceOptions& options) {
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
          "several devices in one trace: laid end to end, or all from 0")
      ->type_name("concatenate|keep");
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
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 24).description(""))
      ->type_name("N");
  command.add_option("--max-records", options.max_records, "reads only the first N requests")->type_name("N");
  command.add_flag("--skip-bad-lines", options.skip_bad_lines,
                   "counts malformed lines instead of refusing the file");
}

} // namespace twinplane::platform::cli
