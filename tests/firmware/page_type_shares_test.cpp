// Do writes get the page types that theory and the schemes of PA-SSD promise?
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/ftl_random.h"

namespace twinplane::test::page_type_shares_test {
namespace {

/// 4 channels x 2 dies x 2 planes x 24 blocks of 128 wordlines; one sector per page, no data.
FtlBenchConfig shares_drive(const char* classifier) {
  FtlBenchConfig c;
  c.ftl.geometry.channels = 4;
  c.ftl.geometry.dies_per_chip = 2;
  c.ftl.geometry.planes_per_die = 2;
  c.ftl.geometry.blocks_per_plane = 24;
  c.ftl.geometry.pages_per_block = 384;
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.data_mode = DataMode::none;
  c.ftl.pair = fw::Pairing::off;
  c.ftl.plane_allocation = "F";
  c.ftl.over_provisioning = 0.3;
  c.ftl.max_requests = 32;
  c.slot_sectors = 16;
  c.check_data = false;
  c.ftl.classifier = classifier;
  if (std::string(classifier) != "none") {
    c.ftl.program_order = ProgramOrder::relaxed;
    c.ftl.block_allocation = "pa";
    c.ftl.relocation = "ubs";
  }
  return c;
}

struct Shares {
  std::array<double, 3> dominated{}; // writes by their slowest page type
  double granted = 0;                // pages given the wanted type / pages that wanted one
  std::array<std::uint64_t, 3> free{};
};

/// `writes` requests of `pages` pages at random places, `depth` at a time.
Shares run_writes(const FtlBenchConfig& c, std::uint32_t pages, std::uint32_t writes, std::size_t depth) {
  FtlBench b(c);
  EXPECT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(7);
  for (std::uint32_t i = 0; i < writes; ++i) {
    while (b.free_slots() <= c.ftl.max_requests - depth) EXPECT_TRUE(b.step());
    b.write(random.below(static_cast<std::uint32_t>(b.sectors()) - pages), pages);
  }
  b.settle();
  const fw::FtlStatistics& s = b.statistics();
  Shares result;
  double wanted = 0;
  for (std::size_t t = 0; t < 3; ++t) {
    result.dominated[t] = static_cast<double>(s.dominated_by[t]) / writes;
    wanted += static_cast<double>(s.type_wanted[t]);
    result.granted += static_cast<double>(s.type_granted[t]);
    result.free[t] = s.free_pages_by_type[t];
  }
  result.granted /= wanted;
  return result;
}

// Independent, equally likely types: fast (1/3)^n, slow 1 - (2/3)^n. Independent they are when neither
// the plane nor its position in the L, C, M cycle follows from what was written before.
TEST(ConventionalShares, AreThoseOfIndependentTypesWithRandomPlanesAndPhases) {
  for (const std::uint32_t n : {1u, 2u, 4u, 8u}) {
    FtlBenchConfig c = shares_drive("none");
    c.ftl.plane_allocation = "CWDP"; // the plane follows from the random address
    const Shares s = run_writes(c, n, 40'000 / n, 16);
    const double fast = std::pow(1.0 / 3, n);
    const double slow = 1 - std::pow(2.0 / 3, n);
    EXPECT_NEAR(s.dominated[0], fast, 0.01) << n;
    EXPECT_NEAR(s.dominated[1], 1 - slow - fast, 0.01) << n;
    EXPECT_NEAR(s.dominated[2], slow, 0.01) << n;
  }
}

// Round robin over equally aged planes: all stand at the same type, whatever the request's size.
TEST(ConventionalShares, AreOneThirdEachWhenPlanesRunInLockstep) {
  for (const std::uint32_t n : {1u, 2u, 4u, 8u}) {
    const Shares s = run_writes(shares_drive("none"), n, 48'000 / n, 1);
    for (const double share : s.dominated) EXPECT_NEAR(share, 1.0 / 3, 0.01) << n;
  }
}

TEST(UsShares, AreOneThirdEachForAnySize) {
  for (const std::uint32_t n : {1u, 4u, 8u}) {
    const Shares s = run_writes(shares_drive("US"), n, 60'000 / n, 8);
    for (const double share : s.dominated) EXPECT_NEAR(share, 1.0 / 3, 0.01) << n;
  }
}

/// The pages that a run chose, in order.
std::vector<std::uint32_t> places(const FtlBenchConfig& c) {
  FtlBench b(c);
  EXPECT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(3);
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    while (b.free_slots() < 20) EXPECT_TRUE(b.step());
    b.write(random.below(3000), 1 + random.below(6));
  }
  b.settle();
  for (std::uint32_t lpn = 0; lpn < 3000; ++lpn) {
    found.push_back(static_cast<std::uint32_t>(b.ftl().state.policy.mapping->lookup(lpn)));
  }
  return found;
}

TEST(SchemesOfTypes, ReduceToLfsAtTheirLimits) {
  FtlBenchConfig qds = shares_drive("QDS+UBS");
  qds.ftl.queue_threshold = 0;
  const std::vector<std::uint32_t> lfs = places(shares_drive("LFS"));
  EXPECT_EQ(places(qds), lfs) << "threshold 0";
  EXPECT_EQ(places(shares_drive("WBS+US")), lfs) << "no write buffer";
  EXPECT_EQ(places(shares_drive("SBS+LFS")), lfs);
  EXPECT_NE(places(shares_drive("US")), lfs);
}

// Success rates of figure 11, and fast pages used up, at 4,000 host pages per plane (16 planes).
TEST(SchemesOfTypes, AreGivenTheTypeTheyAskFor) {
  const std::uint32_t writes = 64'000 / 2;
  for (const char* scheme : {"US", "SBS+UBS", "QDS+UBS"}) {
    const Shares s = run_writes(shares_drive(scheme), 2, writes, 10);
    EXPECT_GT(s.granted, 0.98) << scheme;
  }
  const Shares lfs = run_writes(shares_drive("LFS"), 2, writes, 10);
  EXPECT_LT(lfs.granted, 0.98);
  EXPECT_LT(lfs.free[0], lfs.free[2] / 20) << "LSB pages are exhausted";
}

// --- one request at a time, with everything that a classifier may look at under control ---

struct Asked {
  FtlBench bench;
  fw::Classifier& classifier;
  std::uint64_t free[4] = {100, 100, 100, 0};
  fw::DeviceState device;

  explicit Asked(const FtlBenchConfig& c) : bench(c), classifier(*bench.ftl().state.policy.classifier) {
    device.free_pages = free;
  }
  fw::PageHint type(std::uint32_t sectors, std::uint64_t lba = 0,
                    nvme::AccessLatency latency = nvme::AccessLatency::none) {
    fw::Request r;
    r.kind = fw::RequestKind::write;
    r.lba = lba;
    r.sectors = sectors;
    r.access_latency = latency;
    return classifier.classify(r, device);
  }
};

TEST(SchemesOfTypes, TakeTypesInTurn) {
  Asked us(shares_drive("US"));
  for (int i = 0; i < 9; ++i) EXPECT_EQ(us.type(1), 1 + i % 3);
}

TEST(SchemesOfTypes, ObeyTheHostAndFillInForIt) {
  Asked hgs(shares_drive("HGS+LFS"));
  EXPECT_EQ(hgs.type(1, 0, nvme::AccessLatency::longer), 3);
  EXPECT_EQ(hgs.type(1, 0, nvme::AccessLatency::typical), 2);
  EXPECT_EQ(hgs.type(1, 0, nvme::AccessLatency::smallest), 1);
  EXPECT_EQ(hgs.type(1), 1) << "LFS";
  Asked alone(shares_drive("HGS"));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(alone.type(1), 1 + i % 3) << "US";
}

TEST(SchemesOfTypes, CountPagesNotSectors) {
  FtlBenchConfig c = shares_drive("SBS+US");
  c.ftl.geometry.page_size = 4 * c.ftl.geometry.sector_size;
  c.ftl.geometry.blocks_per_plane = 8;
  Asked sbs(c);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sbs.type(4), 1) << "one whole page";
    EXPECT_EQ(sbs.type(2, 3), 1 + i) << "two pages, in turn";
  }
  c.ftl.small_request_pages = 2;
  EXPECT_EQ(Asked(c).type(2, 3), 1);
}

TEST(SchemesOfTypes, CountTheEnteringRequestInTheQueue) {
  Asked qds(shares_drive("QDS+US"));
  for (int i = 0; i < 6; ++i) {
    qds.device.requests_in_flight = 9;
    EXPECT_EQ(qds.type(1), 1 + i % 3) << "ten with this one: not longer than ten";
    qds.device.requests_in_flight = 10;
    EXPECT_EQ(qds.type(1), 1);
  }
}

TEST(SchemesOfTypes, LookWhetherTheWriteBufferTakesTheRequest) {
  Asked wbs(shares_drive("WBS+US"));
  wbs.device.write_buffer_free_pages = 4;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(wbs.type(4), 1 + i);
  EXPECT_EQ(wbs.type(5), 1);
  EXPECT_EQ(wbs.type(5), 1);
}

TEST(SchemesOfTypes, DrawByTheFreePages) {
  Asked ubs(shares_drive("UBS"));
  ubs.free[0] = 1000;
  ubs.free[1] = 3000;
  ubs.free[2] = 6000;
  std::array<double, 4> drawn{};
  const int draws = 40'000;
  for (int i = 0; i < draws; ++i) drawn[ubs.type(1)] += 1.0 / draws;
  EXPECT_NEAR(drawn[1], 0.1, 0.01);
  EXPECT_NEAR(drawn[2], 0.3, 0.01);
  EXPECT_NEAR(drawn[3], 0.6, 0.01);
  ubs.free[0] = ubs.free[1] = ubs.free[2] = 0;
  EXPECT_EQ(ubs.type(1), 1);
}

TEST(Papa, AsksForFastPagesForPartialPagesOnly) {
  Asked papa(shares_drive("papa"));
  EXPECT_EQ(papa.classifier.refine(papa.type(1), true), 1);
  EXPECT_EQ(papa.classifier.refine(papa.type(1), false), 3);
  Asked size(shares_drive("size"));
  EXPECT_EQ(size.classifier.refine(size.type(1), false), 1);
  EXPECT_EQ(size.classifier.refine(size.type(2), true), 3);
}

} // namespace
} // namespace twinplane::test::page_type_shares_test
