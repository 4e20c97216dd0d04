// Can the map of subpages of a whole drive be found again by its flash alone? After a run every page is read
// through the controllers, in the mode in which its block answers, and the newest word of each subpage is
// held against the firmware's map.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "firmware/ftl/core.h"
#include "hw/spec/registers.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"
#include "tests/support/sc_reports.h"
#include "tests/support/subpage_scan.h"

namespace twinplane::test::subpage_words_drive_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 24
pages_per_block = 24
[nand]
cell = "tlc"
[bus]
monitor = true
[ftl]
over_provisioning = "40%"
[slc_cache]
share = "15%"
[precondition]
mode = "fill"
fill = "70%"
[host]
mode = "closed"
iodepth = 8
[workload]
rw = "randwrite"
bssplit = "4k/70:8k/20:16k/10"
number_ios = 12000
)";

class Cells {
 public:
  explicit Cells(platform::Simulation& simulation) : simulation_(simulation) {
    payload_.set_address(reg::flash::functional);
    payload_.set_extension(&flash_);
  }
  ~Cells() { payload_.clear_extension(&flash_); }

  std::array<std::uint64_t, fw::kMaxUnits> words{}; // of the page read last

  std::uint8_t read(const Ppa& at, bool slc) {
    const Geometry& g = simulation_.ssd().config().geometry;
    FlashDescriptor& d = flash_.descriptor;
    d.op = static_cast<std::uint8_t>(FlashOp::read);
    d.flags = static_cast<std::uint8_t>(flash_flag::oob_words | (slc ? flash_flag::slc_mode : 0));
    d.chip = static_cast<std::uint8_t>(at.die % g.dies_per_channel() / g.dies_per_chip);
    d.row = RowLayout(g).row(at.die % g.dies_per_chip, at.plane, at.block, at.page);
    flash_.words = words.data();
    hw::ControllerBlock& controller = *simulation_.ssd().controllers()[at.die / g.dies_per_channel()];
    controller.regs.get_base_export()->transport_dbg(payload_);
    return flash_.completion.result;
  }

 private:
  platform::Simulation& simulation_;
  hw::FunctionalFlash flash_;
  tlm::tlm_generic_payload payload_;
};

class SubpageWordsDrive : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(SubpageWordsDrive, FindEverySubpage) {
  const platform::Config config = configure(kDrive, GetParam());
  platform::Simulation simulation(config);
  const platform::Summary s = run_workload(simulation, config);
  expect_consistent(s);
  EXPECT_GT(s.ftl.counters.cache.evicted_pages, 500u);
  EXPECT_GT(s.ftl.counters.regions[fw::kNative].erases, 20u);

  expect_reports("twinplane.nand"); // a read in the other mode is refused, as the monitor says it must be
  expect_reports("twinplane.monitor");
  const Geometry& g = config.geometry;
  const fw::SlcCache& cache = *simulation.ssd().firmware().firmware().ftl().core().state.policy.cache;
  const std::uint32_t pages = static_cast<std::uint32_t>(simulation.exported_bytes() / g.page_size);
  SubpageScan scan(cache, pages);
  const RowLayout rows(g);
  Cells cells(simulation);
  for (std::uint32_t die = 0; die < g.dies(); ++die) {
    for (std::uint32_t i = 0; i < g.planes_per_die * g.blocks_per_plane; ++i) {
      Ppa at{die, i / g.blocks_per_plane, i % g.blocks_per_plane, 0};
      const bool slc = (cells.read(at, false) & flash_result::uncorrectable) != 0;
      const std::uint32_t count = slc ? g.pages_per_block / 3 : g.pages_per_block;
      for (at.page = 0; at.page < count; ++at.page) {
        const std::uint8_t result = cells.read(at, slc);
        ASSERT_EQ(result & ~flash_result::blank, 0u) << "die " << die << " block " << at.block;
        if (result == 0) scan.add(rows.ppn(at), cells.words.data());
      }
    }
  }
  std::uint64_t found = 0;
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) {
    for (std::uint32_t subpage = 0; subpage < cache.units->map.units(); ++subpage) {
      const fw::Pun pun = cache.units->map.at(lpn, subpage);
      ASSERT_EQ(scan.at(lpn, subpage), pun) << "LPN " << lpn << " subpage " << subpage;
      found += pun == fw::kNoPun ? 0 : 1;
    }
  }
  EXPECT_GT(found, pages * cache.units->map.units() / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Each, SubpageWordsDrive,
    ::testing::Values(std::vector<std::string>{"ftl.policy=slc_cache"},
                      std::vector<std::string>{"ftl.policy=mga"},
                      std::vector<std::string>{"ftl.policy=mga", "slc_cache.eviction=packed"},
                      std::vector<std::string>{"ftl.policy=ipu"},
                      std::vector<std::string>{"ftl.policy=slc_cache", "nand.partial_programs=1"},
                      std::vector<std::string>{"ftl.policy=ipu", "slc_cache.update=union",
                                               "geometry.subpages_per_page=2"}),
    parameter_name);

} // namespace
} // namespace twinplane::test::subpage_words_drive_test
