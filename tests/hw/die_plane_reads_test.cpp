// Do planes of a part with independent reads work, answer and get ready each for itself, is everything else
// refused meanwhile, and do die and monitor agree about it?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::die_plane_reads_test {
namespace {

using hw::MonitorRule;
using hw::PhaseKind;
using hw::Rule;

constexpr std::uint32_t kPlanes = 4;
constexpr std::uint8_t kReady = 0xE0;
constexpr std::uint8_t kBusy = 0x80;

hw::NandConfig part(bool independent = true) {
  hw::NandConfig c = small_part();
  c.geometry.planes_per_die = kPlanes;
  c.independent_plane_reads = independent;
  c.partial_programs = 1;
  return c;
}

/// Pages 0 .. 5 of block 0 of each plane are programmed; their word tells plane and page.
class PlaneReads : public testing::Test {
 protected:
  explicit PlaneReads(bool independent = true) : flash(part(independent)) {
    for (std::uint32_t plane = 0; plane < kPlanes; ++plane) {
      for (std::uint32_t page = 0; page < 6; ++page) {
        EXPECT_EQ(bench.program({0, plane, 0, page}, word(plane, page)), kReady);
      }
    }
    bench.arrays.clear();
  }

  static std::uint64_t word(std::uint32_t plane, std::uint32_t page) { return plane * 100 + page; }
  /// 00h-A5-30h as soon as the bus allows; the time at which the array begins.
  TimePs start(std::uint32_t plane, std::uint32_t page, std::uint8_t confirm = 0x30) {
    bench.cycles.clear().command(0x00).page_address(bench.row({0, plane, 0, page})).command(confirm);
    return bench.send();
  }
  /// 06h-A5-E0h and data out at `at`; the word of the page.
  std::uint64_t take(std::uint32_t plane, TimePs at) {
    std::uint64_t oob = 0;
    bench.cycles.clear().command(0x06).page_address(bench.row({0, plane, 0, 0})).command(0xE0);
    bench.cycles.page_data(PhaseKind::data_out, 3, nullptr, &oob);
    bench.send(at);
    return oob;
  }
  TimePs tR(std::uint32_t page) { return part().array.tR[PageOrderTable(CellType::tlc, 48).type(page)]; }

  WatchedFlash flash;
  FlashBench& bench = flash.bench;
};

struct PlaneReadsOff : PlaneReads {
  PlaneReadsOff() : PlaneReads(false) {}
};

TEST_F(PlaneReads, OverlapTheirArrayTimes) {
  TimePs last = 0;
  for (std::uint32_t plane = 0; plane < kPlanes; ++plane) {
    const TimePs begin = start(plane, 0);
    EXPECT_EQ(bench.cycles.tenure().plane_ready_at, begin + tR(0));
    last = begin + tR(0);
    EXPECT_EQ(bench.ready(), last) << "R/B# rises with the last plane";
  }
  ASSERT_EQ(bench.arrays.size(), kPlanes);
  for (std::uint32_t plane = 1; plane < kPlanes; ++plane) {
    EXPECT_EQ(bench.arrays[plane].plane, plane);
    EXPECT_LT(bench.arrays[plane].start, bench.arrays[0].end);
  }
  for (std::uint32_t plane = 0; plane < kPlanes; ++plane) EXPECT_EQ(take(plane, last), word(plane, 0));
  const hw::NandStatistics& s = bench.package().statistics();
  EXPECT_EQ(s.independent_reads, kPlanes - 1);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(PlaneReads, CountTheDieAsBusyOnceAndEveryPlane) {
  const hw::DieStatistics before = bench.package().statistics().dies[0];
  const TimePs first = start(0, 0);
  const TimePs second = start(1, 0);
  const hw::DieStatistics& after = bench.package().statistics().dies[0];
  EXPECT_EQ(after.busy - before.busy, second + tR(0) - first);
  EXPECT_EQ(after.plane_busy - before.plane_busy, 2 * tR(0));
  const hw::DieStatistics rest = bench.package().still_to_do(0, second);
  EXPECT_EQ(rest.busy, tR(0));
  EXPECT_EQ(rest.plane_busy, tR(0) + (first + tR(0) - second));
  EXPECT_EQ(bench.package().still_to_do(0, second + tR(0)).busy, 0u);
}

TEST_F(PlaneReads, ShowTheirReadinessByPlane) {
  const TimePs first = start(0, 2) + tR(2);  // longer than the others: MSB or CSB
  const TimePs second = start(1, 0) + tR(0); // launched later, ready earlier
  ASSERT_LT(second, first);
  EXPECT_EQ(bench.ready(), first);
  EXPECT_EQ(bench.status({0, 0, 0, 0}), kBusy);
  EXPECT_EQ(bench.status({0, 1, 0, 0}), kBusy);
  EXPECT_EQ(bench.status({0, 2, 0, 0}), kReady) << "a plane that does nothing";
  EXPECT_EQ(bench.status({0, 1, 0, 0}, 0x78, second), kReady);
  EXPECT_EQ(bench.status({0, 0, 0, 0}), kBusy);
  EXPECT_EQ(bench.status({0, 0, 0, 0}, 0x70), kBusy) << "70h is ready when every plane is";
  EXPECT_EQ(bench.status({0, 0, 0, 0}, 0x70, first), kReady);
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(PlaneReads, PutOutDataOfAReadyPlaneWhileAnotherReads) {
  const TimePs second = start(1, 0) + tR(0);
  start(0, 2);
  EXPECT_EQ(take(1, second), word(1, 0));
  start(1, 1); // and the plane takes the next read
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(PlaneReads, GiveNothingOutOfAPlaneThatReads) {
  start(0, 2);
  const TimePs second = start(1, 0) + tR(0);
  EXPECT_NE(take(0, second), word(0, 2));
  EXPECT_GT(bench.violations(Rule::busy), 0u);
  EXPECT_EQ(flash.monitor.statistics().of(MonitorRule::disagreement), 0u);
}

TEST_F(PlaneReads, KeepTheResultOfARefusedNeighbourApart) {
  start(0, 0);
  start(1, 0);
  const TimePs end = start(2, 47 + 2) + tR(2); // no such page
  bench.status({0, 2, 0, 0}, 0x78, end);
  EXPECT_EQ(bench.status({0, 2, 0, 0}), kReady | 0x01);
  EXPECT_EQ(bench.status({0, 1, 0, 0}), kReady);
  EXPECT_EQ(take(0, end), word(0, 0));
  EXPECT_EQ(flash.monitor.statistics().of(MonitorRule::disagreement), 0u);
}

TEST_F(PlaneReads, AreCutOffByAReset) {
  const TimePs busy_before = bench.package().statistics().dies[0].busy;
  const TimePs first = start(0, 2);
  start(1, 2);
  bench.cycles.clear().command(0xFF);
  const TimePs at = bench.send();
  EXPECT_EQ(bench.ready(), at + part().array.tRST_read);
  EXPECT_EQ(bench.package().statistics().aborted, 2u);
  EXPECT_EQ(bench.package().statistics().dies[0].busy - busy_before, at - first);
  EXPECT_EQ(bench.status({0, 2, 0, 0}), kBusy) << "a reset is the whole LUN's";
  bench.now = at + part().array.tRST_read;
  EXPECT_EQ(bench.read({0, 0, 0, 0}), kReady);
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(PlaneReadsOff, AreRefused) {
  start(0, 0);
  start(1, 0);
  EXPECT_EQ(bench.violations(Rule::busy), 1u);
  EXPECT_EQ(flash.findings.text(), "busy");
}

/// What is no 30h of a single ready plane.
struct Intruder {
  const char* name;
  void (*send)(Cycles&, const FlashBench&, std::uint32_t row_of_plane[kPlanes]);
};
std::ostream& operator<<(std::ostream& out, const Intruder& i) {
  return out << i.name;
}

class Intruders : public PlaneReads, public testing::WithParamInterface<Intruder> {};

TEST_P(Intruders, AreRefusedWhilePlanesRead) {
  std::uint32_t rows[kPlanes];
  for (std::uint32_t plane = 0; plane < kPlanes; ++plane) rows[plane] = bench.row({0, plane, 0, 2});
  start(0, 2);
  start(1, 2);
  bench.cycles.clear();
  GetParam().send(bench.cycles, bench, rows);
  bench.send();
  EXPECT_GE(bench.violations(Rule::busy), 1u);
  EXPECT_EQ(flash.monitor.statistics().of(MonitorRule::disagreement), 0u);
  EXPECT_NE(flash.findings.text(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Intruders,
    testing::Values(
        Intruder{"same_plane",
                 [](Cycles& c, const FlashBench&, std::uint32_t* rows) {
                   c.command(0x00).page_address(rows[1]).command(0x30);
                 }},
        Intruder{"multi_plane",
                 [](Cycles& c, const FlashBench&, std::uint32_t* rows) {
                   c.command(0x00).page_address(rows[2]).command(0x32);
                   c.command(0x00).page_address(rows[3]).command(0x30);
                 }},
        Intruder{"cache_read",
                 [](Cycles& c, const FlashBench&, std::uint32_t* rows) {
                   c.command(0x00).page_address(rows[2]).command(0x31);
                 }},
        Intruder{"next_page", [](Cycles& c, const FlashBench&, std::uint32_t*) { c.command(0x31); }},
        Intruder{"copyback",
                 [](Cycles& c, const FlashBench&, std::uint32_t* rows) {
                   c.command(0x00).page_address(rows[2]).command(0x35);
                 }},
        Intruder{"program",
                 [](Cycles& c, const FlashBench&, std::uint32_t* rows) {
                   c.command(0x80).page_address(rows[2]).bytes(PhaseKind::data_in, nullptr, 0).command(0x10);
                 }},
        Intruder{"erase", [](Cycles& c, const FlashBench&,
                             std::uint32_t* rows) { c.command(0x60).row_address(rows[2]).command(0xD0); }},
        Intruder{"get_features",
                 [](Cycles& c, const FlashBench&, std::uint32_t*) { c.command(0xEE).short_address(0x01); }}),
    parameter_name);

/// Random reads and status reads at any time, a third of them where a plane is busy.
class RandomPlaneReads : public PlaneReads, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(RandomPlaneReads, AgreeBetweenDieMonitorAndAModelOfThePlanes) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  struct Plane {
    std::uint32_t page = 0;
    bool holds = false;
    TimePs ready = 0;
  };
  Plane planes[kPlanes];
  std::uint64_t refused = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const std::uint32_t p = below(kPlanes);
    Plane& plane = planes[p];
    const TimePs at = bench.channel.free_at() + us(below(3) == 0 ? below(60) : 0);
    switch (below(4)) {
      case 0:
      case 1: {
        const std::uint32_t page = below(6);
        bench.cycles.clear().command(0x00).page_address(bench.row({0, p, 0, page})).command(0x30);
        const TimePs end = bench.send(at);
        if (at + part().bus.tCS < plane.ready) {
          ++refused;
        } else {
          plane = {page, true, end + tR(page)};
        }
        break;
      }
      case 2: {
        const std::uint8_t status = bench.status({0, p, 0, 0}, 0x78, at);
        const TimePs shown = bench.tenure_end - part().bus.tRHW - part().bus.data_out.of(2);
        EXPECT_EQ((status & 0x40) != 0, shown >= plane.ready) << i;
        break;
      }
      default:
        if (!plane.holds || at < plane.ready) break;
        EXPECT_EQ(take(p, at), word(p, plane.page)) << i;
        break;
    }
  }
  EXPECT_EQ(bench.violations(Rule::busy), refused);
  EXPECT_GT(refused, 20u);
  EXPECT_GT(bench.package().statistics().independent_reads, 50u);
  const hw::MonitorStatistics& s = flash.monitor.statistics();
  EXPECT_EQ(s.of(MonitorRule::busy), refused);
  EXPECT_EQ(s.total(), refused) << flash.findings.text();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlaneReads, testing::Range(1u, 9u), parameter_name);

} // namespace
} // namespace twinplane::test::die_plane_reads_test
