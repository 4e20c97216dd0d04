// Do consecutive programs of a die take max(tPROG, transfer) each, and is each told its own result when it is
// known? Oracle: the closed form, on a bus where only program data take time; behind 15h RDY comes tCBSY
// after an idle array has started.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/controller_bench.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::controller_cache_program_test {
namespace {

constexpr TimePs kTransfer = us(25);
constexpr std::uint32_t kPages = 12;

BusTiming program_data_only_bus() {
  BusTiming t;
  t.data_in = {kTransfer, 4096};
  return t;
}

class ControllerCacheProgram : public ::testing::Test, public hw::DmaFence {
 protected:
  ControllerCacheProgram() { config.cache_programs = true; }

  void boot(TimePs tPROG, std::uint32_t planes = 1) {
    array.tPROG = {tPROG, tPROG, tPROG, tPROG};
    array.tDBSY = 0;
    bench = std::make_unique<ControllerBench>("bench", small_geometry(1, planes), program_data_only_bus(),
                                              array, config);
    bench->controller->dma_fence.bind(*this);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench->boot();
  }
  TimePs done_at(std::uint32_t /*index*/) const override { return fence; }

  void put_program(const Ppa& at, std::uint8_t flags = 0) {
    bench->put(bench->descriptor(FlashOp::program, at, flags));
  }
  void put_run(std::uint32_t block, std::uint32_t pages) {
    for (std::uint32_t page = 0; page < pages; ++page) put_program({0, 0, block, page});
  }
  void run(std::size_t operations, std::uint64_t violations = 0) {
    bench->ring();
    sc_core::sc_start();
    ASSERT_EQ(bench->done.size(), operations);
    EXPECT_EQ(bench->violations(), violations);
    for (const Done& d : bench->done) {
      EXPECT_EQ(d.completion.bus_ps + d.completion.array_ps + d.completion.bus_wait_ps, d.visible_at);
    }
  }
  std::vector<TimePs> times() const {
    std::vector<TimePs> all;
    for (const Done& d : bench->done) all.push_back(d.visible_at);
    return all;
  }
  std::vector<int> results() const {
    std::vector<int> all(bench->done.size());
    for (const Done& d : bench->done) all[d.completion.cookie] = d.completion.result;
    return all;
  }
  std::uint64_t cached() const { return bench->controller->statistics().cache_programs; }

  hw::FlashControllerConfig config;
  ArrayTiming array;
  TimePs fence = 0;
  std::unique_ptr<ControllerBench> bench;
};

TEST_F(ControllerCacheProgram, ASlowArrayTakesAPageEachTPROG) {
  boot(us(200));
  put_run(2, kPages);
  run(kPages);
  for (std::uint32_t page = 0; page + 2 < kPages; ++page) {
    EXPECT_EQ(bench->done[page].visible_at, kTransfer + (page + 1) * us(200)) << page;
    EXPECT_EQ(bench->done[page].completion.array_ps, us(200));
  }
  // behind the 10h R/B# rises with the end of both
  EXPECT_EQ(bench->done[kPages - 2].visible_at, kTransfer + kPages * us(200));
  EXPECT_EQ(bench->done[kPages - 1].visible_at, kTransfer + kPages * us(200));
  EXPECT_EQ(cached(), kPages - 1);
}

TEST_F(ControllerCacheProgram, AFastArrayTakesAPageEachTransfer) {
  boot(us(10));
  put_run(2, kPages);
  run(kPages);
  EXPECT_EQ(bench->done.back().visible_at, kPages * kTransfer + (kPages - 1) * array.tCBSY + us(10));
}

TEST_F(ControllerCacheProgram, OffAPageTakesBoth) {
  config.cache_programs = false;
  boot(us(200));
  put_run(2, kPages);
  run(kPages);
  EXPECT_EQ(bench->done.back().visible_at, kPages * (kTransfer + us(200)));
  EXPECT_EQ(cached(), 0u);
}

TEST_F(ControllerCacheProgram, AllPlanesOfAGroupGoOnTogether) {
  boot(us(200), 2);
  for (std::uint32_t page = 0; page < kPages; ++page) {
    put_program({0, 0, 2, page}, flash_flag::more);
    put_program({0, 1, 2, page});
  }
  run(2 * kPages);
  EXPECT_EQ(bench->done.back().visible_at, 2 * kTransfer + kPages * us(200));
  EXPECT_EQ(cached(), kPages - 1);
}

TEST_F(ControllerCacheProgram, AnotherBlockOrOperationEndsTheRun) {
  boot(us(200));
  put_run(2, 3);
  put_run(3, 2);
  bench->put(bench->descriptor(FlashOp::read, {0, 0, 3, 1}));
  put_program({0, 0, 3, 2});
  bench->put(bench->descriptor(FlashOp::erase, {0, 0, 4, 0}));
  run(8);
  EXPECT_EQ(cached(), 2u + 1u);
  EXPECT_EQ(results(), std::vector<int>(8, 0));
}

TEST_F(ControllerCacheProgram, EachFailureIsToldToItsOwnProgram) {
  expect_reports("twinplane.nand");
  boot(us(200));
  for (const std::uint32_t page : {0u, 1u, 5u, 2u, 3u, 9u}) put_program({0, 0, 2, page}); // 5, 9: not in turn
  put_program({0, 0, 3, 0});
  run(7, 2);
  constexpr int kFail = flash_result::fail;
  EXPECT_EQ(results(), (std::vector<int>{0, 0, kFail, 0, 0, kFail, 0}));
}

TEST_F(ControllerCacheProgram, AFailureIsToldToItsOwnPlane) {
  expect_reports("twinplane.nand");
  boot(us(200), 2);
  for (std::uint32_t page = 0; page < 4; ++page) bench->program_now({0, 1, 2, page});
  for (std::uint32_t page = 0; page < 6; ++page) {
    put_program({0, 0, 2, page}, flash_flag::more);
    put_program({0, 1, 2, page});
  }
  run(12, 4);
  std::vector<int> expected(12, 0);
  for (const std::size_t second_plane : {1u, 3u, 5u, 7u}) expected[second_plane] = flash_result::fail;
  EXPECT_EQ(results(), expected);
}

TEST_F(ControllerCacheProgram, DataThatComeLateHoldUpNoResult) {
  boot(us(200));
  put_program({0, 0, 2, 0});
  FlashDescriptor late = bench->descriptor(FlashOp::program, {0, 0, 2, 1});
  late.fence = 1;
  fence = us(700);
  bench->put(late);
  run(2);
  EXPECT_EQ(times(), (std::vector<TimePs>{kTransfer + us(200), us(700) + kTransfer + us(200)}));
}

TEST_F(ControllerCacheProgram, DataOfUnknownTimeHoldUpNoResult) {
  boot(us(200));
  put_program({0, 0, 2, 0});
  FlashDescriptor late = bench->descriptor(FlashOp::program, {0, 0, 2, 1});
  late.fence = 1;
  fence = kNever;
  bench->put(late);
  bench->ring();
  sc_core::sc_start(sc_core::sc_time(400, sc_core::SC_US));
  ASSERT_EQ(bench->done.size(), 1u);
  EXPECT_EQ(bench->done[0].visible_at, kTransfer + us(200));
  fence = us(401);
  sc_core::sc_start();
  ASSERT_EQ(bench->done.size(), 2u);
  EXPECT_EQ(bench->done[1].visible_at, us(401) + kTransfer + us(200));
}

TEST_F(ControllerCacheProgram, APollingControllerProgramsTheSamePages) {
  config.poll_status = true;
  boot(us(200));
  put_run(2, kPages);
  run(kPages);
  EXPECT_EQ(cached(), kPages - 1);
  EXPECT_LE(bench->done.back().visible_at, kTransfer + kPages * (us(200) + 2 * config.poll_interval));
}

TEST_F(ControllerCacheProgram, AReadThatMayPassEndsTheRun) {
  config.suspend.enabled = true;
  config.suspend.gain = us(10);
  array.tR = {us(20), us(20), us(20), us(20)};
  array.tPSPD = us(5);
  boot(us(500));
  bench->program_now({0, 0, 5, 0});
  put_run(2, kPages);
  bench->ring();
  sc_core::sc_start(
      sc_core::sc_time(1300, sc_core::SC_US)); // the third page is in the array, the fourth loaded
  bench->put(bench->descriptor(FlashOp::read, {0, 0, 5, 0}));
  bench->ring();
  sc_core::sc_start();
  ASSERT_EQ(bench->done.size(), kPages + 1);
  EXPECT_EQ(bench->violations(), 0u);
  EXPECT_EQ(results(), std::vector<int>(kPages + 1, 0));
  const auto read = std::find_if(bench->done.begin(), bench->done.end(),
                                 [](const Done& d) { return d.completion.cookie == kPages; });
  // the rest of the third and the fourth page, the fifth's data, tPSPD and tR
  EXPECT_EQ(read->visible_at, kTransfer + 4 * us(500) + kTransfer + us(5) + us(20));
  EXPECT_EQ(bench->controller->statistics().suspends, 1u);
}

} // namespace
} // namespace twinplane::test::controller_cache_program_test
