#include "platform/cli/run.h"

#include <functional>
#include <systemc>

#include "platform/cli/command_line.h"
#include "platform/session/run.h"
#include "platform/session/session_file.h"

namespace twinplane::cli {

namespace {

using Run = std::function<int(const platform::RunOptions&)>;

int with_reports(int argc, const char* const* argv, const Run& run) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  // A run tells of these itself, as the last thing it says.
  sc_core::sc_report_handler::set_actions("twinplane.firmware", sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
  return platform::command_line(
      argc, argv,
      {run, [](const platform::ServeOptions& o) { return platform::serve_drive(o); },
       [](const std::string& file) { return platform::RecordedSession(file).config(); },
       platform::limits_of});
}

} // namespace

int run(int argc, const char* const* argv) {
  return with_reports(argc, argv, [](const platform::RunOptions& o) { return platform::run_simulation(o); });
}

int run(int argc, const char* const* argv, platform::BlockFactory& factory) {
  return with_reports(argc, argv, [&factory](const platform::RunOptions& options) {
    return platform::run_simulation(options, factory);
  });
}

} // namespace twinplane::cli
