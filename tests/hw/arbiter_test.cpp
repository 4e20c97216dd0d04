// Whom does each arbiter give the bus?
#include <gtest/gtest.h>

#include <vector>

#include "hw/channel/arbiter.h"

namespace twinplane::hw::arbiter_test {
namespace {

std::uint32_t picked(Arbiter& arbiter, const std::vector<BusRequest>& requests, TimePs now = 10) {
  return requests[arbiter.pick(requests.data(), requests.size(), now)].die;
}

TEST(Arbiter, ServesDiesInTurnWhateverTheirOrder) {
  const auto arbiter = make_arbiter("round_robin");
  const std::vector<BusRequest> up{
      {0, TenureKind::program, 0}, {2, TenureKind::program, 0}, {5, TenureKind::program, 0}};
  const std::vector<BusRequest> down{up[2], up[1], up[0]};
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(picked(*arbiter, up), 0u);
    EXPECT_EQ(picked(*arbiter, down), 2u);
    EXPECT_EQ(picked(*arbiter, up), 5u);
  }
}

TEST(Arbiter, SharesTheBusEquallyInTurn) {
  const auto arbiter = make_arbiter("round_robin");
  std::vector<BusRequest> all(8);
  for (std::uint32_t d = 0; d < 8; ++d)
    all[d] = {d, d % 2 == 0 ? TenureKind::data_out : TenureKind::program, 0};
  std::vector<int> served(8, 0);
  for (int i = 0; i < 800; ++i) ++served[picked(*arbiter, all)];
  for (const int count : served) EXPECT_EQ(count, 100);
}

TEST(Arbiter, PrefersReadsThenTheLongestWait) {
  const auto arbiter = make_arbiter("read_first");
  EXPECT_EQ(
      picked(*arbiter,
             {{0, TenureKind::program, 1}, {1, TenureKind::data_out, 9}, {2, TenureKind::read_command, 9}}),
      2u);
  EXPECT_EQ(picked(*arbiter, {{0, TenureKind::program, 1}, {1, TenureKind::data_out, 9}}), 1u);
  EXPECT_EQ(picked(*arbiter, {{0, TenureKind::program, 1}, {1, TenureKind::erase, 9}}), 1u);
  EXPECT_EQ(picked(*arbiter, {{0, TenureKind::data_out, 7}, {1, TenureKind::data_out, 3}}), 1u);
  EXPECT_EQ(picked(*arbiter, {{4, TenureKind::data_out, 3}, {1, TenureKind::data_out, 3}}), 1u);
}

TEST(Arbiter, PrefersTheShorterTenureThenTheLongestWait) {
  const auto arbiter = make_arbiter("shortest_tenure_first");
  const std::vector<TenureKind> by_length{TenureKind::status,   TenureKind::other,
                                          TenureKind::erase,    TenureKind::read_command,
                                          TenureKind::data_out, TenureKind::program};
  for (std::uint32_t i = 0; i + 1 < by_length.size(); ++i) {
    EXPECT_EQ(picked(*arbiter, {{0, by_length[i + 1], 1}, {1, by_length[i], 9}}), 1u) << i;
  }
  EXPECT_EQ(picked(*arbiter, {{0, TenureKind::program, 7}, {1, TenureKind::program, 3}}), 1u);
  EXPECT_EQ(picked(*arbiter, {{4, TenureKind::status, 3}, {1, TenureKind::status, 3}}), 1u);
}

TEST(Arbiter, WithAnAgeLimitTheLongestWaitAboveItGoesFirst) {
  const auto arbiter = make_aged_arbiter(make_arbiter("read_first"), 100);
  const std::vector<BusRequest> requests{
      {0, TenureKind::program, 20}, {1, TenureKind::read_command, 90}, {2, TenureKind::erase, 30}};
  EXPECT_EQ(picked(*arbiter, requests, 120), 1u) << "none has waited for longer than the limit";
  EXPECT_EQ(picked(*arbiter, requests, 121), 0u);
  EXPECT_EQ(picked(*arbiter, {requests[1], requests[2]}, 131), 2u);
  EXPECT_EQ(picked(*arbiter, {{3, TenureKind::program, 5}, {1, TenureKind::program, 5}}, 500), 1u);
}

TEST(Arbiter, IsFoundByName) {
  for (const ArbiterName& row : kArbiters) EXPECT_NE(make_arbiter(row.name), nullptr);
  EXPECT_EQ(make_arbiter("coin_toss"), nullptr);
}

} // namespace
} // namespace twinplane::hw::arbiter_test
