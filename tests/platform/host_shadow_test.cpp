// Does the shadow accept exactly what NVMe allows a sector to hold?
#include "platform/host/shadow.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace twinplane::platform::host_shadow_test {
namespace {

bool reads(Shadow& shadow, std::uint64_t lba, std::uint64_t sequence) {
  return shadow.check(lba, shadow.snapshot(lba), SectorTag{sequence == 0 ? 0 : lba, sequence});
}
std::uint64_t write(Shadow& shadow, std::uint64_t lba) {
  const std::uint64_t sequence = shadow.begin_write(lba);
  shadow.end_write(lba, true);
  return sequence;
}

TEST(Shadow, WantsZerosWhereNobodyWrote) {
  Shadow shadow({100, 0, 0});
  EXPECT_TRUE(reads(shadow, 7, 0));
  EXPECT_FALSE(reads(shadow, 7, Shadow::kInitialSequence));
  EXPECT_FALSE(shadow.check(7, 0, SectorTag{7, 0})) << "a tag is all zeros or none";
  EXPECT_EQ(shadow.checked(), 3u);
  EXPECT_EQ(shadow.mismatches(), 2u);
}

TEST(Shadow, WantsTheInitialContentOfAPreconditionedDriveUntilTheFirstWrite) {
  Shadow shadow({100, 50, 0});
  EXPECT_FALSE(reads(shadow, 7, 0)) << "it was filled";
  EXPECT_TRUE(reads(shadow, 7, Shadow::kInitialSequence));
  EXPECT_TRUE(reads(shadow, 50, 0)) << "this one was not";
  EXPECT_FALSE(reads(shadow, 50, Shadow::kInitialSequence));
  write(shadow, 7);
  EXPECT_FALSE(reads(shadow, 7, Shadow::kInitialSequence));
  EXPECT_FALSE(reads(shadow, 7, 0));
}

// A drive that a guest has used.
TEST(Shadow, WantsNothingOfSomebodyElsesSectorsUntilItHasWrittenThem) {
  ShadowConfig config{100, 0, 4};
  config.foreign = true;
  Shadow shadow(config);
  const SectorTag anything{0x7473'6567'2061, 0x2020'2020};
  const auto finds_anything = [&](std::uint64_t lba) {
    return shadow.check(lba, shadow.snapshot(lba), anything);
  };
  EXPECT_TRUE(finds_anything(5));
  EXPECT_TRUE(reads(shadow, 5, 0));
  EXPECT_EQ(shadow.checked(), 0u) << "nothing was expected";
  const std::uint64_t ours = shadow.begin_write(5);
  EXPECT_TRUE(finds_anything(5)) << "the write is under way";
  EXPECT_TRUE(reads(shadow, 5, ours));
  shadow.end_write(5, true);
  EXPECT_TRUE(reads(shadow, 5, ours));
  EXPECT_FALSE(finds_anything(5));
  EXPECT_FALSE(reads(shadow, 5, 0));
  shadow.begin_trim(6, 7); // 6 and 7 of a unit, one unit, and a sector of the next one
  shadow.end_trim(6, 7, true);
  EXPECT_TRUE(finds_anything(6)) << "only whole units are deallocated";
  EXPECT_FALSE(finds_anything(8));
  EXPECT_TRUE(reads(shadow, 8, 0));
  EXPECT_EQ(shadow.mismatches(), 3u);
}

TEST(Shadow, RefusesAnOldCopyAndAnotherSectorsData) {
  Shadow shadow({100, 0, 0});
  const std::uint64_t first = write(shadow, 5);
  const std::uint64_t second = write(shadow, 5);
  EXPECT_TRUE(reads(shadow, 5, second));
  EXPECT_FALSE(reads(shadow, 5, first));
  EXPECT_FALSE(reads(shadow, 5, second + 1)) << "a write that was never issued";
  EXPECT_FALSE(shadow.check(5, shadow.snapshot(5), SectorTag{6, second}));
}

TEST(Shadow, AcceptsEitherOfTwoOverlappingWrites) {
  Shadow shadow({100, 0, 0});
  const std::uint64_t old = write(shadow, 5);
  const std::uint64_t a = shadow.begin_write(5);
  const std::uint64_t b = shadow.begin_write(5);
  EXPECT_TRUE(reads(shadow, 5, old)) << "neither has to be there yet";
  shadow.end_write(5, true);
  shadow.end_write(5, true);
  EXPECT_TRUE(reads(shadow, 5, a));
  EXPECT_TRUE(reads(shadow, 5, b));
  EXPECT_FALSE(reads(shadow, 5, old));
  write(shadow, 5);
  EXPECT_FALSE(reads(shadow, 5, b)) << "a later write of its own settles the sector";
}

TEST(Shadow, AcceptsWhatWasWrittenWhileTheReadWasUnderWay) {
  Shadow shadow({100, 0, 0});
  const std::uint64_t first = write(shadow, 5);
  const std::uint32_t before = shadow.snapshot(5);
  const std::uint64_t second = write(shadow, 5);
  EXPECT_TRUE(shadow.check(5, before, SectorTag{5, first}));
  EXPECT_TRUE(shadow.check(5, before, SectorTag{5, second}));
  EXPECT_FALSE(reads(shadow, 5, first));
}

TEST(Shadow, WantsZerosAfterATrimOfWholeUnits) {
  Shadow shadow({100, 0, 4});
  std::uint64_t sequence = 0;
  for (std::uint64_t lba = 0; lba < 12; ++lba) sequence = write(shadow, lba);
  shadow.begin_trim(2, 8); // covers the unit 4..7, parts of 0..3 and 8..11
  shadow.end_trim(2, 8, true);
  EXPECT_TRUE(reads(shadow, 5, 0));
  EXPECT_FALSE(reads(shadow, 5, sequence));
  EXPECT_TRUE(reads(shadow, 3, 0));
  EXPECT_TRUE(reads(shadow, 3, sequence)) << "a partly covered unit may keep its content";
  EXPECT_FALSE(reads(shadow, 1, 0)) << "outside the range";
  const std::uint64_t rewritten = write(shadow, 5);
  EXPECT_TRUE(reads(shadow, 5, rewritten));
  EXPECT_FALSE(reads(shadow, 5, 0));
}

TEST(Shadow, AcceptsZerosAndWhatWasThereAfterARefusedTrim) {
  Shadow shadow({100, 8, 4});
  const std::uint64_t old = write(shadow, 12);
  shadow.begin_trim(0, 16);
  shadow.end_trim(0, 16, false);
  EXPECT_TRUE(reads(shadow, 12, old));
  EXPECT_TRUE(reads(shadow, 12, 0));
  EXPECT_TRUE(reads(shadow, 5, Shadow::kInitialSequence));
  EXPECT_TRUE(reads(shadow, 5, 0));
  const std::uint64_t rewritten = write(shadow, 12);
  EXPECT_FALSE(reads(shadow, 12, old));
  EXPECT_TRUE(reads(shadow, 12, rewritten));
}

TEST(Shadow, WantsOnlyZerosAfterATrimOfPreconditionedSectors) {
  Shadow shadow({100, 50, 4});
  shadow.begin_trim(4, 4);
  EXPECT_TRUE(reads(shadow, 5, Shadow::kInitialSequence)) << "not yet";
  EXPECT_TRUE(reads(shadow, 5, 0));
  const std::uint32_t before = shadow.snapshot(5);
  shadow.end_trim(4, 4, true);
  EXPECT_TRUE(reads(shadow, 5, 0));
  EXPECT_FALSE(reads(shadow, 5, Shadow::kInitialSequence));
  EXPECT_TRUE(shadow.check(5, before, SectorTag{5, Shadow::kInitialSequence}))
      << "a read from before its end";
  EXPECT_FALSE(reads(shadow, 8, 0)) << "outside the range";
}

TEST(Shadow, WantsTheInitialContentOrTheFirstWriteWhileThatIsUnderWay) {
  Shadow shadow({100, 50, 4});
  const std::uint64_t first = shadow.begin_write(5);
  EXPECT_TRUE(reads(shadow, 5, Shadow::kInitialSequence));
  EXPECT_TRUE(reads(shadow, 5, first));
  EXPECT_FALSE(reads(shadow, 5, 0)) << "it was not trimmed";
  shadow.end_write(5, false);
  EXPECT_TRUE(reads(shadow, 5, Shadow::kInitialSequence));
  EXPECT_TRUE(reads(shadow, 5, first));
  EXPECT_FALSE(reads(shadow, 5, 0));
  const std::uint64_t good = write(shadow, 5);
  EXPECT_TRUE(reads(shadow, 5, good));
  EXPECT_FALSE(reads(shadow, 5, first));
  EXPECT_FALSE(reads(shadow, 5, Shadow::kInitialSequence));
}

TEST(Shadow, AcceptsZerosWhereATrimCoversAPreconditionedUnitPartly) {
  Shadow shadow({100, 50, 4});
  shadow.begin_trim(5, 1);
  shadow.end_trim(5, 1, true);
  EXPECT_TRUE(reads(shadow, 5, 0));
  EXPECT_TRUE(reads(shadow, 5, Shadow::kInitialSequence));
  const std::uint64_t next = shadow.begin_write(5);
  EXPECT_TRUE(reads(shadow, 5, 0));
  EXPECT_TRUE(reads(shadow, 5, Shadow::kInitialSequence));
  shadow.end_write(5, true);
  EXPECT_TRUE(reads(shadow, 5, next));
  EXPECT_FALSE(reads(shadow, 5, 0));
  EXPECT_FALSE(reads(shadow, 5, Shadow::kInitialSequence));
}

TEST(Shadow, WantsWhatWasThereOrEachOfTheFailedWritesThatFollowed) {
  Shadow shadow({100, 0, 0});
  const std::uint64_t older = write(shadow, 5);
  const std::uint64_t old = write(shadow, 5);
  std::vector<std::uint64_t> failed;
  for (int i = 0; i < 4; ++i) {
    failed.push_back(shadow.begin_write(5));
    shadow.end_write(5, false);
  }
  for (const std::uint64_t sequence : failed) EXPECT_TRUE(reads(shadow, 5, sequence));
  EXPECT_TRUE(reads(shadow, 5, old));
  EXPECT_FALSE(reads(shadow, 5, older));
  EXPECT_FALSE(reads(shadow, 5, 0));
}

TEST(Shadow, WantsNothingOlderOnceOneOfOverlappingWritesHasSucceeded) {
  for (const bool fails_first : {false, true}) {
    Shadow shadow({100, 0, 0});
    const std::uint64_t old = write(shadow, 5);
    const std::uint64_t a = shadow.begin_write(5);
    const std::uint64_t b = shadow.begin_write(5);
    shadow.end_write(5, !fails_first);
    EXPECT_EQ(reads(shadow, 5, old), fails_first) << "the other one is under way";
    shadow.end_write(5, fails_first);
    EXPECT_TRUE(reads(shadow, 5, a));
    EXPECT_TRUE(reads(shadow, 5, b));
    EXPECT_FALSE(reads(shadow, 5, old));
  }
}

TEST(Shadow, WantsNothingOlderThanAFailedWriteFoundButThat) {
  Shadow shadow({100, 0, 0});
  const std::uint64_t older = write(shadow, 5);
  const std::uint64_t old = write(shadow, 5);
  const std::uint64_t failed = shadow.begin_write(5);
  shadow.end_write(5, false);
  EXPECT_TRUE(reads(shadow, 5, old));
  EXPECT_TRUE(reads(shadow, 5, failed));
  EXPECT_FALSE(reads(shadow, 5, older));
  const std::uint64_t good = write(shadow, 5);
  EXPECT_TRUE(reads(shadow, 5, good));
  EXPECT_FALSE(reads(shadow, 5, failed));
}

TEST(Shadow, CountsOnAfterSixteenBits) {
  Shadow shadow({100, 0, 0});
  std::uint64_t previous = 0;
  for (std::uint32_t i = 0; i < 200000; ++i) {
    const std::uint64_t sequence = write(shadow, 5);
    ASSERT_NE(sequence, 0u);
    ASSERT_NE(sequence, Shadow::kInitialSequence);
    ASSERT_TRUE(reads(shadow, 5, sequence));
    if (i != 0) {
      ASSERT_FALSE(reads(shadow, 5, previous));
    }
    previous = sequence;
  }
}

TEST(Shadow, WantsZerosOnlyAfterATrimHoweverManyWritesWereBefore) {
  Shadow shadow({100, 50, 1});
  for (std::uint32_t i = 0; i < 140000; ++i) {
    const std::uint64_t sequence = write(shadow, 5);
    shadow.begin_trim(5, 1);
    ASSERT_TRUE(reads(shadow, 5, sequence));
    shadow.end_trim(5, 1, true);
    ASSERT_TRUE(reads(shadow, 5, 0));
    ASSERT_FALSE(reads(shadow, 5, sequence));
    ASSERT_FALSE(reads(shadow, 5, Shadow::kInitialSequence));
    const std::uint64_t next = shadow.begin_write(5);
    ASSERT_TRUE(reads(shadow, 5, 0)) << "the write is under way";
    shadow.end_write(5, true);
    ASSERT_FALSE(reads(shadow, 5, 0));
    ASSERT_TRUE(reads(shadow, 5, next));
  }
}

/// Writes and trims that overlap and fail, half of the failed ones done.
TEST(Shadow, NeverRefusesATruthfulDeviceThatFails) {
  for (const std::uint64_t filled : {0, 1}) {
    Shadow shadow({4, filled, 1});
    struct Command {
      std::uint64_t sequence;
      bool trim;
    };
    std::vector<Command> in_flight;
    std::uint64_t content = filled != 0 ? Shadow::kInitialSequence : 0;
    std::uint32_t state = 3;
    for (std::uint32_t i = 0; i < 100000; ++i) {
      state = state * 1664525u + 1013904223u;
      const std::uint32_t dice = state >> 24;
      if (dice < 128 && in_flight.size() < 4) {
        const bool trim = dice % 4 == 0;
        if (trim) shadow.begin_trim(0, 1);
        in_flight.push_back({trim ? 0 : shadow.begin_write(0), trim});
      } else if (!in_flight.empty()) {
        const std::size_t which = dice % in_flight.size();
        const bool good = dice % 8 < 6;
        if (good || dice % 8 == 6) content = in_flight[which].sequence;
        if (in_flight[which].trim) {
          shadow.end_trim(0, 1, good);
        } else {
          shadow.end_write(0, good);
        }
        in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(which));
      }
      ASSERT_TRUE(reads(shadow, 0, content)) << "step " << i << ": " << shadow.reports().back();
    }
  }
}

TEST(Shadow, NeverRefusesATruthfulDeviceWithManyOverlaps) {
  Shadow shadow({4, 0, 1});
  std::multiset<std::uint64_t> in_flight; // writes of sector 0, applied in any order at completion
  std::uint64_t content = 0;
  std::uint32_t state = 7;
  for (std::uint32_t i = 0; i < 100000; ++i) {
    state = state * 1664525u + 1013904223u;
    const std::uint32_t limit = i % 1000 < 500 ? 3 : 60; // quiet and wild phases
    if ((state >> 28) < 9 && in_flight.size() < limit) {
      in_flight.insert(shadow.begin_write(0));
    } else if (!in_flight.empty()) {
      auto it = in_flight.begin();
      std::advance(it, (state >> 16) % in_flight.size());
      content = *it;
      in_flight.erase(it);
      shadow.end_write(0, true);
    }
    ASSERT_TRUE(reads(shadow, 0, content)) << "step " << i << ": " << shadow.reports().back();
  }
}

} // namespace
} // namespace twinplane::platform::host_shadow_test
