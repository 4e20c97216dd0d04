// Do wrong bits really cross the bus, does the decoder take exactly those away that it can, and is what stays
// the sectors that are told? Oracle: every byte that was written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/hw/retry_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::controller_flips_test {
namespace {

class ControllerFlips : public ControllerRetry {
 protected:
  static constexpr std::uint32_t kPage = 8192; // two sectors
  ControllerFlips() {
    config.data_mode = DataMode::full;
    part.errors.reading = ErrorReading::drawn;
  }
  /// A page whose data are written at run time; then it is read once.
  void write_and_read(double errors) {
    part.errors.rates = {{0, errors / 8752}, {4000, errors / 8752}};
    Geometry g = small_geometry(1);
    g.page_size = kPage;
    boot(g);
    FlashDescriptor program = bench->descriptor(FlashOp::program, {0, 0, 1, 0});
    program.sector_mask = 3;
    std::mt19937 random(5);
    for (std::uint32_t i = 0; i < kPage; ++i) {
      written.push_back(static_cast<std::uint8_t>(random()));
      bench->dram.data()[program.buffer + i] = written.back();
    }
    submit({program});
    sc_core::sc_start();
    std::fill_n(&bench->dram.data()[program.buffer], kPage, std::uint8_t{0});
    FlashDescriptor back = bench->descriptor(FlashOp::read, {0, 0, 1, 0});
    back.sector_mask = 3;
    submit({back});
    sc_core::sc_start();
    ASSERT_EQ(bench->done.size(), 2u);
    read_back.assign(&bench->dram.data()[back.buffer], &bench->dram.data()[back.buffer] + kPage);
  }
  /// Bits in which a sector differs from what was written.
  std::uint32_t wrong(std::uint32_t sector) const {
    std::uint32_t bits = 0;
    for (std::uint32_t i = sector * 4096; i < (sector + 1) * 4096; ++i)
      bits += static_cast<std::uint32_t>(__builtin_popcount(written[i] ^ read_back[i]));
    return bits;
  }
  std::vector<std::uint8_t> written, read_back;
};

TEST_F(ControllerFlips, AreCorrectedInTheData) {
  write_and_read(10);
  EXPECT_EQ(done(1).completion.result, 0);
  EXPECT_GT(done(1).completion.corrected_bits, 40u);
  EXPECT_EQ(wrong(0) + wrong(1), 0u);
}

TEST_F(ControllerFlips, StayInSectorsThatCannotBeCorrected) {
  config.read_retries = 0;
  write_and_read(200);
  EXPECT_EQ(done(1).completion.result, flash_result::uncorrectable);
  EXPECT_EQ(done(1).completion.failed_sectors, 3u);
  for (const std::uint32_t sector : {0u, 1u}) { // four codewords each, of 8752 bits of which 8192 are data
    EXPECT_NEAR(wrong(sector), 4 * 200 * 8192.0 / 8752, 4 * std::sqrt(800.0)) << sector;
  }
}

TEST_F(ControllerFlips, AreOnesOfTheLastReadOnlyOnceItIsCorrected) {
  write_and_read(60); // halved at level 1
  EXPECT_EQ(done(1).completion.result, 0);
  EXPECT_NE(commands.text.find("D5:1"), std::string::npos);
  EXPECT_EQ(wrong(0) + wrong(1), 0u);
}

// Of 4 codewords with 33.5 wrong bits in the mean, one has more than 40 in about every third sector.
class SectorFlips : public ControllerFlips, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(SectorFlips, StayWhereTheyAreToldAndNowhereElse) {
  config.read_retries = 0;
  part.errors.seed = GetParam();
  write_and_read(33.5);
  const std::uint32_t failed = done(1).completion.failed_sectors;
  EXPECT_EQ(done(1).completion.result != 0, failed != 0);
  for (const std::uint32_t sector : {0u, 1u}) EXPECT_EQ(wrong(sector) != 0, (failed >> sector & 1u) != 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SectorFlips, ::testing::Range(1u, 13u), parameter_name);

} // namespace
} // namespace twinplane::test::controller_flips_test
