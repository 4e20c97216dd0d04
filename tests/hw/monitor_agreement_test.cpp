// Do die and monitor agree on sequences that were not thought of? Random commands, addresses and confirms,
// many of them wrong somehow; the monitor tells when one of the two refuses a tenure and the other does not.
// After a finding the host resets the part: what is left of a broken sequence is the part maker's to say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <random>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::monitor_agreement_test {
namespace {

using hw::MonitorRule;
using hw::PhaseKind;

/// Sends random operations to a watched part of few blocks and pages, so that they meet.
class RandomHost {
 public:
  explicit RandomHost(std::uint32_t seed)
      : flash(part_of(seed)), random_(seed), passes_(part_of(seed).one_pass) {}

  void operate() {
    flash.bench.cycles.clear();
    log.clear();
    if (below(5) == 0) set_level();
    prefixed_ = false;
    prefix();
    switch (below(10)) {
      case 0:
      case 1:
        erase();
        break;
      case 2:
        copyback();
        break;
      case 3:
        cache_read();
        break;
      case 4:
      case 5:
        read();
        break;
      default:
        passes_&& below(4) != 0 ? pass() : program();
        break;
    }
    note();
    const bool left_open = prefixed_ && leaves_group_open();
    const std::uint64_t before = flash.monitor.statistics().total();
    flash.bench.finish(0);
    // 70h answers for the LUN that was addressed last; each LUN's result is read.
    for (const std::uint32_t lun : {0u, 1u}) flash.bench.status({lun, 0, 0, 0});
    if (flash.monitor.statistics().total() == before && !left_open) return;
    cycles().clear().command(0xFF); // as a host does that finds itself out of step
    send();
  }

  bool programs_wordlines() const { return passes_; }

  WatchedFlash flash;
  std::string log; // of the operation

 private:
  /// Parts of every fourth seed have an SLC-mode cache: pages of four subpages, three programs of each.
  /// Every other part reads its planes independently; two of three let pages be left out, one of these takes
  /// several programs of a page. Parts from seed 17 on program native wordlines in one pass.
  static hw::NandConfig part_of(std::uint32_t seed) {
    hw::NandConfig part = small_part();
    if (seed >= kFirstOnePass) {
      part.one_pass = true;
      part.page_table = PageTable::wordline;
      part.array.tPROG_wordline = us(2100);
      part.array.tDCBSYW = us(7);
      part.independent_plane_reads = seed % 2 == 0;
      return part;
    }
    part.independent_plane_reads = seed % 2 == 0;
    if (seed % 3 != 0) part.program_order = ProgramOrder::ascending;
    if (seed % 3 == 2) part.partial_programs = 2;
    if (seed % 4 == 3) part.partial_programs = 3;
    if (seed % 4 == 3) part.geometry.page_size = 4 * part.geometry.sector_size;
    return part;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool rarely() { return below(12) == 0; }
  std::uint8_t one_of(std::initializer_list<std::uint8_t> opcodes) {
    return opcodes.begin()[below(static_cast<std::uint32_t>(opcodes.size()))];
  }
  Cycles& cycles() { return flash.bench.cycles; }
  /// DAh before an operation, or DFh, or one of them where it does not belong.
  void prefix(bool belongs = true) {
    if (!(belongs ? below(3) == 0 : rarely() && rarely())) return;
    prefixed_ = true;
    cycles().command(rarely() ? onfi::opcode::slc_leave : onfi::opcode::slc_enter);
  }
  /// The last confirm queues a plane. Whose prefix it was when another LUN comes next is the part maker's to
  /// say.
  bool leaves_group_open() {
    const hw::OnfiTenure& t = cycles().tenure();
    const std::uint8_t last = t.phase_count == 0 ? 0 : t.phases[t.phase_count - 1].opcode;
    return last == 0x11 || last == 0xD1;
  }
  /// D5h 89h, mostly with a level that the part has.
  void set_level() {
    std::fill(std::begin(parameters_), std::end(parameters_),
              static_cast<std::uint8_t>(below(rarely() ? 10 : 8)));
    cycles().command(0xD5).short_address(rarely() ? 2 : static_cast<std::uint8_t>(below(2)), 2);
    cycles().tenure().phases[cycles().tenure().phase_count - 1].address[1] = onfi::feature::read_retry;
    cycles().bytes(PhaseKind::data_in, parameters_, rarely() ? 4 : 8);
    flash.bench.now = flash.bench.send(flash.bench.now);
    if (!rarely()) flash.bench.now = std::max(flash.bench.now, flash.bench.ready());
    cycles().clear();
    log += "level " + std::to_string(parameters_[0]) + " | ";
  }
  Place place() { return {rarely() ? 1u : 0u, below(2), below(3), below(3)}; }
  /// What was sent, for messages: "80 a(plane.block.page) d 10".
  void note() {
    for (std::uint32_t i = 0; i < cycles().tenure().phase_count; ++i) {
      const hw::OnfiPhase& p = cycles().tenure().phases[i];
      char text[48];
      if (p.kind == PhaseKind::command) {
        std::snprintf(text, sizeof text, "%02X ", p.opcode);
      } else if (p.kind == PhaseKind::address) {
        const std::uint32_t first = p.address_cycles == 3 ? 0 : 2;
        std::uint32_t row = 0;
        for (std::uint32_t b = 3; b-- != 0;) row = row << 8 | p.address[first + b];
        std::snprintf(text, sizeof text, "a(%u.%u.%u.%u) ", layout_.lun(row), layout_.plane(row),
                      layout_.block(row), layout_.page(row));
      } else {
        std::snprintf(text, sizeof text, "d ");
      }
      log += text;
    }
    log += "| ";
  }
  void send() {
    note();
    flash.bench.now = flash.bench.send(flash.bench.now);
    flash.bench.now = std::max(flash.bench.now, flash.bench.ready());
    cycles().clear();
  }
  void at(std::uint8_t opcode, const Place& p) {
    cycles().command(opcode).page_address(flash.bench.row(p), rarely() ? 1 : 0);
  }
  void data() {
    const std::uint32_t all = flash.bench.full_mask();
    const std::uint32_t one = below(2) == 0 ? all : 1u << below(all == 3 ? 2 : 4);
    if (!rarely()) cycles().page_data(PhaseKind::data_in, one, nullptr, &word_);
    prefix(false);
  }
  /// Another plane of the same page, most of the time.
  Place twin(const Place& p) {
    if (rarely()) return place();
    return {p.lun, 1 - p.plane, rarely() ? below(3) : p.block, p.page};
  }
  void program() {
    const Place p = place();
    at(0x80, p);
    data();
    if (below(4) == 0) {
      at(0x85, rarely() ? place() : Place{p.lun, p.plane, below(3), below(3)});
      if (below(2) == 0) data();
    }
    if (below(2) == 0) {
      cycles().command(0x11);
      if (rarely()) prefix();
      const Place q = twin(p);
      at(one_of({0x80, 0x81}), q);
      data();
      if (below(4) == 0) {
        cycles().command(0x11);
        at(0x85, twin(q));
        if (below(2) == 0) data();
      }
    }
    cycles().command(rarely() ? one_of({0x11, 0xD0, 0x30}) : 0x10);
  }
  /// The pages of a wordline; now and then one is left out or sent elsewhere, confirmed as another one is, or
  /// something comes in between.
  void pass() {
    const Place first{rarely() ? 1u : 0u, below(2), below(3), 3 * below(2)};
    const bool pair = below(2) == 0;
    for (std::uint32_t step = 0; step < 3; ++step) {
      if (rarely() && rarely()) continue;
      Place p{first.lun, first.plane, first.block, first.page + step};
      if (rarely() && rarely()) p = place();
      at(0x80, p);
      data();
      if (rarely() && rarely() ? !pair : pair) {
        cycles().command(0x11);
        at(one_of({0x80, 0x81}), rarely() ? twin(p) : Place{p.lun, 1 - p.plane, p.block, p.page});
        data();
      }
      const std::uint8_t confirm = step == 2 ? 0x10 : 0x1A;
      cycles().command(rarely() && rarely() ? one_of({0x10, 0x1A, 0x15, 0x11}) : confirm);
      if (step == 2) return;
      send();
      if (!rarely()) continue;
      below(2) == 0 ? read() : erase();
      send();
    }
  }
  void erase() {
    const Place p = place();
    cycles().command(0x60).row_address(flash.bench.row(p));
    if (below(2) == 0) {
      if (below(2) == 0) cycles().command(0xD1);
      cycles().command(0x60).row_address(below(3) == 0 ? 0xFFFFFF : flash.bench.row(twin(p)));
      if (below(3) == 0) cycles().command(0xD1).command(0x60).row_address(flash.bench.row(twin(p)));
    }
    cycles().command(rarely() ? one_of({0xD1, 0x10}) : 0xD0);
  }
  void read(std::uint8_t confirm = 0x30) {
    const Place p = place();
    at(0x00, p);
    if (below(3) == 0) {
      cycles().command(0x32);
      if (rarely()) prefix();
      at(0x00, twin(p));
    }
    cycles().command(rarely() ? one_of({0x35, 0x31, 0x10}) : confirm);
  }
  void copyback() {
    read(0x35);
    send();
    const Place p = place();
    at(0x85, p);
    if (below(3) == 0) data();
    if (below(2) == 0) {
      cycles().command(0x11);
      at(one_of({0x85, 0x81}), twin(p));
    }
    cycles().command(0x10);
  }
  void cache_read() {
    read();
    send();
    for (std::uint32_t n = below(4); n != 0; --n) {
      cycles().command(0x31);
      send();
    }
    cycles().command(0x3F);
  }

  static constexpr std::uint32_t kFirstOnePass = 17;
  RowLayout layout_{small_part().geometry};
  std::mt19937 random_;
  std::uint64_t word_ = 1;
  std::uint8_t parameters_[8] = {};
  bool prefixed_ = false; // the operation
  bool passes_;
};

class Agreement : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Agreement, HoldsForRandomSequences) {
  RandomHost host(GetParam());
  const hw::MonitorStatistics& s = host.flash.monitor.statistics();
  for (std::uint32_t i = 0; i < 400; ++i) {
    host.operate();
    const std::uint64_t differences =
        s.of(MonitorRule::disagreement) + s.of(MonitorRule::ready_busy) + s.of(MonitorRule::status_value);
    ASSERT_EQ(differences, 0u) << "operation " << i << " was " << host.log << ": "
                               << host.flash.findings.all.back().detail << " "
                               << host.flash.findings.all.back().name;
  }
  EXPECT_GT(s.total(), 50u) << "half of the sequences are meant to be wrong";
  const hw::NandStatistics& parts = host.flash.bench.package().statistics();
  EXPECT_GT(parts.slc_programs, 0u);
  EXPECT_GT(parts.slc_reads, 0u);
  EXPECT_GT(s.of(MonitorRule::slc_mode), 0u);
  std::uint64_t at_levels = 0;
  for (const auto& of_type : parts.level_reads)
    at_levels += std::accumulate(of_type.begin(), of_type.end(), 0ull);
  EXPECT_GT(at_levels, 0u);
  EXPECT_EQ(parts.passes != 0, host.programs_wordlines());
}

INSTANTIATE_TEST_SUITE_P(Seeds, Agreement, testing::Range(1u, 25u), parameter_name);

} // namespace
} // namespace twinplane::test::monitor_agreement_test
