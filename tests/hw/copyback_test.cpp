// Do errors add up in pages that move without anybody's correction, and does the part that bounds such moves
// hold its bound, in the monitor's eyes, too?
#include <gtest/gtest.h>

#include "hw/nand/error_model.h"
#include "tests/support/monitor_bench.h"

namespace twinplane::test::copyback_test {
namespace {

using hw::PhaseKind;

constexpr std::uint8_t kIdle = 0xE0;
constexpr std::uint8_t kFailed = 0xE1;

hw::NandConfig noisy_part() {
  hw::NandConfig c = small_part();
  c.geometry.dies_per_chip = 1;
  c.errors.reading = ErrorReading::expected;
  c.errors.cycles = 4000;
  return c;
}

class Copyback : public ::testing::Test {
 protected:
  explicit Copyback(const hw::NandConfig& part = noisy_part()) : config(part), flash(part) {}

  FlashBench& bench() { return flash.bench; }
  /// 00h-35h, 85h-10h; `sector` is moved in on the way.
  std::uint8_t copy(const Place& from, const Place& to, int sector = -1) {
    bench().cycles.clear().command(0x00).page_address(bench().row(from)).command(0x35);
    bench().finish(0);
    bench().cycles.clear().command(0x85).page_address(bench().row(to));
    if (sector >= 0) bench().cycles.page_data(PhaseKind::data_in, 1u << sector, zeros_, &word_);
    bench().cycles.command(0x10);
    return bench().finish(0);
  }
  /// Wrong bits of a sector's codeword.
  double errors(const Place& page, std::uint32_t sector = 0) {
    bench().read(page);
    bench().cycles.clear().command(0x00).page_data(PhaseKind::data_out, 1u << sector, nullptr, &word_);
    bench().now = bench().send(bench().now);
    return bench().cycles.tenure().phases[1].errors.worst;
  }
  std::string found() const { return flash.findings.text(); }

  hw::NandConfig config;
  WatchedFlash flash;
  std::uint8_t zeros_[8192] = {};
  std::uint64_t word_ = 1;
};

const double kOnce = 2.8e-4 * 8752; // of an LSB page at 4000 cycles

TEST_F(Copyback, CarriesTheErrorsAlong) {
  bench().program({0, 0, 1, 0});
  EXPECT_NEAR(errors({0, 0, 1, 0}), kOnce, 1e-3);
  ASSERT_EQ(copy({0, 0, 1, 0}, {0, 0, 2, 0}), kIdle);
  EXPECT_NEAR(errors({0, 0, 2, 0}), 2 * kOnce, 1e-3);
  ASSERT_EQ(copy({0, 0, 2, 0}, {0, 0, 3, 0}), kIdle);
  EXPECT_NEAR(errors({0, 0, 3, 0}), 3 * kOnce, 1e-3);
  bench().program({0, 0, 4, 0}); // as a controller does that has corrected them
  EXPECT_NEAR(errors({0, 0, 4, 0}), kOnce, 1e-3);
  EXPECT_EQ(found(), "");
}

class OldCopyback : public Copyback {
 protected:
  static hw::NandConfig part() {
    hw::NandConfig c = noisy_part();
    c.errors.retention = 2;
    c.errors.retention_power = 1;
    return c;
  }
  OldCopyback() : Copyback(part()) {}
};

TEST_F(OldCopyback, KeepsWhatAgeHasDoneToThePage) {
  bench().program({0, 0, 1, 0});
  bench().now += ms(1) * 1000 * 3600 * 24 * 30;
  ASSERT_EQ(copy({0, 0, 1, 0}, {0, 0, 2, 0}), kIdle);
  EXPECT_NEAR(errors({0, 0, 2, 0}), (3 + 1) * kOnce, 1e-2) << "three times the rate of then, and its own";
}

TEST_F(Copyback, LeavesSectorsAloneThatAreMovedInOnTheWay) {
  bench().program({0, 0, 1, 0});
  ASSERT_EQ(copy({0, 0, 1, 0}, {0, 0, 2, 0}, 1), kIdle);
  EXPECT_NEAR(errors({0, 0, 2, 0}, 0), 2 * kOnce, 1e-3);
  EXPECT_NEAR(errors({0, 0, 2, 0}, 1), kOnce, 1e-3);
}

TEST_F(Copyback, IsForgottenWithAnErase) {
  bench().program({0, 0, 1, 0});
  copy({0, 0, 1, 0}, {0, 0, 2, 0});
  bench().erase({0, 0, 2, 0});
  bench().program({0, 0, 2, 0});
  EXPECT_LT(errors({0, 0, 2, 0}), 1.01 * kOnce);
}

class BoundedCopyback : public Copyback {
 protected:
  static hw::NandConfig part() {
    hw::NandConfig c = noisy_part();
    c.copybacks = 2;
    return c;
  }
  BoundedCopyback() : Copyback(part()) {}
};

TEST_F(BoundedCopyback, EndsWithTheLastMoveThatThePartTakes) {
  bench().program({0, 0, 1, 0});
  EXPECT_EQ(copy({0, 0, 1, 0}, {0, 0, 2, 0}), kIdle);
  EXPECT_EQ(copy({0, 0, 2, 0}, {0, 0, 3, 0}), kIdle);
  EXPECT_EQ(copy({0, 0, 3, 0}, {0, 0, 4, 0}), kFailed);
  EXPECT_EQ(found(), "sequence");
  EXPECT_EQ(bench().package().die(0).cells().store().block(0, 4).programmed, 0u);
  EXPECT_EQ(copy({0, 0, 1, 0}, {0, 0, 4, 0}), kIdle) << "the first page has not moved";
}

TEST_F(BoundedCopyback, BeginsAgainBehindAProgram) {
  bench().program({0, 0, 1, 0});
  copy({0, 0, 1, 0}, {0, 0, 2, 0});
  copy({0, 0, 2, 0}, {0, 0, 3, 0});
  bench().erase({0, 0, 1, 0});
  bench().program({0, 0, 1, 0});
  EXPECT_EQ(copy({0, 0, 1, 0}, {0, 0, 4, 0}), kIdle);
  bench().erase({0, 0, 3, 0});
  bench().program({0, 0, 3, 0});
  EXPECT_EQ(copy({0, 0, 3, 0}, {0, 0, 5, 0}), kIdle);
  EXPECT_EQ(found(), "");
}

class NoCopyback : public Copyback {
 protected:
  static hw::NandConfig part() {
    hw::NandConfig c = noisy_part();
    c.copybacks = 0;
    return c;
  }
  NoCopyback() : Copyback(part()) {}
};

TEST_F(NoCopyback, IsRefusedAndNotPromisedInTheParameterPage) {
  bench().program({0, 0, 1, 0});
  EXPECT_EQ(copy({0, 0, 1, 0}, {0, 0, 2, 0}), kFailed);
  EXPECT_EQ(found(), "sequence");
  EXPECT_EQ(hw::make_parameter_page(config)[8] & 1u << 4, 0);
  EXPECT_NE(hw::make_parameter_page(noisy_part())[8] & 1u << 4, 0);
}

} // namespace
} // namespace twinplane::test::copyback_test
