// A block of another author in a drive (--blocks) that breaks its contract: answers, delays, times, data,
// registers, exceptions. Whatever it does, the run ends by itself, and what ends it says whose fault it was.
//
// An input is the kind of block, whether a monitor watches the bus, and what the block does at which of its
// calls. Each has a drive of its own.
#include <string>
#include <systemc>

#include "platform/config/loader.h"
#include "platform/fw_host/firmware_process.h"
#include "platform/session/run.h"
#include "platform/session/simulation.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"
#include "tests/fuzz/rogue_blocks.h"
#include "tests/support/fresh_kernel.h"

namespace {

using namespace twinplane;

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 8
pages_per_block = 12
page_size = "8KiB"
spare_size = "448B"
[ftl]
over_provisioning = "60%"
[host]
mode = "closed"
queues = 1
queue_size = 8
iodepth = 7
[workload]
rw = "randrw"
bs = "16KiB"
number_ios = 60
[run]
timeout = "50ms"
)";

platform::Config config_of(const char* more) {
  platform::ConfigLoader loader;
  loader.add_text(kDrive, "drive");
  loader.add_text(more, "more");
  return loader.finish().config;
}

/// Of what ends a run early: a text that says where to look.
void judge(const std::exception& error, const fuzz::Rogue& rogue) {
  const std::string text = error.what();
  const auto says = [&text](const char* what) { return text.find(what) != std::string::npos; };
  const bool named = says(rogue.name) || says("ssd") || says("firmware refuses to boot");
  fuzz::claim(named, ("an error names the block or the drive, not: " + text).c_str());
  const bool unknown = text.find("UNKNOWN EXCEPTION") != std::string::npos;
  fuzz::claim(!unknown, ("an exception that is none has a name: " + text).c_str());
}

void run(const platform::Config& config, platform::BlockFactory& blocks) {
  platform::Simulation simulation(config, blocks);
  simulation.prepare();
  const auto source =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  simulation.run(*source, "workload");
  (void)platform::verdict(simulation, simulation.summary());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const platform::Config kPlain = config_of("");
  static const platform::Config kWatched = config_of("[bus]\nmonitor = true\n[nand]\nfactory_bad = \"3%\"\n");
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  fuzz::Bytes bytes(data, size);
  const auto kind = bytes.take<std::uint8_t>();
  const fuzz::Rogue& rogue = fuzz::kRogues[kind / 2 % std::size(fuzz::kRogues)];
  fuzz::Mischief mischief(bytes);
  test::OddBlocks blocks;
  rogue.make(blocks, mischief);
  const test::FreshKernel kernel;
  try {
    run(kind % 2 == 0 ? kPlain : kWatched, blocks);
  } catch (const platform::FirmwarePanic&) { // in boot; a later one is the verdict's
  } catch (const std::exception& error) {
    judge(error, rogue);
  }
  return 0;
}
