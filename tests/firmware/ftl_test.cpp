// The rest of the contract of the FTL: boot, order of writes, trim, read-modify-write, counters,
// preconditioning, failures.
#include "firmware/ftl/ftl.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_test {
namespace {

constexpr std::uint32_t kSectors = 4; // per page of small_drive()

// --- boot ---

struct Refusal {
  const char* key;
  void (*spoil)(fw::FtlConfig&);
};

TEST(Boot, NamesTheKeyOfAnImpossibleConfiguration) {
  const Refusal refusals[] = {
      {"ftl.over_provisioning", [](fw::FtlConfig& c) { c.over_provisioning = 1.0; }},
      {"ftl.over_provisioning", [](fw::FtlConfig& c) { c.over_provisioning = -0.1; }},
      {"ftl.gc_threshold", [](fw::FtlConfig& c) { c.gc_threshold_blocks = 1; }},
      {"ftl.gc_threshold", [](fw::FtlConfig& c) { c.gc_threshold_blocks = 16; }},
      {"geometry.blocks_per_plane", [](fw::FtlConfig& c) { c.geometry.blocks_per_plane = 3; }},
      {"geometry.channels", [](fw::FtlConfig& c) { c.geometry.channels = 65; }},
      {"geometry.planes_per_die", [](fw::FtlConfig& c) { c.geometry.planes_per_die = 9; }},
      {"geometry.page_size", [](fw::FtlConfig& c) { c.geometry.page_size = 3 * c.geometry.sector_size; }},
      {"geometry.pages_per_block", [](fw::FtlConfig& c) { c.geometry.cell = CellType::tlc; }},
      {"nand.program_order",
       [](fw::FtlConfig& c) {
         c.geometry.cell = CellType::mlc;
         c.program_order = ProgramOrder::slc;
       }},
      {"ftl.victim_d", [](fw::FtlConfig& c) { c.victim_d = 0; }},
      {"ftl.write_buffer", [](fw::FtlConfig& c) { c.write_buffer_pages = 8; }},
      {"ftl.scheduling", [](fw::FtlConfig& c) { c.scheduling = "none"; }},
  };
  for (const Refusal& r : refusals) {
    FtlBenchConfig c = small_drive();
    r.spoil(c.ftl);
    FtlBench b(c);
    ASSERT_NE(b.error(), nullptr) << r.key;
    EXPECT_EQ(std::string(b.error()).find(r.key), 0u) << b.error();
  }
}

TEST(Boot, SaysWhenDramIsTooSmall) {
  FtlBenchConfig c = small_drive();
  c.dram_bytes = 4096 * 32 + 512;
  EXPECT_EQ(std::string(FtlBench(c).error()).find("dram.size"), 0u);
}

TEST(Boot, ExportsWhatOverProvisioningLeaves) {
  FtlBench b(small_drive());
  const double raw = static_cast<double>(b.ftl().state.config.geometry.pages() * kSectors);
  EXPECT_LE(static_cast<double>(b.sectors()), raw * 0.7);
  EXPECT_GT(static_cast<double>(b.sectors()), raw * 0.69);
}

TEST(Boot, NeedsFourBytesAndABitPerPageOfALargeDrive) {
  FtlBenchConfig c = small_drive();
  c.check_data = false;
  c.ftl.geometry.blocks_per_plane = 512;
  c.ftl.geometry.pages_per_block = 256;
  c.ftl.data_mode = DataMode::none;
  FtlBench b(c);
  const double per_page =
      static_cast<double>(b.hal().boot_bytes()) / static_cast<double>(b.ftl().state.config.geometry.pages());
  EXPECT_LT(per_page, 4.0 * 0.7 + 1.0 / 8 + 0.83); // map, bitmap, blocks and pools, commands of 32 pages
}

/// The facade that the rest of the firmware sees.
class Sink final : public fw::RequestSink {
 public:
  void on_request_done(fw::Request& /*request*/) override { ++done; }
  int done = 0;
};

TEST(Boot, WorksThroughTheFacade) {
  SimHalConfig hc;
  hc.geometry = small_drive().ftl.geometry;
  SimHal hal(hc);
  fw::HostPort host;
  host.boot(hal, 0, 64);
  fw::FtlConfig config = small_drive().ftl;
  config.dram_base = static_cast<std::uint32_t>(fw::HostPort::dram_bytes(64));
  fw::Ftl ftl;
  Sink sink;
  ASSERT_EQ(ftl.boot(hal, host, config, sink), nullptr);
  fw::Request write;
  write.kind = fw::RequestKind::write;
  write.sectors = kSectors;
  ftl.submit(write);
  EXPECT_FALSE(ftl.idle());
  for (bool more = true; more;) {
    ftl.pump();
    host.kick();
    more = hal.step();
    for (std::uint64_t irqs = hal.take_irqs(); irqs != 0; irqs &= irqs - 1)
      ftl.on_flash_irq(fw::lowest_bit(irqs));
  }
  EXPECT_EQ(sink.done, 1);
  EXPECT_TRUE(ftl.idle());
  EXPECT_EQ(ftl.statistics().program_pages, 1u);
}

// --- writes ---

TEST(Writes, ToOneLpnTakeEffectInOrderOfArrival) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    FtlBenchConfig c = small_drive();
    c.shuffle = true;
    c.seed = seed;
    c.ftl.plane_allocation = "F"; // versions go to different dies
    FtlBench b(c);
    for (std::uint32_t i = 0; i < 8; ++i) b.write(i % 2, i % 3 == 0 ? kSectors : 2);
    b.settle();
    b.read(0, kSectors + 2); // all versions are complete: only the newest is allowed
    b.settle();
    if (HasFatalFailure()) return;
  }
}

TEST(Writes, OfPartOfAPageReadOnlyTheOtherSectors) {
  FtlBench b(small_drive());
  b.write(0, kSectors);
  b.settle();
  b.write(1, 2);
  b.settle();
  b.read(0, kSectors);
  b.settle();
  EXPECT_EQ(b.statistics().rmw_reads, 1u);
  EXPECT_EQ(b.statistics().pages_programmed[static_cast<int>(fw::ProgramCause::partial_rmw)], 1u);
  EXPECT_EQ(b.statistics().pages_programmed[static_cast<int>(fw::ProgramCause::host)], 1u);
}

TEST(Writes, OfPartOfAnUnmappedPageReadNothingAndStoreZeros) {
  FtlBench b(small_drive());
  b.write(1, 1);
  b.settle();
  b.read(0, kSectors);
  b.settle();
  EXPECT_EQ(b.statistics().rmw_reads, 0u);
}

TEST(Writes, AreProgrammedElsewhereWhenAPageFails) {
  FtlBench b(small_drive());
  b.hal().flash().fail_program(1);
  b.write(0, kSectors);
  b.settle();
  EXPECT_EQ(b.last_status(), nvme::status::success);
  EXPECT_EQ(b.statistics().flash_failures, 1u);
  EXPECT_EQ(b.hal().flash().programs(), 2u);
  b.read(0, kSectors);
  b.settle();
  EXPECT_EQ(b.last_status(), nvme::status::success);
}

TEST(Writes, ReportAFaultWhenTheFlashFailsAgainAndAgain) {
  FtlBench b(small_drive());
  b.hal().flash().fail_program(1, fw::kProgramTries);
  b.write(0, kSectors);
  b.settle();
  EXPECT_EQ(b.last_status(), nvme::status::write_fault);
  EXPECT_EQ(b.statistics().flash_failures, fw::kProgramTries);
  b.write(0, kSectors);
  b.settle();
  EXPECT_EQ(b.last_status(), nvme::status::success);
}

TEST(Writes, AreKeptThroughAFailureOfTheWriteBack) {
  FtlBenchConfig c = small_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 4;
  FtlBench b(c);
  b.hal().flash().fail_program(1);
  b.write(0, kSectors);
  b.flush();
  b.settle();
  b.read(0, kSectors);
  b.settle();
  EXPECT_EQ(b.hal().flash().programs(), 2u);
}

// --- trim, write zeroes ---

TEST(Trim, MakesWholePagesUnmappedAndLeavesPartsAlone) {
  FtlBench b(small_drive());
  b.write(0, 3 * kSectors);
  b.settle();
  b.trim(2, 2 * kSectors); // covers page 1 wholly, pages 0 and 2 in part
  b.settle();
  EXPECT_EQ(b.statistics().pages_trimmed, 1u);
  EXPECT_EQ(b.statistics().valid_pages, 2u);
  b.read(0, 3 * kSectors);
  b.settle();
}

TEST(Trim, OfTheWholeDriveFreesEverything) {
  FtlBench b(small_drive());
  for (std::uint64_t lba = 0; lba + 64 <= b.sectors(); lba += 64) {
    while (b.free_slots() == 0) b.step();
    b.write(lba, 64);
  }
  b.settle();
  for (std::uint64_t lba = 0; lba < b.sectors(); lba += 64) {
    while (b.free_slots() == 0) b.step();
    b.trim(lba, static_cast<std::uint32_t>(std::min<std::uint64_t>(64, b.sectors() - lba)));
  }
  b.settle();
  EXPECT_EQ(b.statistics().valid_pages, 0u);
  b.check_all(true);
}

TEST(WriteZeroes, ReadBackAsZerosInPartAndWhole) {
  FtlBench b(small_drive());
  b.write(0, 3 * kSectors);
  b.write_zeroes(2, 2 * kSectors);
  b.read(0, 3 * kSectors);
  b.settle();
  b.read(0, 3 * kSectors);
  b.settle();
  EXPECT_EQ(b.statistics().valid_pages, 2u);
}

// --- reads into the device (compare) ---

TEST(DeviceReads, LeaveTheDataInDramPackedAndZeroWhereUnmapped) {
  FtlBench b(small_drive());
  b.write(4, 2); // page 1: two written sectors, two zero ones; page 2 unmapped
  b.settle();
  fw::Request read;
  read.sectors = 6;
  read.lba = 3;
  read.device_buffer = b.hal().dram_size() - 6 * kTagBytes;
  std::memset(b.hal().dram() + read.device_buffer, 0xEE, 6 * kTagBytes);
  b.submit_foreign(read);
  SectorTag tags[6];
  std::memcpy(tags, b.hal().dram() + read.device_buffer, sizeof tags);
  EXPECT_EQ(tags[0].sequence, 0u);
  EXPECT_EQ(tags[1].lba, 4u);
  EXPECT_EQ(tags[2].lba, 5u);
  EXPECT_NE(tags[2].sequence, 0u);
  for (int i = 3; i < 6; ++i) EXPECT_EQ(tags[i].sequence, 0u);
}

// --- counters ---

TEST(Counters, OfProgramCausesAddUpToAllPrograms) {
  FtlBench b(small_drive());
  run_random(b, Mix(), 21);
  const fw::FtlStatistics& s = b.statistics();
  std::uint64_t sum = 0;
  for (const std::uint64_t n : s.pages_programmed) sum += n;
  EXPECT_EQ(sum, s.program_pages);
  EXPECT_EQ(sum, b.hal().flash().programs());
  EXPECT_EQ(s.erase_blocks, b.hal().flash().erases());
  EXPECT_EQ(s.erase_blocks, s.gc_blocks_erased + s.metadata_blocks_erased);
  std::uint64_t by_type = 0;
  for (const std::uint64_t n : s.programs_by_type) by_type += n;
  EXPECT_EQ(by_type, sum);
}

TEST(Counters, OfFreePagesByTypeStartEqualOnTlc) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 18;
  FtlBench b(c);
  const std::uint64_t third = c.ftl.geometry.pages() / 3;
  for (int t = 0; t < 3; ++t) EXPECT_EQ(b.statistics().free_pages_by_type[t], third);
  b.write(0, kSectors);
  b.settle();
  EXPECT_EQ(b.statistics().free_pages_by_type[0], third - 1); // the first page of a block is an LSB page
  EXPECT_EQ(b.statistics().dominated_by[0], 1u);
}

TEST(Counters, OfTheBreakdownAreWithinTheResponseTime) {
  FtlBench b(small_drive());
  for (std::uint32_t i = 0; i < 20; ++i) b.write(i * 7, 9);
  for (std::uint32_t i = 0; i < 10; ++i) b.read(i * 7, 9);
  b.settle();
  for (int way = 0; way < 2; ++way) {
    EXPECT_GT(b.breakdown_ps(way), 0u);
    EXPECT_LE(b.breakdown_ps(way), b.response_ps(way)) << "the rest is the firmware's own";
    EXPECT_EQ(b.responses(way), way == 0 ? 10u : 20u);
  }
}

// --- preconditioning ---

TEST(Preconditioning, HoldsWhatWasWrittenAndEndsWithGarbageCollected) {
  FtlBench b(small_drive());
  const auto pages = static_cast<std::uint32_t>(b.sectors() / kSectors);
  for (std::uint32_t n = 0; n < 4 * pages; ++n) {
    const std::uint32_t lpn = n < pages ? n : n * 2654435761u % pages;
    ASSERT_EQ(b.precondition(lpn), nullptr);
  }
  EXPECT_EQ(b.hal().now_ps(), 0u);
  b.check_all(true);
  for (std::uint64_t lba = 0; lba + 64 <= b.sectors(); lba += 64) {
    b.read(lba, 64);
    b.settle();
    if (HasFatalFailure()) return;
  }
  run_random(b, Mix(), 22);
}

TEST(Preconditioning, AgesWithInvalidPagesOnly) {
  FtlBench b(small_drive());
  ASSERT_EQ(b.ftl().zero_time.age(0.7), nullptr);
  b.check_all(true);
  EXPECT_EQ(b.statistics().valid_pages, 0u);
  const double used =
      1 - static_cast<double>(b.statistics().free_blocks) / b.ftl().state.config.geometry.blocks();
  EXPECT_NEAR(used, 0.7, 0.05);
  for (std::uint32_t i = 0; i < 600; ++i) {
    while (b.free_slots() == 0) b.step();
    b.write(i * kSectors, kSectors);
  }
  b.settle();
  EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  EXPECT_EQ(b.statistics().gc_pages_moved, 0u);
}

TEST(Preconditioning, RefusesAnImpossibleAgeOrPage) {
  FtlBench b(small_drive());
  EXPECT_NE(b.ftl().zero_time.age(1.0), nullptr);
  EXPECT_NE(b.ftl().zero_time.age(-0.5), nullptr);
  EXPECT_NE(b.ftl().zero_time.write(b.ftl().state.exported_pages, nullptr), nullptr);
}

// --- the judge itself ---

TEST(SimFlashDeathTest, AbortsOnEachBrokenRule) {
  Geometry g = small_drive().ftl.geometry;
  SimFlash flash(g, DataMode::none, SimFlashRules());
  const RowLayout layout(g);
  const auto command = [&](FlashOp op, std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
    FlashDescriptor d;
    d.op = static_cast<std::uint8_t>(op);
    d.row = layout.row(0, plane, block, page);
    return d;
  };
  const auto run = [&](FlashDescriptor a, FlashDescriptor b) {
    const FlashDescriptor both[] = {a, b};
    FlashCompletion done[2];
    std::uint8_t dram[64] = {};
    flash.run(0, both, 2, dram, done);
  };
  EXPECT_DEATH(run(command(FlashOp::program, 0, 0, 0), command(FlashOp::program, 1, 0, 1)), "PAC");
  EXPECT_DEATH(run(command(FlashOp::program, 0, 0, 0), command(FlashOp::program, 1, 1, 0)), "BAC");
  EXPECT_DEATH(run(command(FlashOp::program, 0, 0, 0), command(FlashOp::program, 0, 0, 0)),
               "distinct planes");
  EXPECT_DEATH(flash.run_functional(0, command(FlashOp::program, 0, 0, 1), nullptr), "program order");
  EXPECT_DEATH(flash.run_functional(0, command(FlashOp::read, 0, 0, 0), nullptr), "erased page");
  EXPECT_DEATH(
      {
        flash.run_functional(0, command(FlashOp::program, 0, 0, 0), nullptr);
        flash.run_functional(0, command(FlashOp::program, 0, 0, 0), nullptr);
      },
      "without erase");
}

} // namespace
} // namespace twinplane::test::ftl_test
