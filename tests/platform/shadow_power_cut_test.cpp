// Does the shadow accept after a power cut exactly what the drive has promised, and then nothing but what was
// found?
#include <gtest/gtest.h>

#include <vector>

#include "firmware/nvme/identify.h"
#include "platform/host/shadow.h"

namespace twinplane::platform::shadow_power_cut_test {
namespace {

constexpr std::uint64_t kLba = 5;

ShadowConfig config(bool answered_is_durable, std::uint64_t filled = 0) {
  ShadowConfig c;
  c.sectors = 100;
  c.filled_sectors = filled;
  c.trim_unit = 1;
  c.power_cuts = true;
  c.answered_is_durable = answered_is_durable;
  return c;
}

class PowerCutShadow : public ::testing::Test {
 protected:
  std::uint64_t write(Shadow& shadow, bool fua = false) {
    const std::uint64_t sequence = shadow.begin_write(kLba);
    shadow.end_writes(kLba, 1, true, fua);
    return sequence;
  }
  void trim(Shadow& shadow) {
    shadow.begin_trim(kLba, 1);
    shadow.end_trim(kLba, 1, true);
  }
  /// Sequences up to `newest` that a first read after the cut may bring; 0: zeros.
  std::vector<std::uint64_t> allowed(Shadow& shadow, std::uint64_t newest) {
    shadow.cut();
    std::vector<std::uint64_t> found;
    for (std::uint64_t s = 0; s <= newest + 1; ++s) {
      const SectorTag tag{s == 0 ? 0 : kLba, s};
      if (shadow.check(kLba, shadow.snapshot(kLba), tag)) found.push_back(s);
    }
    return found;
  }
};

using Sequences = std::vector<std::uint64_t>;

TEST_F(PowerCutShadow, KeepsWhatWasAnswered) {
  Shadow shadow(config(true));
  write(shadow);
  const std::uint64_t last = write(shadow);
  EXPECT_EQ(allowed(shadow, last), Sequences{last});
}

/// A write that a cut has interrupted may have come to the flash up to any of these borders, and to no other.
TEST_F(PowerCutShadow, SplitsWritesWhereIdentifyDoes) {
  std::uint8_t page[4096] = {};
  fw::write_identify_controller(page, fw::NvmeConfig(), 100);
  const std::uint32_t unit = (page[528] | page[529] << 8) + 1u; // AWUPF
  std::uint8_t of_namespace[4096] = {};
  fw::write_identify_namespace(of_namespace, fw::NvmeConfig(), {100, 0});
  EXPECT_EQ(of_namespace[24] & 2, 0) << "NSFEAT: the namespace has an atomic write unit of its own";
  for (std::uint32_t border = 1; border < 2 * unit; ++border) {
    Shadow shadow(config(true));
    std::vector<SectorTag> old(2 * unit), now(2 * unit);
    const auto bytes = [](std::vector<SectorTag>& tags) {
      return reinterpret_cast<std::uint8_t*>(tags.data());
    };
    shadow.begin_writes(kLba, 2 * unit, bytes(old), sizeof(SectorTag));
    shadow.end_writes(kLba, 2 * unit, true);
    shadow.begin_writes(kLba, 2 * unit, bytes(now), sizeof(SectorTag));
    shadow.cut();
    bool accepted = true;
    for (std::uint32_t n = 0; n < 2 * unit; ++n) {
      const std::uint64_t lba = kLba + n;
      accepted = shadow.check(lba, shadow.snapshot(lba), n < border ? now[n] : old[n]) && accepted;
    }
    EXPECT_EQ(accepted, border % unit == 0) << border;
  }
}

TEST_F(PowerCutShadow, AcceptsOldOrNewOfWhatWasNotAnswered) {
  Shadow shadow(config(true));
  const std::uint64_t old = write(shadow);
  const std::uint64_t open = shadow.begin_write(kLba);
  EXPECT_EQ(allowed(shadow, open), (Sequences{old, open}));
}

TEST_F(PowerCutShadow, AcceptsZerosOrTheFirstWriteThatWasNotAnswered) {
  Shadow shadow(config(true));
  const std::uint64_t open = shadow.begin_write(kLba);
  EXPECT_EQ(allowed(shadow, open), (Sequences{0, open}));
}

TEST_F(PowerCutShadow, AcceptsThePreconditionedDataOrTheFirstWrite) {
  Shadow shadow(config(true, 50));
  const std::uint64_t open = shadow.begin_write(kLba);
  EXPECT_EQ(allowed(shadow, open), (Sequences{Shadow::kInitialSequence, open}));
}

TEST_F(PowerCutShadow, ATrimMayBeUndone) {
  Shadow shadow(config(true));
  write(shadow);
  const std::uint64_t last = write(shadow);
  trim(shadow);
  EXPECT_EQ(allowed(shadow, last + 1), (Sequences{0, last, last + 1}))
      << "but not to what was overwritten before; no write has the number of the trim";
}

TEST_F(PowerCutShadow, AWriteBehindATrimEndsIt) {
  Shadow shadow(config(true));
  write(shadow);
  trim(shadow);
  const std::uint64_t last = write(shadow);
  EXPECT_EQ(allowed(shadow, last), Sequences{last});
}

TEST_F(PowerCutShadow, VolatileWritesGoBackToTheLastFlush) {
  Shadow shadow(config(false));
  write(shadow);
  const std::uint64_t flushed = write(shadow);
  const std::uint64_t mark = shadow.flush_mark();
  const std::uint64_t behind = write(shadow); // answered while the flush was under way
  shadow.end_flush(mark);
  const std::uint64_t last = write(shadow);
  EXPECT_EQ(allowed(shadow, last), (Sequences{flushed, behind, last}));
}

TEST_F(PowerCutShadow, ForceUnitAccessIsAFlushOfItsOwn) {
  Shadow shadow(config(false));
  write(shadow);
  const std::uint64_t forced = write(shadow, true);
  const std::uint64_t last = write(shadow);
  EXPECT_EQ(allowed(shadow, last), (Sequences{forced, last}));
}

TEST_F(PowerCutShadow, WithoutAFlushEverythingMayBeGone) {
  Shadow shadow(config(false, 50));
  const std::uint64_t first = write(shadow);
  const std::uint64_t last = write(shadow);
  EXPECT_EQ(allowed(shadow, last), (Sequences{Shadow::kInitialSequence, first, last}));
}

TEST_F(PowerCutShadow, HoldsTheDriveToWhatWasFound) {
  for (const bool finds_new : {false, true}) {
    Shadow shadow(config(true));
    const std::uint64_t old = write(shadow);
    const std::uint64_t open = shadow.begin_write(kLba);
    shadow.cut();
    const SectorTag found{kLba, finds_new ? open : old};
    const SectorTag other{kLba, finds_new ? old : open};
    shadow.settle();
    EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found));
    shadow.settled();
    EXPECT_EQ(shadow.settled_sectors(), 1u);
    EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found));
    EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), other));
    shadow.cut(); // and another cut does not bring it back
    EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), other));
    const std::uint64_t next = write(shadow);
    EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), {kLba, next}));
  }
}

TEST_F(PowerCutShadow, LetsAsManySectorsGoBackAsTheDriveHasDeclared) {
  for (const std::uint64_t declared : {0, 1}) {
    Shadow shadow(config(true));
    const std::uint64_t old = write(shadow);
    write(shadow);
    shadow.cut();
    shadow.settle(declared);
    EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), {kLba + 1, old})) << "another one's";
    EXPECT_EQ(shadow.check(kLba, shadow.snapshot(kLba), {kLba, old}), declared != 0);
    EXPECT_EQ(shadow.gone_back(), declared);
    shadow.settled();
    EXPECT_EQ(shadow.check(kLba, shadow.snapshot(kLba), {kLba, old}), declared != 0)
        << "what was found stays";
    EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), {0, 0})) << "and nothing else";
  }
}

/// What had gone back is what the next write replaces: seen until that is answered, and there again if it
/// never was.
TEST_F(PowerCutShadow, KnowsWhatHasGoneBackAsTheVersionBeforeTheNextWrite) {
  for (const bool zeros : {false, true}) {
    Shadow shadow(config(true));
    const SectorTag found = zeros ? SectorTag{0, 0} : SectorTag{kLba, write(shadow)};
    const std::uint64_t lost = write(shadow);
    shadow.cut();
    shadow.settle(1);
    ASSERT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found));
    shadow.settled();
    const std::uint32_t before = shadow.snapshot(kLba);
    const std::uint64_t open = shadow.begin_write(kLba);
    const std::uint32_t during = shadow.snapshot(kLba);
    EXPECT_TRUE(shadow.check(kLba, before, found)) << "read before the write was sent";
    EXPECT_TRUE(shadow.check(kLba, during, found));
    EXPECT_TRUE(shadow.check(kLba, during, {kLba, open}));
    shadow.cut();
    shadow.settle(0); // the next life has lost nothing
    EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found)) << "that write never came to the flash";
    EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), {kLba, lost})) << "it is held to that again";
    shadow.settled();
    const std::uint32_t again = shadow.snapshot(kLba);
    const std::uint64_t last = write(shadow);
    EXPECT_TRUE(shadow.check(kLba, again, found)) << "read before the write was sent";
    EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), found)) << "it has been overwritten";
    shadow.cut();
    EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), found)) << "for good";
    EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), {kLba, last}));
  }
}

TEST_F(PowerCutShadow, BringsBackWhatHadGoneBackWithAWriteThatWasNotFlushed) {
  Shadow shadow(config(false));
  const SectorTag found{kLba, write(shadow, true)};
  write(shadow, true);
  shadow.cut();
  shadow.settle(1);
  ASSERT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found));
  shadow.settled();
  write(shadow);
  EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), found)) << "answered from the buffer";
  shadow.cut();
  EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found)) << "which has gone with the supply";
}

TEST_F(PowerCutShadow, BringsBackWhatHadGoneBackWithATrimThatIsUndone) {
  Shadow shadow(config(true));
  const SectorTag found{kLba, write(shadow)};
  write(shadow);
  shadow.cut();
  shadow.settle(1);
  ASSERT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found));
  shadow.settled();
  shadow.begin_trim(kLba, 1);
  EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found));
  EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), {0, 0}));
  shadow.end_trim(kLba, 1, true);
  EXPECT_FALSE(shadow.check(kLba, shadow.snapshot(kLba), found));
  shadow.cut();
  EXPECT_TRUE(shadow.check(kLba, shadow.snapshot(kLba), found));
}

} // namespace
} // namespace twinplane::platform::shadow_power_cut_test
