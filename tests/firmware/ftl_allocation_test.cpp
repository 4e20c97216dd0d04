// Where do pages go? Static formulas, dynamic binding, and the pairing of planes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "firmware/ftl/policies.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_allocation_test {
namespace {

/// 3 channels x 2 chips x 2 dies x 2 planes: the counts differ where it matters.
FtlBenchConfig lattice(const char* allocation) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.channels = 3;
  c.ftl.geometry.chips_per_channel = 2;
  c.ftl.geometry.dies_per_chip = 2;
  c.ftl.geometry.planes_per_die = 2;
  c.ftl.geometry.sector_size = 4096;
  c.ftl.plane_allocation = allocation;
  return c;
}

/// The index of one level in a page's address.
std::uint32_t index_of(char level, const Geometry& g, const Ppa& a) {
  switch (level) {
    case 'C':
      return a.die / g.dies_per_channel();
    case 'W':
      return a.die % g.dies_per_channel() / g.dies_per_chip;
    case 'D':
      return a.die % g.dies_per_chip;
    default:
      return a.plane;
  }
}

std::uint32_t count_of(char level, const Geometry& g) {
  switch (level) {
    case 'C':
      return g.channels;
    case 'W':
      return g.chips_per_channel;
    case 'D':
      return g.dies_per_chip;
    default:
      return g.planes_per_die;
  }
}

/// facts C3: the first letter's index is LPN mod N1, the second's (LPN / N1) mod N2, ...
void expect_formula(FtlBench& b, const std::string& levels, std::uint32_t lpn) {
  const Geometry& g = b.ftl().state.config.geometry;
  const Ppa place = b.place(lpn);
  std::uint32_t rest = lpn;
  for (const char level : levels) {
    ASSERT_EQ(index_of(level, g, place), rest % count_of(level, g))
        << levels << ", LPN " << lpn << ", level " << level;
    rest /= count_of(level, g);
  }
}

TEST(StaticAllocation, PutsEveryPermutationWhereTheFormulaSays) {
  std::string levels = "CDPW";
  std::uint32_t permutations = 0;
  do {
    FtlBench b(lattice(levels.c_str()));
    ASSERT_EQ(b.error(), nullptr) << b.error();
    for (std::uint32_t lpn = 0; lpn < 60; lpn += 12) b.write(lpn, 12);
    b.settle();
    for (std::uint32_t lpn = 0; lpn < 60; ++lpn) expect_formula(b, levels, lpn);
    ++permutations;
  } while (!HasFatalFailure() && std::next_permutation(levels.begin(), levels.end()));
  EXPECT_EQ(permutations, 24u);
}

TEST(StaticAllocation, FixesOnlyTheLevelsItNames) {
  for (const std::string levels : {"D", "P", "DP", "CW", "WPD"}) {
    FtlBench b(lattice(levels.c_str()));
    ASSERT_EQ(b.error(), nullptr) << b.error();
    for (std::uint32_t lpn = 0; lpn < 60; lpn += 12) b.write(lpn, 12);
    b.settle();
    for (std::uint32_t lpn = 0; lpn < 60; ++lpn) expect_formula(b, levels, lpn);
  }
}

TEST(StaticAllocation, PlacesFunctionalWritesAlike) {
  FtlBench b(lattice("PWCD"));
  for (std::uint32_t lpn = 0; lpn < 60; ++lpn) ASSERT_EQ(b.ftl().zero_time.write(lpn, nullptr), nullptr);
  for (std::uint32_t lpn = 0; lpn < 60; ++lpn) expect_formula(b, "PWCD", lpn);
}

TEST(PolicyNames, ListAllTwentyFourPermutationsOnce) {
  const fw::PolicyNames planes = fw::policy_names(1);
  ASSERT_STREQ(planes.decision, "plane_allocation");
  std::string levels = "CDPW";
  do {
    std::uint32_t named = 0;
    for (std::uint32_t i = 0; i < planes.count; ++i) named += levels == planes.name(i) ? 1 : 0;
    EXPECT_EQ(named, 1u) << levels;
  } while (std::next_permutation(levels.begin(), levels.end()));
}

TEST(PolicyNames, RefuseWhatTheyDoNotKnow) {
  for (const char* wrong : {"", "X", "CC", "FC", "CWDPX", "2", "cwdp"}) {
    FtlBenchConfig c = small_drive();
    c.ftl.plane_allocation = wrong;
    FtlBench b(c);
    ASSERT_NE(b.error(), nullptr) << wrong;
    EXPECT_EQ(std::string(b.error()).find("ftl.plane_allocation"), 0u);
  }
  FtlBenchConfig c = small_drive();
  c.ftl.victim = "gready";
  EXPECT_EQ(std::string(FtlBench(c).error()).find("ftl.victim"), 0u);
}

TEST(PolicyNames, AreAllAcceptedByBoot) {
  for (std::uint32_t d = 0; d < fw::kDecisions; ++d) {
    const fw::PolicyNames names = fw::policy_names(d);
    for (std::uint32_t i = 0; i < names.count; ++i) {
      FtlBenchConfig c = small_drive();
      c.ftl.program_order = ProgramOrder::relaxed; // what every block allocation can live with
      fw::PolicyName* const keys[] = {&c.ftl.classifier, &c.ftl.plane_allocation, &c.ftl.block_allocation,
                                      &c.ftl.mapping,    &c.ftl.victim,           &c.ftl.relocation,
                                      &c.ftl.scheduling, &c.ftl.regions};
      *keys[d] = names.name(i);
      if (fw::region_modes(c.ftl).count != 1) c.ftl.geometry.cell = CellType::mlc;
      if (fw::region_modes(c.ftl).cache) {
        c.ftl.geometry.blocks_per_plane = 18;
        c.ftl.geometry.subpages_per_page = 4;
        c.ftl.over_provisioning = 0.5;
        c.ftl.slc_cache.share = 0.2;
      }
      EXPECT_EQ(FtlBench(c).error(), nullptr) << names.decision << " = " << names.name(i);
    }
  }
}

// --- late binding ---

/// Places of LPNs 0 .. count-1 written as one request to an idle drive.
std::vector<Ppa> places_of_one_write(const char* allocation, std::uint32_t count) {
  FtlBench b(lattice(allocation));
  b.write(0, count);
  b.settle();
  std::vector<Ppa> places;
  for (std::uint32_t lpn = 0; lpn < count; ++lpn) places.push_back(b.place(lpn));
  return places;
}

TEST(DynamicAllocation, FSpreadsOverIdleDiesBeforeItPairsPlanes) {
  const std::vector<Ppa> places = places_of_one_write("F", 18); // 12 dies of 2 planes
  for (std::uint32_t a = 0; a < 12; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) EXPECT_NE(places[a].die, places[b].die);
  }
  for (std::uint32_t a = 12; a < 18; ++a) {
    EXPECT_EQ(places[a].die, places[a - 12].die);
    EXPECT_NE(places[a].plane, places[a - 12].plane);
  }
}

TEST(DynamicAllocation, F2FillsThePlanesOfADieFirst) {
  const std::vector<Ppa> places = places_of_one_write("F2", 10);
  for (std::uint32_t a = 0; a < 10; a += 2) {
    EXPECT_EQ(places[a].die, places[a + 1].die);
    EXPECT_NE(places[a].plane, places[a + 1].plane);
    if (a >= 2) {
      EXPECT_NE(places[a].die, places[a - 2].die);
    }
  }
}

TEST(DynamicAllocation, RotatesChannelsThenChipsThenDies) {
  const std::vector<Ppa> places = places_of_one_write("F", 12);
  for (std::uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(places[i].die / 4, i % 3) << "channel";
    EXPECT_EQ(places[i].die % 4 / 2, i / 3 % 2) << "chip";
    EXPECT_EQ(places[i].die % 2, i / 6) << "die";
  }
}

TEST(DynamicAllocation, NeverWaitsForABusyDieWhileAnotherIsIdle) {
  FtlBench b(lattice("F"));
  for (std::uint32_t i = 0; i < 12; ++i) b.write(i, 1);
  b.turn();
  EXPECT_EQ(b.hal().max_busy_dies(), 12u);
}

// --- multi-plane ---

TEST(MultiPlane, TwoWritesToTwinPagesLeaveAsOneCommand) {
  FtlBench b(lattice("F2"));
  b.write(0, 2);
  b.settle();
  EXPECT_EQ(b.hal().groups(FlashOp::program, 2), 1u);
  EXPECT_EQ(b.hal().groups(FlashOp::program, 1), 0u);
  EXPECT_EQ(b.statistics().program_multi_commands, 1u);
  EXPECT_EQ(b.statistics().program_multi_pages, 2u);
}

TEST(MultiPlane, TwoReadsOfTwinPagesLeaveAsOneCommand) {
  FtlBench b(lattice("F2"));
  b.write(0, 2);
  b.settle();
  b.read(0, 2);
  b.settle();
  EXPECT_EQ(b.hal().groups(FlashOp::read, 2), 1u);
  EXPECT_EQ(b.statistics().read_multi_pages, 2u);
}

/// What tells D from F in the TBM letter: F goes for idle dies only.
TEST(MultiPlane, ProgramsOfFButOfNoOtherAreLeftAloneWhenPairingIsOff) {
  for (const char* allocation : {"F", "F2", "D"}) {
    FtlBenchConfig c = lattice(allocation);
    c.ftl.pair = fw::Pairing::off;
    FtlBench b(c);
    b.write(0, 48);
    b.settle();
    EXPECT_EQ(b.hal().groups(FlashOp::program, 2), allocation[0] == 'F' && allocation[1] == 0 ? 0u : 24u)
        << allocation;
  }
}

TEST(MultiPlane, PairsOnlyNeighboursWhenAskedTo) {
  FtlBenchConfig c = lattice("F2");
  c.ftl.geometry.planes_per_die = 4;
  for (const auto& [pair, group] : {std::pair{fw::Pairing::any, 4u}, std::pair{fw::Pairing::next, 2u}}) {
    c.ftl.pair = pair;
    FtlBench b(c);
    b.write(0, 48);
    b.settle();
    EXPECT_EQ(b.hal().groups(FlashOp::program, group), 48u / group);
  }
}

/// Planes of one die whose frontiers are out of step by a page cannot share a command (PAC).
TEST(MultiPlane, NeverPairsDifferentPages) {
  FtlBenchConfig c = lattice("CWDP"); // plane = (LPN / 12) mod 2: LPNs 0 and 12 share die 0
  FtlBench b(c);
  b.write(0, 1);
  b.settle(); // plane 0 of die 0 is one page ahead now
  b.write(0, 1);
  b.write(12, 1);
  b.settle();
  EXPECT_EQ(b.hal().groups(FlashOp::program, 2), 0u);
  b.write(12, 1); // plane 1 catches up
  b.settle();
  b.write(0, 1);
  b.write(12, 1);
  b.settle();
  EXPECT_EQ(b.hal().groups(FlashOp::program, 2), 1u);
}

/// Equal pages in different blocks: allowed only where the die has no block address constraint.
TEST(MultiPlane, PairsDifferentBlocksOnlyWithoutBac) {
  for (const bool bac : {true, false}) {
    FtlBenchConfig c = lattice("CWDP");
    c.ftl.bac = bac;
    FtlBench b(c);
    for (std::uint32_t i = 0; i < 16; ++i) { // plane 0 of die 0 fills its first block
      b.write(0, 1);
      b.settle();
    }
    b.write(0, 1); // block 1 page 0, next to block 0 page 0
    b.write(12, 1);
    b.settle();
    EXPECT_EQ(b.hal().groups(FlashOp::program, 2), bac ? 0u : 1u);
  }
}

} // namespace
} // namespace twinplane::test::ftl_allocation_test
