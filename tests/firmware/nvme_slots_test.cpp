// Do a few command slots suffice? A parked asynchronous event request holds one for as long as nothing
// happens, and the host may send as many as identify says.
#include <gtest/gtest.h>

#include "tests/support/nvme_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::nvme_slots_test {
namespace {

class NvmeSlots : public testing::TestWithParam<std::uint32_t> {};

TEST_P(NvmeSlots, ParkedEventRequestsLeaveOneForOtherCommands) {
  NvmeBench bench(NvmeBench::default_config(), GetParam());
  bench.front.raise_event(reg::host_event::enabled);
  bench.run();
  const auto entry = sqe(nvme::admin::identify, 0, 1);
  ASSERT_EQ(bench.admin(entry, std::vector<std::uint8_t>(4096)).status, nvme::status::success);
  const std::uint32_t allowed = bench.data()[259] + 1u; // AERL
  EXPECT_GE(allowed, 1u);
  for (std::uint32_t i = 0; i < allowed; ++i) {
    auto request = sqe(nvme::admin::async_event);
    request.cid = static_cast<std::uint16_t>(100 + i);
    bench.front.fetch(0, request);
  }
  bench.run();
  EXPECT_TRUE(bench.front.completions.empty()) << "identify allows them";
  EXPECT_LT(bench.controller.in_flight(), GetParam());
  EXPECT_EQ(bench.admin(sqe(nvme::admin::async_event)).status, nvme::status::aer_limit);
}

INSTANTIATE_TEST_SUITE_P(Few, NvmeSlots, testing::Range(2u, 8u), parameter_name);

} // namespace
} // namespace twinplane::test::nvme_slots_test
