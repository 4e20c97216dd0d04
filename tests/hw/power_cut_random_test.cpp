// A second model of a power cut: whatever two dies do when the supply fails, their cells are what follows
// from the times of the operations alone; the monitor finds nothing before, and nothing in what comes behind.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::power_cut_random_test {
namespace {

/// What is in the cells by the list of operations and the time of the cut.
class CellOracle {
 public:
  using Block = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>; // LUN, plane, block
  struct Cells {
    std::set<std::uint32_t> programmed, lost;
    bool garbage = false;
  };

  explicit CellOracle(const PageOrderTable& order) : order_(order) {}

  void apply(const hw::ArrayOperation& o, TimePs cut) {
    Cells& cells = blocks_[{o.lun, o.plane, o.block}];
    const bool interrupted = cut < o.end;
    if (o.state == hw::PlaneState::erasing) cells = {{}, {}, interrupted};
    if (o.state != hw::PlaneState::programming) return;
    cells.programmed.insert(o.page);
    for (std::uint32_t page = 0; interrupted && page <= o.page; ++page) {
      if (order_.wordline(page) == order_.wordline(o.page)) cells.lost.insert(page);
    }
  }
  Cells& at(const Place& p) { return blocks_[{p.lun, p.plane, p.block}]; }

 private:
  const PageOrderTable& order_;
  std::map<Block, Cells> blocks_;
};

class RandomCuts : public ::testing::TestWithParam<unsigned> {
 protected:
  RandomCuts() : random_(GetParam()) {}

  FlashBench& bench() { return flash_.bench; }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  TimePs begin() { return std::max(bench().now, bench().channel.free_at()); }

  /// Programs the next page of a block in both planes of the LUN, which is idle, or erases the block.
  void operate(std::uint32_t lun) {
    const std::uint32_t block = below(4);
    const std::uint32_t next = next_[{lun, block}];
    const bool erase = next == config_.geometry.pages_per_block || oracle_.at({lun, 0, block}).garbage ||
                       oracle_.at({lun, 1, block}).garbage || below(6) == 0;
    bench().cycles.clear();
    if (erase) {
      bench().cycles.command(0x60).row_address(bench().row({lun, 0, block, 0})).command(0xD1);
      bench().cycles.command(0x60).row_address(bench().row({lun, 1, block, 0})).command(0xD0);
    } else {
      bench().start_program({lun, 0, block, next}, 0x11);
      bench().start_program({lun, 1, block, next}, below(2) == 0 ? 0x15 : 0x10);
    }
    next_[{lun, block}] = erase ? 0 : next + 1;
    bench().now = bench().send(bench().now);
    ready_[lun] = std::max(bench().now, bench().ready());
    busy_[lun] = bench().cycles.tenure().array_ready_at;
  }
  /// Waits for the array of the LUN, unless the cut comes first, and reads the status of its planes.
  bool settle(std::uint32_t lun, TimePs cut) {
    bench().now = std::max({bench().now, ready_[lun], busy_[lun]});
    for (std::uint32_t plane = 0; plane < 2 && begin() < cut; ++plane) bench().status({lun, plane, 0, 0});
    return begin() < cut;
  }
  void work_until(TimePs cut) {
    while (begin() < cut) {
      const std::uint32_t lun = below(2);
      if (!settle(lun, cut)) break;
      operate(lun);
    }
  }
  /// Programs two pages of a block as a stream, the second one into the register while the first is
  /// programmed.
  void stream(std::uint32_t lun, TimePs cut) {
    if (!settle(lun, cut)) return;
    bench().cycles.clear().command(0x60).row_address(bench().row({lun, 0, 5, 0})).command(0xD0);
    bench().now = bench().send(bench().now);
    ready_[lun] = busy_[lun] = bench().ready();
    if (!settle(lun, cut)) return;
    for (std::uint32_t page = 0; page < 6 && begin() < cut; ++page) {
      bench().cycles.clear();
      bench().start_program({lun, 0, 5, page}, page < 5 ? 0x15 : 0x10);
      bench().now = bench().send(bench().now);
      busy_[lun] = bench().cycles.tenure().array_ready_at;
      bench().now = std::max(bench().now, bench().ready());
      if (begin() < cut) bench().status({lun, 0, 0, 0});
    }
  }
  void cut(TimePs at) {
    bench().package().cut_power();
    flash_.monitor.cut_power();
    for (; seen_ < bench().arrays.size(); ++seen_) {
      const hw::ArrayOperation& o = bench().arrays[seen_];
      ASSERT_LT(o.start, at) << "nothing begins at the cut";
      interrupted_ += at < o.end ? 1 : 0;
      oracle_.apply(o, at);
    }
    bench().now = at + us(1);
    ready_ = busy_ = {};
  }
  void compare() {
    for (std::uint32_t lun = 0; lun < 2; ++lun) {
      const hw::PageStore& store = bench().package().die(lun).cells().store();
      for (std::uint32_t i = 0; i < 2 * config_.geometry.blocks_per_plane; ++i) {
        const Place place{lun, i % 2, i / 2, 0};
        const CellOracle::Cells& cells = oracle_.at(place);
        for (std::uint32_t page = 0; page < config_.geometry.pages_per_block; ++page) {
          const auto& block = store.block(place.plane, place.block);
          ASSERT_EQ(store.program_count(block, page) != 0, cells.programmed.count(page) != 0) << page;
          ASSERT_EQ(store.corrupt(block, page), cells.garbage || cells.lost.count(page) != 0) << page;
        }
        if (place.plane == 0) next_[{lun, place.block}] = static_cast<std::uint32_t>(cells.programmed.size());
      }
    }
  }

  const hw::NandConfig config_ = small_part();
  const PageOrderTable order_{config_.geometry.cell, config_.geometry.pages_per_block};
  WatchedFlash flash_{config_};
  CellOracle oracle_{order_};
  std::mt19937 random_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> next_; // page, by LUN and block
  std::array<TimePs, 2> ready_{}, busy_{};
  std::size_t seen_ = 0;
  std::uint64_t interrupted_ = 0;
};

TEST_P(RandomCuts, LeaveTheCellsThatTheTimesOfTheOperationsSay) {
  for (int round = 0; round < 40; ++round) {
    const TimePs at = begin() + us(50) + TimePs{random_()} % ms(60);
    bench().package().announce_power_cut(at);
    flash_.monitor.announce_power_cut(at);
    if (round % 3 == 0) stream(below(2), at);
    work_until(at);
    ASSERT_NO_FATAL_FAILURE(cut(at));
    ASSERT_NO_FATAL_FAILURE(compare()) << "round " << round;
  }
  EXPECT_EQ(bench().all_violations(), 0u);
  EXPECT_EQ(flash_.findings.text(), "");
  EXPECT_GT(interrupted_, 20u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCuts, ::testing::Range(1u, 9u), parameter_name);

} // namespace
} // namespace twinplane::test::power_cut_random_test
