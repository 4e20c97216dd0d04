// twinplane trace: look into trace files, convert them, make synthetic ones.
#include <iomanip>
#include <iostream>
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/cli/profile_options.h"
#include "platform/cli/trace_options.h"
#include "platform/cli/validators.h"
#include "platform/config/dram_needs.h"
#include "platform/config/error.h"
#include "platform/trace/trace_info.h"
#include "platform/trace/trace_writer.h"
#include "platform/workload/from_config.h"
#include "platform/workload/profile_source.h"
#include "platform/workload/workload.h"

namespace twinplane::platform::cli {

namespace {

struct InfoArguments {
  std::vector<std::string> files;
  TraceOptions trace;
  ProfileOptions profile;
  bool json = false;
};

struct ConvertArguments {
  std::string file;
  std::vector<std::string> others; // merged with it
  TraceOptions trace;
  TraceOutput output;
};

struct GenerateArguments {
  ConfigOptions config;
  ProfileOptions profile;
  TraceOutput output;
};

/// What was not as it should be, on standard error: nothing is dropped in silence.
void report_oddities(const TraceSource& trace) {
  for (const std::string& note : trace.notes()) std::cerr << "note: " << note << "\n";
}

void report_written(const WriteReport& report, const TraceOutput& output) {
  if (report.fua_lost != 0) {
    std::cerr << "note: " << report.fua_lost
              << " writes with force unit access written as usual ones: " << output.format
              << " cannot express it, --to columns can\n";
  }
  std::cout << report.written << " requests written to " << output.path << " (" << output.format << ")\n";
  if (report.left_out != 0) {
    std::cerr << "note: " << report.left_out << " trims and flushes left out: " << output.format
              << " cannot express them, --to columns can\n";
  }
}

/// First what it is: rows of name and value.
void show(const TraceInfo& info, const std::vector<std::pair<std::string, std::string>>& heading) {
  for (const auto& [name, value] : heading)
    std::cout << "  " << std::left << std::setw(30) << name << value << "\n";
  print(info, std::cout);
}

/// A share of the drive as --footprint needs a drive; there is none here.
void show_profile(const InfoArguments& a) {
  if (a.profile.footprint_share > 0.0) {
    throw InputError("trace info: --footprint: expected a size; there is no drive to take a share of");
  }
  const Profile profile = resolve_profile(a.profile, 0);
  const auto source = make_profile_source(profile);
  const TraceInfo info = collect_info(*source);
  if (a.json) {
    std::cout << to_json(info) << "\n";
  } else {
    show(info, {{"profile", profile.name + ": " + profile.summary}});
  }
}

void show_info(const InfoArguments& a) {
  if (a.trace.path.empty() == a.profile.name.empty()) {
    throw InputError("trace info: expected either a trace file or --profile NAME");
  }
  if (!a.profile.name.empty()) return show_profile(a);
  const auto source = open_trace(a.trace);
  const TraceInfo info = collect_info(*source);
  const TraceStatus& status = source->status();
  if (a.json) {
    std::cout << to_json(info, status.places) << "\n";
  } else {
    show(info, {{"format", status.format + (status.detected ? " (detected)" : "")},
                {"devices", devices_text(status)}});
  }
  report_oddities(*source);
}

void convert(const ConvertArguments& a) {
  const auto source = open_trace(a.trace);
  const WriteReport report = write_trace(*source, a.output);
  report_oddities(*source);
  report_written(report, a.output);
}

void generate(const GenerateArguments& a) {
  ConfigLoader loader = make_loader(a.config);
  if (a.profile.seed)
    loader.add_value("workload.seed", Literal::of_integer(static_cast<std::int64_t>(*a.profile.seed)),
                     "--seed");
  const LoadedConfig loaded = finish_and_warn(loader);
  const std::uint64_t capacity = exported_bytes(loaded.config);
  if (loaded.config.nand.factory_bad > 0) {
    std::cerr << "warning: nand.factory_bad: the trace is for a drive without bad blocks; with them it may "
                 "export less\n";
  }
  if (a.profile.name.empty()) require_workload(loaded, capacity);
  const auto source = a.profile.name.empty() ? make_workload(to_workload_spec(loaded.config, capacity))
                                             : make_profile_source(resolve_profile(a.profile, capacity));
  report_written(write_trace(*source, a.output), a.output);
}

void add_profile(CLI::App& command, ProfileOptions& options) {
  add_profile_options(command, options);
  command.add_option("--seed", options.seed, "seed of the requests; same seed, same requests")
      ->check(whole_number(0))
      ->type_name("N");
}

void add_output_format(CLI::App& command, TraceOutput& output) {
  command.add_option("--to", output.format, "format to write: msr, ssdsim or columns")->type_name("NAME");
}

void add_info(CLI::App& trace) {
  auto a = std::make_shared<InfoArguments>();
  CLI::App* command =
      trace.add_subcommand("info", "what a trace is like: mix, sizes, footprint, locality, burstiness");
  command
      ->add_option("file", a->files,
                   "trace files, plain, gzip, zstd, bzip2 or xz; several are merged by time")
      ->type_name("");
  const std::vector<CLI::Option*> of_traces = add_trace_options(*command, a->trace);
  add_profile(*command, a->profile);
  for (CLI::Option* option : of_traces) option->excludes(command->get_option("--profile"));
  command->get_option("--seed")->needs(command->get_option("--profile"));
  command->add_flag("--json", a->json, "print JSON instead of a table");
  command->callback([a] {
    set_paths(a->trace, a->files);
    show_info(*a);
  });
}

void add_convert(CLI::App& trace) {
  auto a = std::make_shared<ConvertArguments>();
  CLI::App* command = trace.add_subcommand("convert", "write a trace in another format");
  command->add_option("file", a->file, "trace file to read")->type_name("")->required();
  command->add_option("output", a->output.path, "file to write; .gz and .zst are compressed")
      ->type_name("")
      ->required();
  command->add_option("--also", a->others, "a further trace to merge in by time; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  add_trace_options(*command, a->trace);
  add_output_format(*command, a->output);
  command->add_flag("--keep-devices", a->output.keep_devices,
                    "write the devices' numbers, for --devices keep");
  command->callback([a] {
    a->trace.path = a->file;
    a->trace.others = a->others;
    convert(*a);
  });
}

void add_generate(CLI::App& trace) {
  auto a = std::make_shared<GenerateArguments>();
  CLI::App* command =
      trace.add_subcommand("generate", "write a workload profile, or a configuration's workload, as a trace");
  command->add_option("output", a->output.path, "file to write; .gz and .zst are compressed")
      ->type_name("")
      ->required();
  add_config_options(*command, a->config);
  add_profile(*command, a->profile);
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
