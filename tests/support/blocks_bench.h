// A small drive, to be built with blocks of other authors, and what ends its run.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "platform/config/loader.h"
#include "platform/session/run.h"
#include "platform/session/simulation.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"

namespace twinplane::test {

constexpr const char* kBlocksDrive = R"(
[geometry]
channels = 2
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 48
[cpu]
run_ahead = "1ms"
[host]
mode = "closed"
[workload]
rw = "randwrite"
bs = "16KiB"
number_ios = 2000
[run]
timeout = "50ms"
)";

inline platform::Config config_of(const std::string& more = "") {
  platform::ConfigLoader loader;
  loader.add_text(kBlocksDrive, "drive");
  if (!more.empty()) loader.add_text(more, "more");
  return loader.finish().config;
}

/// As outside of tests: an SC_ERROR ends the simulation.
inline void throw_errors(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING) ADD_FAILURE() << report.what();
  sc_core::sc_report_handler::default_handler(report, actions);
}

/// Builds, fills and runs the drive; returns what ended it, or nothing.
inline std::string complaint(platform::BlockFactory& blocks, const platform::Config& config = config_of()) {
  try {
    platform::Simulation simulation(config, blocks);
    simulation.prepare();
    const auto source =
        platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
    simulation.run(*source, "workload");
    return platform::verdict(simulation, simulation.summary()) == 0 ? "" : "a verdict";
  } catch (const std::exception& error) {
    return error.what();
  }
}

} // namespace twinplane::test
