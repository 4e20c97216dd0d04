// Does the firmware bring the targets up as a real drive does: reset, ID, parameter page and timing mode over
// the buses, in the time that these take, and does it refuse parts that are not those of its configuration?
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "firmware/ftl/bring_up/parameter_page.h"
#include "hw/nand/target_registers.h"
#include "hw/spec/bus_interfaces.h"
#include "platform/config/convert.h"
#include "platform/ssd/hardware_config.h"
#include "tests/platform/model_bench.h"
#include "tests/support/blocks_bench.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::bring_up_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 4
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 40
pages_per_block = 24
[nand]
cell = "mlc"
tR = ["50us", "70us"]
[bus]
interface = "nv-ddr2"
mode = 8
monitor = true
)";

// --- in which time ---

/// Command and address that make the target busy, the answer behind that, and the status that asks whether an
/// operation has failed: until the last byte.
TimePs asked(const BusTiming& b) {
  return b.tCS + 2 * b.tWC + b.tWB;
}
TimePs answered(const BusTiming& b, std::uint32_t bytes) {
  return b.tCS + b.tRR + b.tRPRE + b.tDQSRE + b.data_out.of(bytes);
}
TimePs status(const BusTiming& b) {
  return b.tCS + b.tWC + b.tWHR + b.tRPRE + b.tDQSRE + b.data_out.of(b.ddr ? 2 : 1);
}

/// What a drive with one chip on each channel takes. After data out the bus turns round before the next
/// command.
struct Expected {
  Expected(const BusTiming& before, const BusTiming& first, const BusTiming& then, const ArrayTiming& array,
           std::uint32_t copies = 1) {
    const std::uint32_t edges = first.ddr ? 2 : 1;
    reset = before.tCS + before.tWC + before.tWB + array.tRST_idle + status(first);
    const TimePs id = first.tCS + 2 * first.tWC + first.tWHR + first.tRPRE + first.tDQSRE;
    read_id = 2 * (turn(first) + id + first.data_out.of(8 * edges));
    for (std::uint32_t n = 1; n <= copies; ++n)
      parameter_page += turn(first) + asked(first) + array.tR[0] + answered(first, 256 * n);
    const TimePs set = first.tCS + 2 * first.tWC + first.tADL + first.data_in.of(4 * edges);
    timing_mode = turn(first) + set + then.tWB + array.tFEAT + status(then) + turn(then) + asked(then) +
                  array.tFEAT + answered(then, 4 * (then.ddr ? 2 : 1));
  }
  static TimePs turn(const BusTiming& b) { return std::max(b.tRHW, b.tRPST + b.tRPSTH); }
  TimePs reset = 0, read_id = 0, parameter_page = 0, timing_mode = 0;
};

void expect_times(const fw::BringUpTimes& times, const Expected& expected) {
  EXPECT_EQ(times.reset_ps, expected.reset);
  EXPECT_EQ(times.read_id_ps, expected.read_id);
  EXPECT_EQ(times.parameter_page_ps, expected.parameter_page);
  EXPECT_EQ(times.timing_mode_ps, expected.timing_mode);
}

class BringUp : public ::testing::Test {
 protected:
  void boot(const std::vector<std::string>& settings) {
    config = configure(std::string(kTimeless) + kDrive, settings);
    bench = std::make_unique<ModelBench>("bench", config);
    bench->boot();
    ASSERT_TRUE(bench->ssd.firmware().booted()) << bench->ssd.firmware().boot_error();
    for (const auto& package : bench->ssd.packages()) {
      const hw::NandStatistics nand = package->statistics();
      EXPECT_EQ(std::accumulate(nand.violations.begin(), nand.violations.end(), std::uint64_t{0}), 0u);
    }
  }
  const fw::BringUpTimes& times() const { return bench->ssd.firmware().window().bring_up(); }
  ArrayTiming array() const { return platform::to_array_timing(config); }
  platform::Config config;
  std::unique_ptr<ModelBench> bench;
};

TEST_F(BringUp, TakesTheTimeOfItsCommandsAtModeZeroAndThenAtTheOneThatIsSet) {
  boot({});
  expect_times(times(), {timing::nv_ddr(8), timing::sdr(0), timing::nv_ddr(8), array()});
  EXPECT_EQ(times().marks_ps, 0u);
  EXPECT_EQ(hw::kernel_now(),
            times().reset_ps + times().read_id_ps + times().parameter_page_ps + times().timing_mode_ps);
}

TEST_F(BringUp, StaysAtTheInterfaceThatTheSupplyAsksFor) {
  boot({"bus.interface=nv-ddr3", "bus.mode=10"});
  const BusTiming bus = platform::to_bus_timing(config);
  expect_times(times(), {bus, bus, bus, array()});
}

TEST_F(BringUp, ReadsTheNextCopyOfAParameterPageWhoseCrcIsWrong) {
  boot({"nand.fail.parameter_page=1"});
  expect_times(times(), {timing::nv_ddr(8), timing::sdr(0), timing::nv_ddr(8), array(), 2});
}

TEST_F(BringUp, ReadsTheLastCopyWhereTheOthersAreWrong) {
  boot({"nand.fail.parameter_page=2"});
  expect_times(times(), {timing::nv_ddr(8), timing::sdr(0), timing::nv_ddr(8), array(), 3});
}

TEST_F(BringUp, SetsNoModeOfAnInterfaceThatHasNone) {
  boot({"bus.interface=flat", "bus.mode=0"});
  EXPECT_EQ(times().timing_mode_ps, 0u);
  EXPECT_GT(times().parameter_page_ps, us(50));
}

TEST_F(BringUp, PollsWhereReadyBusyIsNotLookedAt) {
  boot({"bus.ready=poll"});
  const Expected pins(timing::nv_ddr(8), timing::sdr(0), timing::nv_ddr(8), array());
  EXPECT_EQ(times().read_id_ps, pins.read_id);
  EXPECT_GT(times().parameter_page_ps, pins.parameter_page);
  EXPECT_LT(times().parameter_page_ps, pins.parameter_page + us(4));
}

/// Chips of a channel share the bus for their answers, and their arrays work side by side.
TEST_F(BringUp, WaitsForTheBusOnceForEachChipOfAChannel) {
  boot({"geometry.chips_per_channel=3", "geometry.dies_per_chip=2"});
  const TimePs page = answered(timing::sdr(0), 256);
  EXPECT_GT(times().parameter_page_ps, us(50) + 3 * page);
  EXPECT_LT(times().parameter_page_ps, us(50) + 3 * page + us(3));
}

// --- what is refused ---

class OtherParts final : public platform::BlockFactory {
 public:
  explicit OtherParts(void (*change)(hw::NandConfig&)) : change_(change) {}
  std::unique_ptr<hw::PackageBlock> make_package(const char* name, const hw::NandConfig& config) override {
    hw::NandConfig other = config;
    if (config.channel == 1 && config.chip == 1) change_(other);
    return std::make_unique<hw::Package>(name, other);
  }

 private:
  void (*change_)(hw::NandConfig&);
};

TEST(BringUpRefusal, NamesThePartAndWhatDiffers) {
  expect_reports("twinplane.firmware");
  OtherParts blocks([](hw::NandConfig& part) {
    part.geometry.pages_per_block = 96;
    part.page_order = nullptr;
  });
  EXPECT_EQ(complaint(blocks),
            "firmware refuses to boot (boot the flash translation layer): channel 1 chip 1: pages per block: "
            "found 96, expected 48");
}

TEST(BringUpRefusal, ComesWhenNoCopyOfAParameterPageIsRight) {
  expect_reports("twinplane.firmware");
  OtherParts blocks([](hw::NandConfig& part) { part.faults.parameter_pages = 3; });
  EXPECT_EQ(complaint(blocks),
            "firmware refuses to boot (boot the flash translation layer): channel 1 chip 1: copies of the "
            "parameter page whose CRC is right: found 0, expected 1");
}

/// The part of a configuration, and the name of the first field that the firmware finds different.
std::string found(const hw::NandConfig& part, const fw::FtlConfig& config) {
  const std::vector<std::uint8_t> pages = hw::make_parameter_page(part);
  const fw::Refusal::Field field = fw::compare(pages.data(), config);
  return field.name == nullptr ? "" : field.name;
}

TEST(BringUpPage, IsComparedFieldByField) {
  platform::Config c = configure(kDrive, {"geometry.dies_per_chip=2"});
  const fw::FtlConfig wanted = platform::to_ftl_config(c);
  const hw::NandConfig part = platform::to_nand_config(c, 0, 0, nullptr);
  EXPECT_EQ(found(part, wanted), "");
  const auto with = [&](void (*change)(Geometry&)) {
    hw::NandConfig other = part;
    change(other.geometry);
    return found(other, wanted);
  };
  EXPECT_EQ(with([](Geometry& g) { g.page_size *= 2; }), "data bytes per page");
  EXPECT_EQ(with([](Geometry& g) { g.spare_size += 1; }), "spare bytes per page");
  EXPECT_EQ(with([](Geometry& g) { g.pages_per_block *= 2; }), "pages per block");
  EXPECT_EQ(with([](Geometry& g) { g.blocks_per_plane += 1; }), "blocks per LUN");
  EXPECT_EQ(with([](Geometry& g) { g.dies_per_chip = 1; }), "LUNs");
  EXPECT_EQ(with([](Geometry& g) { g.cell = CellType::slc; }), "bits per cell");
  EXPECT_EQ(with([](Geometry& g) { g.planes_per_die = 4, g.blocks_per_plane /= 2; }), "plane address bits");
}

TEST(BringUpPage, HasToOfferWhatTheFirmwareUses) {
  namespace pp = onfi::parameter_page;
  platform::Config c = configure(kDrive, {"ftl.copyback=unchecked", "nand.copybacks=255"});
  const fw::FtlConfig wanted = platform::to_ftl_config(c);
  const std::vector<std::uint8_t> whole = hw::make_parameter_page(platform::to_nand_config(c, 0, 0, nullptr));
  const auto without = [&](std::size_t byte, std::uint32_t bit, const fw::FtlConfig& config) {
    std::vector<std::uint8_t> page = whole;
    page[byte] = static_cast<std::uint8_t>(page[byte] & ~(1u << bit));
    const fw::Refusal::Field field = fw::compare(page.data(), config);
    return std::string(field.name == nullptr ? "" : field.name);
  };
  EXPECT_EQ(without(pp::features, 3, wanted), "multi-plane program and erase");
  EXPECT_EQ(without(pp::features, 6, wanted), "multi-plane read");
  EXPECT_EQ(without(pp::optional_commands, 2, wanted), "set and get features");
  EXPECT_EQ(without(pp::optional_commands, 3, wanted), "read status enhanced");
  EXPECT_EQ(without(pp::optional_commands, 4, wanted), "copyback");
  EXPECT_EQ(without(pp::nvddr2_modes_high, 0, wanted), "support of the timing mode") << "mode 8";
  EXPECT_EQ(without(pp::nvddr2_modes, 0, wanted), "") << "another mode";
  fw::FtlConfig other = wanted;
  other.bus_interface = fw::BusInterface::sdr;
  other.bus_mode = 5;
  EXPECT_EQ(without(pp::sdr_modes, 5, other), "support of the timing mode");
  other.bus_interface = fw::BusInterface::nv_ddr;
  EXPECT_EQ(without(pp::nvddr_modes, 5, other), "support of the timing mode");
  other = wanted;
  other.copybacks = 0;
  EXPECT_EQ(without(pp::optional_commands, 4, other), "") << "it is not used";
}

TEST(BringUpPage, NamesTheModeAsFeature01hDoes) {
  fw::FtlConfig c;
  c.bus_interface = fw::BusInterface::sdr, c.bus_mode = 5;
  EXPECT_EQ(fw::timing_parameter(c), 0x05u);
  c.bus_interface = fw::BusInterface::nv_ddr;
  EXPECT_EQ(fw::timing_parameter(c), 0x15u);
  c.bus_interface = fw::BusInterface::nv_ddr2, c.bus_mode = 8;
  EXPECT_EQ(fw::timing_parameter(c), 0x28u);
  c.bus_interface = fw::BusInterface::nv_ddr3, c.bus_mode = 19;
  EXPECT_EQ(fw::timing_parameter(c), 0xA3u);
  c.bus_interface = fw::BusInterface::nv_lpddr4, c.bus_mode = 20;
  EXPECT_EQ(fw::timing_parameter(c), 0xB4u);
}

} // namespace
} // namespace twinplane::test::bring_up_test
