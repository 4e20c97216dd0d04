// Do sectors that a program stores as lost stay so: uncorrectable in every read of them, and in no other,
// through copybacks, until the block is erased?
#include <gtest/gtest.h>

#include "tests/hw/retry_bench.h"

namespace twinplane::test::controller_lost_test {
namespace {

constexpr Ppa kPage{0, 0, 3, 0};

Geometry four_sectors() {
  Geometry g = small_geometry(1);
  g.sector_size = 1024;
  return g;
}

class ControllerLost : public ControllerRetry {
 protected:
  ControllerLost() { part = hw::NandConfig(); }

  FlashDescriptor program(const Ppa& to, std::uint32_t lost) const {
    FlashDescriptor d = bench->descriptor(FlashOp::program, to);
    d.sector_mask = 0b1111;
    mark_lost(d, lost);
    return d;
  }
  FlashDescriptor some(const Ppa& at, std::uint32_t sectors) const {
    FlashDescriptor d = bench->descriptor(FlashOp::read, at);
    d.sector_mask = sectors;
    return d;
  }
  void expect(std::uint32_t n, std::uint32_t failed) {
    const FlashCompletion& c = done(n).completion;
    EXPECT_EQ(c.failed_sectors, failed) << n;
    EXPECT_EQ(c.result, failed == 0 ? 0 : flash_result::uncorrectable) << n;
  }
};

TEST_F(ControllerLost, SectorsFailAloneAndAtOnce) {
  config.read_retries = 3;
  boot(four_sectors());
  submit({program(kPage, 0b0100), some(kPage, 0b1111), some(kPage, 0b1011), some(kPage, 0b0110)});
  finish(4);
  expect(1, 0b0100);
  expect(2, 0);
  expect(3, 0b0100);
  EXPECT_EQ(done(1).completion.retry_ps, 0u) << "no level helps";
}

TEST_F(ControllerLost, PagesOfNothingElseHaveTheirWord) {
  boot(four_sectors());
  FlashDescriptor d = program(kPage, 0b1111);
  d.oob = 0x1234;
  submit({d, some(kPage, 0b1111), some(kPage, 0)});
  finish(3);
  EXPECT_EQ(done(0).completion.result, 0);
  expect(1, 0b1111);
  EXPECT_EQ(done(2).completion.result, 0) << "a read of the word alone brings the marks";
  EXPECT_EQ(done(2).completion.failed_sectors, 0b1111u);
  EXPECT_EQ(done(1).completion.oob, 0x1234u);
  EXPECT_EQ(done(2).completion.oob, 0x1234u);
}

TEST_F(ControllerLost, SectorsAreCopiedAsLostOnes) {
  boot(four_sectors());
  FlashDescriptor copy = bench->descriptor(FlashOp::copyback, {0, 0, 4, 0});
  copy.buffer = bench->rows.row(0, 0, 3, 0);
  copy.sector_mask = 0;
  submit({program(kPage, 0b1000), copy, some({0, 0, 4, 0}, 0b1111)});
  finish(3);
  expect(2, 0b1000);
}

TEST_F(ControllerLost, SectorsAreGoodAgainBehindAnErase) {
  boot(four_sectors());
  submit({program(kPage, 0b0001), bench->descriptor(FlashOp::erase, kPage), program(kPage, 0),
          some(kPage, 0b1111)});
  finish(4);
  expect(3, 0);
}

} // namespace
} // namespace twinplane::test::controller_lost_test
