// Does the controller act on data that did not come?
#include <gtest/gtest.h>

#include <cstring>

#include "firmware/nvme/features.h"
#include "tests/support/nvme_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::nvme_data_errors_test {
namespace {

constexpr std::uint32_t kBytes = 16; // of a sector that really move

/// Runs a command whose data fail to come to the device.
Completion failing(NvmeBench& bench, std::uint16_t sqid, const nvme::Sqe& sqe, std::size_t bytes,
                   std::uint16_t status) {
  bench.front.completions.clear();
  const std::uint16_t slot = bench.front.fetch(sqid, sqe, std::vector<std::uint8_t>(bytes));
  bench.front.fail_data(slot, status);
  bench.run();
  return bench.take();
}

class DataError : public ::testing::TestWithParam<std::uint16_t> {};

TEST_P(DataError, IsWhatACompareAnswers) {
  NvmeBench bench;
  bench.enable();
  std::memset(bench.storage.sector(5), 0x5A, kBytes);
  const Completion c = failing(bench, 1, transfer(nvme::io::compare, 5, 1), kBytes, GetParam());
  EXPECT_EQ(c.status, GetParam());
  EXPECT_EQ(c.dnr, GetParam() == nvme::status::prp_offset);
  // the next one is judged by its content again
  EXPECT_EQ(bench.io(transfer(nvme::io::compare, 5, 1), std::vector<std::uint8_t>(kBytes)).status,
            nvme::status::compare_failure);
  EXPECT_EQ(bench.io(transfer(nvme::io::compare, 5, 1), std::vector<std::uint8_t>(kBytes, std::uint8_t{0x5A}))
                .status,
            nvme::status::success);
}

TEST_P(DataError, KeepsDatasetManagementFromTrimming) {
  NvmeBench bench;
  bench.enable();
  constexpr std::uint32_t kDeallocate = 4;
  const nvme::Sqe dsm = sqe(nvme::io::dataset_management, 1, 1, kDeallocate); // two ranges
  EXPECT_EQ(failing(bench, 1, dsm, 2 * sizeof(nvme::DsmRange), GetParam()).status, GetParam());
  EXPECT_TRUE(bench.storage.log.empty());
  for (int i = 0; i < 16; ++i)
    failing(bench, 1, dsm, 2 * sizeof(nvme::DsmRange), GetParam()); // gives its buffer
}

TEST_P(DataError, KeepsTheTimestamp) {
  NvmeBench bench;
  bench.enable();
  std::vector<std::uint8_t> time(8, 0);
  time[2] = 0x77;
  ASSERT_EQ(bench.admin(sqe(nvme::admin::set_features, 0, fw::feature_id::timestamp), time).status, 0u);
  EXPECT_EQ(
      failing(bench, 0, sqe(nvme::admin::set_features, 0, fw::feature_id::timestamp), 8, GetParam()).status,
      GetParam());
  ASSERT_EQ(
      bench.admin(sqe(nvme::admin::get_features, 0, fw::feature_id::timestamp), std::vector<std::uint8_t>(8))
          .status,
      0u);
  EXPECT_EQ(bench.data()[2], 0x77);
}

INSTANTIATE_TEST_SUITE_P(Statuses, DataError,
                         ::testing::Values(nvme::status::prp_offset, nvme::status::data_transfer_error),
                         parameter_name);

} // namespace
} // namespace twinplane::test::nvme_data_errors_test
