// Do consecutive reads of a die take max(tR, transfer) each? Oracle: the closed form, on a bus where
// only data take time; RDY comes tRCBSY after the array starts, before data can leave.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::controller_cache_test {
namespace {

constexpr TimePs kTransfer = us(25);
constexpr std::uint32_t kPages = 12;

class ControllerCache : public ::testing::Test {
 protected:
  ControllerCache() { config.cache_reads = true; }

  void boot(TimePs tR, std::uint32_t planes = 1) {
    array.tR = {tR, tR, tR, tR};
    array.tDBSY = 0;
    bench = std::make_unique<ControllerBench>("bench", small_geometry(1, planes), data_only_bus(kTransfer),
                                              array, config);
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      for (std::uint32_t page = 0; page < kPages; ++page) bench->program_now({0, plane, 2, page});
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench->boot();
  }
  void run(std::size_t operations) {
    bench->ring();
    sc_core::sc_start();
    ASSERT_EQ(bench->done.size(), operations);
    EXPECT_EQ(bench->violations(), 0u);
    for (const Done& d : bench->done) {
      EXPECT_EQ(d.completion.result, 0);
      EXPECT_EQ(d.completion.bus_ps + d.completion.array_ps + d.completion.bus_wait_ps, d.visible_at);
    }
  }
  void read_in_order() {
    for (std::uint32_t page = 0; page < kPages; ++page) {
      bench->put(bench->descriptor(FlashOp::read, {0, 0, 2, page}));
    }
    run(kPages);
  }
  void expect_pages(TimePs first, TimePs each) const {
    for (std::uint32_t page = 0; page < kPages; ++page) {
      EXPECT_EQ(bench->done[page].completion.cookie, page);
      EXPECT_EQ(bench->done[page].visible_at, first + page * each) << page;
    }
  }

  hw::FlashControllerConfig config;
  ArrayTiming array;
  std::unique_ptr<ControllerBench> bench;
};

TEST_F(ControllerCache, ASlowArrayGivesAPageEachTR) {
  boot(us(65));
  read_in_order();
  expect_pages(us(65) + array.tRCBSY + kTransfer, us(65));
  EXPECT_EQ(bench->controller->statistics().cache_reads, kPages - 1);
}

TEST_F(ControllerCache, AFastArrayGivesAPageEachTransfer) {
  boot(us(10));
  read_in_order();
  expect_pages(us(10) + array.tRCBSY + kTransfer, array.tRCBSY + kTransfer);
}

TEST_F(ControllerCache, OffAPageTakesBoth) {
  config.cache_reads = false;
  boot(us(65));
  read_in_order();
  expect_pages(us(65) + kTransfer, us(65) + kTransfer);
}

TEST_F(ControllerCache, AllPlanesOfAGroupGoOnTogether) {
  boot(us(100), 2);
  for (std::uint32_t page = 0; page < kPages; ++page) {
    bench->put(bench->descriptor(FlashOp::read, {0, 0, 2, page}, flash_flag::more));
    bench->put(bench->descriptor(FlashOp::read, {0, 1, 2, page}));
  }
  run(2 * kPages);
  for (std::uint32_t page = 0; page < kPages; ++page) {
    EXPECT_EQ(bench->done[2 * page + 1].visible_at, (page + 1) * us(100) + array.tRCBSY + 2 * kTransfer);
  }
}

TEST_F(ControllerCache, AnotherPageOrOperationEndsTheRun) {
  boot(us(65));
  for (const std::uint32_t page : {0u, 1u, 5u, 6u, 3u}) {
    bench->put(bench->descriptor(FlashOp::read, {0, 0, 2, page}));
  }
  bench->put(bench->descriptor(FlashOp::program, {0, 0, 3, 0}));
  bench->put(bench->descriptor(FlashOp::read, {0, 0, 2, 4}));
  run(7);
  EXPECT_EQ(bench->controller->statistics().cache_reads, 2u);
}

TEST_F(ControllerCache, APollingControllerReadsTheSamePages) {
  config.poll_status = true;
  boot(us(65));
  for (std::uint32_t page = 0; page < kPages; ++page) {
    bench->put(bench->descriptor(FlashOp::read, {0, 0, 2, page}));
  }
  run(kPages);
  EXPECT_EQ(bench->controller->statistics().cache_reads, kPages - 1);
}

} // namespace
} // namespace twinplane::test::controller_cache_test
