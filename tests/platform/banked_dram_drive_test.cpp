// Is a DRAM that goes by addresses the whole drive's: asked about every transfer, with all that it needs, and
// as slow as its rows make it?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "examples/banked_dram/blocks.h"
#include "hw/spec/onfi_commands.h"
#include "tests/support/odd_blocks.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::banked_dram_drive_test {
namespace {

using examples::BankedDramBlocks;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Eight dies on a bus that hardly takes time; pages of 16 KiB, read in 50 us: one each 6.25 us.
constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 8
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 16
pages_per_block = 16
page_size = "16KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "300us"
[bus]
interface = "flat"
ns_per_byte = "10ps"
[host]
mode = "closed"
iodepth = 64
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "read"
bs = "16KiB"
number_ios = 4000
)";
constexpr std::uint64_t kPage = 16384;

platform::Config drive(std::vector<std::string> settings = {}) {
  settings.insert(settings.begin(), "dram.bandwidth=12.8GB/s");
  return configure(std::string(kTimeless) + kDrive, settings);
}

/// A drive with the example's DRAM, and what it has done in the workload.
struct Bench {
  BankedDramBlocks blocks;
  platform::Config config;
  platform::Simulation simulation;
  platform::Summary summary;

  explicit Bench(const char* options, const std::vector<std::string>& settings = {})
      : blocks(options), config(drive(settings)), simulation(config, blocks) {
    summary = run_workload(simulation, config);
    expect_consistent(summary);
  }
  std::uint64_t moved(hw::DramMaster master, bool write) const {
    return blocks.dram().bytes_of(master, write);
  }
};

void expect_us_per_request(const Bench& b, double expected) {
  EXPECT_NEAR(1e6 / b.summary.host.read.iops, expected, 0.02 * expected);
}
void expect_limited_by_dram(const Bench& b) {
  const platform::Limit limit = platform::limit_of(b.summary);
  EXPECT_EQ(limit.resource, "dram");
  EXPECT_GT(limit.use, 0.96);
  EXPECT_LE(limit.use, 1.01);
}

// --- how fast ---

// One bank: each KiB of a page is a row, opened in tRP + tRCD and moved in 80 ns, into DRAM and out of it.
TEST(BankedDram, ReadsAreAsFastAsItsRowMisses) {
  Bench b("banks=1,row=1024,tRP=100,tRCD=100,tRAS=32,tREFI=0");
  expect_us_per_request(b, 2 * 16 * (0.1 + 0.1 + 0.08));
  expect_limited_by_dram(b);
  EXPECT_EQ(b.blocks.dram().statistics().hit_rate(), 0);
}

// tRAS is longer than tRCD and the data.
TEST(BankedDram, ReadsAreAsFastAsRowsMayFollowEachOther) {
  Bench b("banks=1,row=1024,tRP=100,tRCD=100,tRAS=400,tREFI=0");
  expect_us_per_request(b, 2 * 16 * (0.1 + 0.4));
  expect_limited_by_dram(b);
}

TEST(BankedDram, BanksHideTheMissesSoThatTheBusIsLeft) {
  Bench b("banks=16,row=1024,tRP=100,tRCD=100,tRAS=32,tREFI=0", {"dram.bandwidth=1GB/s"});
  expect_us_per_request(b, 2 * 16.384);
  expect_limited_by_dram(b);
}

TEST(BankedDram, ARowThatHoldsAllIsOpenedOnce) {
  Bench b("banks=1,row=536870912,tRP=100,tRCD=100,tREFI=0", {"dram.bandwidth=1GB/s"});
  expect_us_per_request(b, 2 * 16.384);
  EXPECT_EQ(b.blocks.dram().statistics().misses, 1u);
  EXPECT_GE(b.blocks.dram().statistics().hits, 2 * 4000u);
}

TEST(BankedDram, RefreshTakesItsShare) {
  Bench b("banks=16,row=1024,tREFI=4000,tRFC=1000", {"dram.bandwidth=1GB/s"});
  expect_us_per_request(b, 2 * 16.384 / 0.75);
  expect_limited_by_dram(b);
}

// --- who asks for what ---

TEST(BankedDram, SeesThePagesOfReadsOnceFromTheFlashAndOnceToTheHost) {
  Bench b("");
  const std::uint64_t at_boot = b.config.geometry.chips() * onfi::parameter_page::bytes;
  EXPECT_EQ(b.moved(hw::DramMaster::flash, true), 4000 * kPage + at_boot);
  EXPECT_EQ(b.moved(hw::DramMaster::flash, false), 0u);
  EXPECT_EQ(b.moved(hw::DramMaster::host_dma, true), 0u);
  EXPECT_GE(b.moved(hw::DramMaster::host_dma, false), 4000 * kPage) << "and what Identify tells";
  EXPECT_LT(b.moved(hw::DramMaster::host_dma, false), 4004 * kPage);
  EXPECT_EQ(b.moved(hw::DramMaster::core, false), 0u);
}

TEST(BankedDram, SeesThePagesOfWritesOnceFromTheHostAndOnceToTheFlash) {
  Bench b("", {"workload.rw=write", "workload.number_ios=500", "precondition.mode=none"});
  EXPECT_EQ(b.moved(hw::DramMaster::host_dma, true), 500 * kPage);
  const auto& flash = b.simulation.ssd().controllers()[0]->statistics();
  EXPECT_EQ(b.moved(hw::DramMaster::flash, false), flash.page_bytes_in);
  EXPECT_GE(flash.page_bytes_in, 500 * kPage);
}

TEST(BankedDram, SeesTheLinesThatTheCoresCacheMissesAndWritesBack) {
  Bench b("", {"cpu.cache_size=1KiB", "cpu.cache_line=64B", "cpu.cache_ways=1", "workload.rw=randrw",
               "workload.number_ios=1000"});
  const hw::CacheStatistics& cache = b.simulation.ssd().core().statistics().cache;
  EXPECT_GT(cache.misses, 100u);
  EXPECT_GT(cache.written_back, 10u);
  EXPECT_EQ(b.moved(hw::DramMaster::core, false), 64 * cache.misses);
  EXPECT_EQ(b.moved(hw::DramMaster::core, true), 64 * cache.written_back);
}

// --- a DRAM that notes what it is asked ---

/// Memory like ours, with a user's answers.
class AskedDram final : public hw::DramTiming, public hw::DramBlock {
 public:
  using Answer = std::function<TimePs(const hw::DramAccess&)>;
  AskedDram(const sc_core::sc_module_name& name, const hw::DramConfig& config, Answer answer)
      : DramBlock(name, hw::BandwidthPort(static_cast<hw::DramTiming&>(*this))),
        bytes_(config.bytes),
        contents_("contents", config.bytes),
        answer_(std::move(answer)) {
    port.bind(contents_.port);
  }
  bool has_external_events() const override { return false; }
  TimePs access(const hw::DramAccess& access) override { return answer_(access); }
  TimePs busy() const override { return 0; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_;
  hw::Dram contents_;
  Answer answer_;
};

/// As outside of tests: an SC_ERROR ends the simulation.
void let_errors_be_thrown() {
  sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
}

/// What ends a run on a drive with such a DRAM.
std::string complaint(const AskedDram::Answer& answer, const std::vector<std::string>& settings) {
  OddBlocks blocks;
  blocks.dram = [&answer](const char* name, const hw::DramConfig& c) {
    return std::make_unique<AskedDram>(name, c, answer);
  };
  let_errors_be_thrown();
  try {
    const platform::Config config = drive(settings);
    platform::Simulation simulation(config, blocks);
    expect_consistent(run_workload(simulation, config));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// The host reads where the flash has written before, in the same bytes.
void expect_reads_what_was_written(const char* mode) {
  std::vector<hw::DramAccess> all;
  const auto note = [&all](const hw::DramAccess& access) {
    all.push_back(access);
    return access.at;
  };
  const std::vector<std::string> settings{std::string("data.mode=") + mode, "workload.number_ios=20",
                                          "host.iodepth=1"};
  ASSERT_EQ(complaint(note, settings), "");
  std::vector<hw::DramAccess> pages;
  for (const hw::DramAccess& access : all) {
    if (access.bytes == kPage) pages.push_back(access);
  }
  ASSERT_EQ(pages.size(), 40u);
  for (std::size_t i = 0; i < pages.size(); i += 2) {
    EXPECT_EQ(pages[i].master, hw::DramMaster::flash);
    EXPECT_TRUE(pages[i].write);
    EXPECT_EQ(pages[i + 1].master, hw::DramMaster::host_dma);
    EXPECT_FALSE(pages[i + 1].write);
    EXPECT_EQ(pages[i + 1].address, pages[i].address);
    EXPECT_GE(pages[i + 1].at, pages[i].at);
    EXPECT_EQ(pages[i].address % 16, 0u);
  }
}

TEST(DramByAddress, IsAskedForThePlaceOfEveryPage) {
  expect_reads_what_was_written("full");
}

TEST(DramByAddress, IsAskedForThePlaceThatAWholePageWouldHave) {
  expect_reads_what_was_written("tag");
}

TEST(DramByAddress, IsNamedWhenItNeverEnds) {
  EXPECT_THAT(complaint([](const hw::DramAccess&) { return kNever; }, {}),
              HasSubstr("ssd.dram never ends a "));
}

TEST(DramByAddress, IsNamedWhenItEndsBeforeItIsAsked) {
  EXPECT_THAT(complaint([](const hw::DramAccess& a) { return a.at - 1; }, {}),
              AllOf(HasSubstr("ssd.dram ends a "), HasSubstr("for which it was asked")));
}

TEST(DramByAddress, IsNamedWhenItTakesLongerThanThePatienceOfTheDrive) {
  const auto slow = [](const hw::DramAccess& a) {
    const bool page = a.master == hw::DramMaster::flash && a.bytes > onfi::parameter_page::bytes;
    return a.at + (page ? ms(60) : 0);
  };
  EXPECT_THAT(complaint(slow, {"run.timeout=50ms"}),
              AllOf(HasSubstr("ssd.dram has not ended a write of 16384 bytes by the flash side at address"),
                    HasSubstr("for 60000.000 us")));
}

// A queue in front of a transfer is no silence: it ends something all the time.
TEST(DramByAddress, MayHaveMoreBeforeItThanThePatienceOfTheDrive) {
  TimePs free_at = 0;
  const auto slow = [&free_at](const hw::DramAccess& a) { return free_at = std::max(free_at, a.at) + ms(2); };
  EXPECT_EQ(complaint(slow, {"run.timeout=10ms", "workload.number_ios=300", "host.iodepth=64"}), "");
}

// --- what it must not change ---

/// Our memory behind a socket that grants no pointer.
class FarDram final : public hw::DramBlock, private hw::BlockingTarget<> {
 public:
  explicit FarDram(const sc_core::sc_module_name& name) : DramBlock(name, hw::BandwidthPort()) {
    port.bind(*this);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

TEST(DramBlock, ThatGrantsNoPointerIsNamed) {
  OddBlocks blocks;
  blocks.dram = [](const char* name, const hw::DramConfig&) { return std::make_unique<FarDram>(name); };
  let_errors_be_thrown();
  std::string error;
  try {
    platform::Simulation simulation(drive(), blocks);
    simulation.prepare();
  } catch (const std::exception& caught) {
    error = caught.what();
  }
  EXPECT_THAT(error, HasSubstr("ssd.dram must grant DMI for reading and writing from address 0"));
}

/// All bytes, with garbage collection; every read is verified.
TEST(BankedDram, KeepsTheDataOfADriveThatCollects) {
  Bench b("row=2048", {"data.mode=full", "workload.rw=randrw", "workload.number_ios=2000",
                       "ftl.over_provisioning=20%", "cpu.run_ahead=1ms"});
  EXPECT_GT(b.summary.host.verify_checked, 100u);
  EXPECT_GT(b.summary.nand.erases_native, 0u);
  EXPECT_TRUE(b.simulation.ssd().run_ahead().allowed());
}

} // namespace
} // namespace twinplane::test::banked_dram_drive_test
