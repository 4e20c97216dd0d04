// twinplane trace: look into trace files, convert them, make synthetic ones.
#include <iomanip>
#include <iostream>
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/cli/trace_options.h"
#include "platform/config/derived.h"
#include "platform/trace/trace_info.h"
#include "platform/trace/trace_writer.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"

namespace twinplane::platform::cli {

namespace {

struct InfoArguments {
  TraceOptions trace;
  bool json = false;
};

struct ConvertArguments {
  TraceOptions trace;
  TraceOutput output;
};

struct GenerateArguments {
  ConfigOptions config;
  TraceOutput output;
};

/// What was not as it should be, on standard error: nothing is dropped in silence.
void report_oddities(const TraceStatus& status) {
  const auto note = [](std::uint64_t count, const char* what) {
    if (count != 0) std::cerr << "note: " << count << " " << what << "\n";
  };
  note(status.bad_lines, "malformed lines skipped");
  note(status.zero_length, "requests of zero length dropped");
  note(status.out_of_window, "requests arrived too late for the sort window and were moved in time");
  note(status.clock_jumps, "clock jumps taken out");
}

void report_written(const WriteReport& report, const TraceOutput& output) {
  std::cout << report.written << " requests written to " << output.path << " (" << output.format << ")\n";
  if (report.left_out != 0) {
    std::cerr << "note: " << report.left_out << " trims and flushes left out: " << output.format
              << " cannot express them, --to columns can\n";
  }
}

void show_info(const InfoArguments& a) {
  const auto source = open_trace(a.trace);
  const TraceInfo info = collect_info(*source);
  if (a.json) {
    std::cout << to_json(info) << "\n";
  } else {
    const TraceStatus& status = source->status();
    std::cout << "  " << std::left << std::setw(30) << "format" << status.format
              << (status.detected ? " (detected)" : "") << "\n";
    print(info, std::cout);
  }
  report_oddities(source->status());
}

void convert(const ConvertArguments& a) {
  const auto source = open_trace(a.trace);
  const WriteReport report = write_trace(*source, a.output);
  report_oddities(source->status());
  report_written(report, a.output);
}

void generate(const GenerateArguments& a) {
  const LoadedConfig loaded = finish_and_warn(make_loader(a.config));
  const auto source = make_workload(to_workload_spec(loaded.config, derive(loaded.config).exported_bytes));
  report_written(write_trace(*source, a.output), a.output);
}

void add_output_format(CLI::App& command, TraceOutput& output) {
  command.add_option("--to", output.format, "format to write: msr, ssdsim or columns")->type_name("NAME");
}

void add_info(CLI::App& trace) {
  auto a = std::make_shared<InfoArguments>();
  CLI::App* command =
      trace.add_subcommand("info", "what a trace is like: mix, sizes, footprint, locality, burstiness");
  command->add_option("file", a->trace.path, "trace file, plain, gzip or zstd")->type_name("")->required();
  add_trace_options(*command, a->trace);
  command->add_flag("--json", a->json, "print JSON instead of a table");
  command->callback([a] { show_info(*a); });
}

void add_convert(CLI::App& trace) {
  auto a = std::make_shared<ConvertArguments>();
  CLI::App* command = trace.add_subcommand("convert", "write a trace in another format");
  command->add_option("file", a->trace.path, "trace file to read")->type_name("")->required();
  command->add_option("output", a->output.path, "file to write; .gz and .zst are compressed")
      ->type_name("")
      ->required();
  add_trace_options(*command, a->trace);
  add_output_format(*command, a->output);
  command->add_flag("--keep-devices", a->output.keep_devices,
                    "write the devices' numbers, for --devices keep");
  command->callback([a] { convert(*a); });
}

void add_generate(CLI::App& trace) {
  auto a = std::make_shared<GenerateArguments>();
  CLI::App* command =
      trace.add_subcommand("generate", "write the synthetic workload of a configuration as a trace");
  command->add_option("output", a->output.path, "file to write; .gz and .zst are compressed")
      ->type_name("")
      ->required();
  add_config_options(*command, a->config);
  add_output_format(*command, a->output);
  command->callback([a] { generate(*a); });
}

} // namespace

void add_trace_command(CLI::App& app) {
  CLI::App* trace = app.add_subcommand("trace", "inspect, convert and generate block traces");
  trace->require_subcommand(1);
  add_info(*trace);
  add_convert(*trace);
  add_generate(*trace);
}

} // namespace twinplane::platform::cli
