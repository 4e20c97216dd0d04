// A drive as what is kept of it, in memory: to be changed, and loaded from a file whose checksum is right.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/config/export.h"
#include "platform/config/loader.h"
#include "platform/session/drive_state.h"
#include "platform/session/simulation.h"
#include "platform/session/state_file.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"

namespace twinplane::test {

constexpr const char* kKeptDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 12
page_size = "8KiB"
spare_size = "448B"
sector_size = "512B"
[nand]
cell = "mlc"
[ftl]
over_provisioning = "50%"
[host]
mode = "closed"
queues = 1
queue_size = 8
iodepth = 7
[precondition]
mode = "fill"
fill = "100%"
overwrite = "80%"
[workload]
rw = "randrw"
number_ios = 60
[run]
timeout = "50ms"
)";

/// Drives that keep what others do not.
constexpr const char* kKeptDrives[] = {
    "[bus]\nmonitor = true\n",
    "[nand.errors]\nreading = \"drawn\"\n[ftl]\ncopyback = \"checked\"\ncopyback_limit = 2\n",
    "[ftl]\npolicy = \"d+tbm\"\n",
    "[nand]\ncell = \"tlc\"\n[ftl]\npolicy = \"pa-ssd\"\n",
    "[nand]\ncell = \"tlc\"\n[ftl]\npolicy = \"pa-twin\"\n",
    "[ftl]\npolicy = \"broms\"\n",
    "[ftl]\npolicy = \"combo\"\nregions = \"combo_logs\"\ncold_age = 1\n",
    "[geometry]\nsubpages_per_page = 4\n[nand]\npartial_programs = 4\n[ftl]\npolicy = "
    "\"ipu\"\n[slc_cache]\nshare = \"20%\"\n"
    "[workload]\nbssplit = \"2k/60:8k/40\"\n",
    "[geometry]\nsubpages_per_page = 4\n[nand]\npartial_programs = 4\n[ftl]\npolicy = "
    "\"mga\"\n[slc_cache]\nshare = \"20%\"\n"
    "eviction = \"packed\"\n",
    "[power]\nhold_up = 0\n[ftl]\ncheckpoint_interval = 100\nover_provisioning = \"60%\"\n[workload]\nfsync "
    "= 9\n",
    "[data]\nmode = \"full\"\n[ftl]\nvictim = \"fifo\"\nwear_gap = 2\n",
};

inline platform::Config kept_config(const char* more) {
  platform::ConfigLoader loader;
  loader.add_text(kKeptDrive, "drive");
  loader.add_text(more, "more");
  return loader.finish().config;
}

class DriveRecord final : public StateVisitor {
 public:
  struct Section {
    std::string name;
    std::size_t begin = 0; // of its content
    std::size_t end = 0;
  };

  DriveRecord() = default;
  /// Of a drive that has been run with StateFiles::keeps_end.
  explicit DriveRecord(platform::Simulation& simulation) {
    platform::PreconditionResult result = simulation.preconditioned();
    platform::serialise(*this, result);
    platform::serialise(*this, simulation.ssd());
    simulation.host().serialise(*this);
  }

  bool loading() const override { return false; }
  void section(const char* name) override {
    bytes(const_cast<char*>(name), std::char_traits<char>::length(name) + 1); // only read
    sections.push_back({name, content.size(), content.size()});
  }
  void bytes(void* data, std::size_t size) override {
    const auto* const from = static_cast<const std::uint8_t*>(data);
    content.insert(content.end(), from, from + size);
    if (!sections.empty()) sections.back().end = content.size();
  }
  [[noreturn]] void refuse(const char* why) override { throw std::logic_error(why); }

  /// As a file of a saved drive.
  void write(const std::string& path, const platform::Config& config) {
    platform::StateSaver saver(path, platform::to_json(config).dump());
    saver.bytes(content.data(), content.size());
    saver.complete();
  }

  std::vector<std::uint8_t> content;
  std::vector<Section> sections;
};

/// Prepares the drive and plays its workload.
inline void prepare_and_run(platform::Simulation& simulation, const platform::Config& config,
                            const platform::Simulation::StateFiles& files) {
  simulation.prepare(nullptr, files);
  const auto source =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  simulation.run(*source, "workload");
}

} // namespace twinplane::test
