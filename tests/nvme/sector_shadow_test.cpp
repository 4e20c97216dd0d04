// Does the random host's shadow keep every version that a read may still bring, and no other?
#include <gtest/gtest.h>

#include <array>

#include "tests/nvme/sector_shadow.h"

namespace twinplane::test::sector_shadow_test {
namespace {

constexpr std::uint64_t kLba = 7;

struct Past {
  /// The first version, many writes that a reset at 3 has cut off, and two that began behind the read at 10 and are
  /// acknowledged at 20 and 21.
  explicit Past(int cut_off) : first(write(1, 2)) {
    for (int i = 0; i < cut_off; ++i) {
      const std::uint32_t version = shadow.next_version();
      shadow.begin(kLba, version, version);
      shadow.unclear(kLba, version, 3);
    }
    write(11, 20);
    write(12, 21);
  }
  std::uint32_t write(TimePs sent, TimePs done) {
    const std::uint32_t version = shadow.next_version();
    shadow.begin(kLba, version, version);
    shadow.succeeded(kLba, version, sent, done);
    return version;
  }
  bool accepts_first(TimePs sent) {
    std::array<std::uint8_t, 512> bytes{};
    shadow.fill(bytes.data(), first, kLba);
    return shadow.check(kLba, bytes.data(), sent, 22).empty();
  }
  SectorShadow shadow{512};
  std::uint32_t first;
};

TEST(SectorShadow, KnowsWhatAnOldReadMayBringHoweverManyWritesAResetHasCutOff) {
  for (const int cut_off : {0, 10, 62, 63, 64, 70, 1000})
    EXPECT_TRUE(Past(cut_off).accepts_first(10)) << cut_off;
}

TEST(SectorShadow, DoesNotAcceptWhatWasSupersededBeforeTheReadWasSent) {
  for (const int cut_off : {0, 10, 70}) EXPECT_FALSE(Past(cut_off).accepts_first(22)) << cut_off;
}

TEST(SectorShadow, ForgetsByTime) {
  Past kept(70);
  kept.shadow.forget_before(10);
  EXPECT_TRUE(kept.accepts_first(10));
  Past forgotten(70);
  forgotten.shadow.forget_before(22);
  EXPECT_FALSE(forgotten.accepts_first(10));
}

} // namespace
} // namespace twinplane::test::sector_shadow_test
