// Are the short forms of tenures worth the same as their cycles? Two identical channels get the same
// random tenures, one as sequences, the other as raw phases; everything observable must agree.
#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <memory>
#include <string>
#include <vector>

#include "hw/nand/tenure_expansion.h"
#include "hw/spec/onfi_commands.h"
#include "tests/hw/tenure_side.h"
#include "tests/support/flash_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::tenure_sequence_test {
namespace {

using hw::OnfiPlane;
using hw::OnfiTenure;
using hw::Sequence;

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    return boost::random::uniform_int_distribution<std::uint32_t>(0, n - 1)(engine_);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  boost::random::mt19937 engine_;
};

struct Variant {
  const char* name;
  std::uint32_t luns = 2;
  std::uint32_t planes = 2;
  std::uint32_t partial_programs = 1;
  bool bac = false;
  std::uint32_t blocks = 4;
  std::uint8_t slc_enter = onfi::opcode::slc_enter;
  bool flat_bus = false;
  bool independent = false;
  bool words = false; // of subpages
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

hw::NandConfig part(const Variant& v) {
  hw::NandConfig c = small_part();
  c.geometry.dies_per_chip = v.luns;
  c.geometry.planes_per_die = v.planes;
  c.geometry.blocks_per_plane = v.blocks;
  c.geometry.pages_per_block = 12;
  c.partial_programs = v.partial_programs;
  c.bac = v.bac;
  c.slc_enter = v.slc_enter;
  c.independent_plane_reads = v.independent;
  c.subpage_words = v.words;
  if (v.words) c.geometry.subpages_per_page = 2;
  if (v.flat_bus) c.bus = timing::flat(ns(3));
  return c;
}

class TenureSequence : public ::testing::TestWithParam<Variant> {
 protected:
  static constexpr std::uint32_t kPayload = 2 * kTagBytes; // two sectors per page

  TenureSequence()
      : config_(part(GetParam())),
        rows_(config_.geometry),
        folded_("folded", config_),
        unfolded_("unfolded", config_) {
    expect_reports("twinplane.nand");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    programmed_.resize(std::size_t{config_.geometry.dies_per_chip} * config_.geometry.planes_per_die *
                       config_.geometry.blocks_per_plane);
  }

  std::uint32_t& next_page(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) {
    const Geometry& g = config_.geometry;
    return programmed_[(lun * g.planes_per_die + plane) * g.blocks_per_plane + block];
  }

  /// Mostly addresses and masks that are allowed, sometimes anything.
  void compose(OnfiTenure& t) {
    const Geometry& g = config_.geometry;
    t.sequence = static_cast<Sequence>(1 + random_.below(5));
    t.form = static_cast<std::uint8_t>(random_.one_in(6) ? random_.below(16) : 0);
    if (random_.one_in(5)) t.form |= hw::sequence_form::cache;
    if (t.sequence >= Sequence::data_out && !random_.one_in(4)) t.form = hw::sequence_form::addressed;
    t.row_cycles = static_cast<std::uint8_t>(random_.one_in(50) ? 4 : onfi::row_cycles(rows_));
    t.plane_count = 1 + random_.below(g.planes_per_die);
    if (random_.one_in(40)) t.plane_count = g.planes_per_die + 1;
    t.phase_count = 0;
    std::uint32_t lun = random_.below(g.dies_per_chip);
    std::uint32_t block = random_.below(std::min(g.blocks_per_plane, 4u));
    std::uint32_t first = random_.below(g.planes_per_die);
    std::uint32_t page = random_.below(g.pages_per_block);
    if (composed_before_ <= Sequence::program && random_.one_in(2)) { // a stream of cache operations
      t.sequence = composed_before_;
      t.form = hw::sequence_form::cache;
      t.plane_count = g.planes_per_die;
      lun = last_.lun;
      block = last_.block;
      first = last_.plane;
    }
    if (config_.independent_plane_reads && random_.one_in(6)) { // beside another one, perhaps
      t.sequence = Sequence::read_command;
      t.form = 0;
      t.plane_count = 1;
      lun = last_.lun;
    }
    composed_before_ = t.sequence;
    last_ = {lun, first, block, page};
    if (t.sequence == Sequence::program) page = next_page(lun, first, block);
    for (std::uint32_t i = 0; i < t.plane_count; ++i) {
      compose_plane(t.planes[i], {lun, (first + i) % g.planes_per_die, block, page});
    }
    if (t.sequence == Sequence::program) {
      for (std::uint32_t p = 0; p < g.planes_per_die; ++p) ++next_page(lun, p, block);
    } else if (t.sequence == Sequence::erase) {
      for (std::uint32_t p = 0; p < g.planes_per_die; ++p) next_page(lun, p, block) = 0;
    }
  }

  void compose_plane(OnfiPlane& plane, Place at) {
    const Geometry& g = config_.geometry;
    if (random_.one_in(30)) at.lun = random_.below(3);
    if (random_.one_in(30)) at.plane = random_.below(4);
    if (random_.one_in(30)) at.block = random_.below(8);
    if (random_.one_in(30)) at.page = random_.below(16);
    plane = OnfiPlane{};
    plane.row = rows_.row(at.lun, at.plane, at.block, at.page);
    plane.sector_mask = random_.one_in(3) ? random_.below(4) : 3;
    plane.column = static_cast<std::uint16_t>(plane.sector_mask == 2 ? g.sector_size : 0);
    if (random_.one_in(40)) plane.column = static_cast<std::uint16_t>(random_.below(0x10000));
    plane.bytes = static_cast<std::uint32_t>(__builtin_popcount(plane.sector_mask)) * g.sector_size;
    plane.oob = random_.below(1u << 30);
  }

  /// The same tenure for both sides, each with its own buffers of the same contents.
  void give(const OnfiTenure& tenure) {
    for (auto* side : {&folded_tenure_, &unfolded_tenure_}) *side = tenure;
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      for (std::uint32_t b = 0; b < kPayload; ++b) {
        folded_data_[i][b] = unfolded_data_[i][b] = static_cast<std::uint8_t>(random_.below(256));
      }
      if (config_.subpage_words && random_.one_in(2)) {
        for (std::size_t w = 0; w < 2; ++w)
          folded_words_[i][w] = unfolded_words_[i][w] =
              random_.one_in(3) ? hw::kBlankOob : random_.below(1u << 30);
        folded_tenure_.planes[i].words = folded_words_[i].data();
        unfolded_tenure_.planes[i].words = unfolded_words_[i].data();
      }
      if (random_.one_in(10)) continue; // nothing but the out-of-band word moves
      folded_tenure_.planes[i].sectors = folded_data_[i].data();
      unfolded_tenure_.planes[i].sectors = unfolded_data_[i].data();
    }
    hw::expand(unfolded_tenure_, config_.bus.ddr);
    sequence_ = tenure.sequence;
    unfolded_tenure_.sequence = Sequence::raw;
  }

  void send(bool functional, TimePs gap) {
    if (functional) {
      folded_.send_functional(folded_tenure_);
      unfolded_.send_functional(unfolded_tenure_);
      if (folded_tenure_.phase_count == 0) ++stayed_folded_;
    } else {
      const TimePs at = folded_.channel.free_at() + gap;
      EXPECT_EQ(folded_.send(folded_tenure_, at), unfolded_.send(unfolded_tenure_, at));
      if (folded_tenure_.phase_count == 0) ++stayed_folded_;
      compare_times();
    }
    unfolded_tenure_.sequence = sequence_;
    hw::collect(unfolded_tenure_);
  }

  /// The times of the planes against those of the phases.
  void compare_times() {
    std::uint32_t phase = 0;
    if (unfolded_tenure_.phases[0].opcode == onfi::opcode::slc_enter) phase = 1;
    for (std::uint32_t i = 0; i < folded_tenure_.plane_count; ++i) {
      const OnfiPlane& plane = folded_tenure_.planes[i];
      const std::uint32_t phases = phases_per_plane();
      EXPECT_EQ(plane.begin, unfolded_tenure_.phases[phase].start);
      EXPECT_EQ(plane.end, unfolded_tenure_.phases[phase + phases - 1].end);
      TimePs data = plane.end;
      for (std::uint32_t p = phase; p < phase + phases; ++p) {
        const hw::OnfiPhase& x = unfolded_tenure_.phases[p];
        if (x.kind == hw::PhaseKind::data_in || x.kind == hw::PhaseKind::data_out) data = x.start;
      }
      EXPECT_EQ(plane.data, data);
      phase += phases;
    }
    EXPECT_EQ(phase, unfolded_tenure_.phase_count);
  }
  std::uint32_t phases_per_plane() const {
    const bool prefix = unfolded_tenure_.phases[0].opcode == onfi::opcode::slc_enter;
    return (unfolded_tenure_.phase_count - (prefix ? 1 : 0)) / folded_tenure_.plane_count;
  }

  void compare() {
    EXPECT_EQ(folded_tenure_.ready_at, unfolded_tenure_.ready_at);
    EXPECT_EQ(folded_tenure_.array_ready_at, unfolded_tenure_.array_ready_at);
    EXPECT_EQ(folded_tenure_.plane_ready_at, unfolded_tenure_.plane_ready_at);
    for (std::uint32_t i = 0; i < folded_tenure_.plane_count; ++i) {
      const OnfiPlane& a = folded_tenure_.planes[i];
      const OnfiPlane& b = unfolded_tenure_.planes[i];
      EXPECT_EQ(a.status, b.status);
      EXPECT_EQ(a.oob, b.oob);
      EXPECT_EQ(a.blank, b.blank);
      EXPECT_EQ(a.corrupt, b.corrupt);
      EXPECT_EQ(folded_data_[i], unfolded_data_[i]);
      EXPECT_EQ(folded_words_[i], unfolded_words_[i]);
    }
    const hw::NandStatistics& a = folded_.package.statistics();
    const hw::NandStatistics& b = unfolded_.package.statistics();
    EXPECT_EQ(a.reads, b.reads);
    EXPECT_EQ(a.programs, b.programs);
    EXPECT_EQ(a.violations, b.violations);
    EXPECT_EQ(a.partial_programs, b.partial_programs);
    EXPECT_EQ(a.slc_reads + a.slc_programs + a.slc_erases, b.slc_reads + b.slc_programs + b.slc_erases);
    EXPECT_EQ(a.native_erases, b.native_erases);
    EXPECT_EQ(a.cache_reads, b.cache_reads);
    EXPECT_EQ(a.cache_programs, b.cache_programs);
    EXPECT_EQ(a.suspends, b.suspends);
    EXPECT_EQ(a.independent_reads, b.independent_reads);
    EXPECT_EQ(a.multiplane_read.units, b.multiplane_read.units);
    EXPECT_EQ(a.multiplane_program.units, b.multiplane_program.units);
    EXPECT_EQ(a.multiplane_erase.units, b.multiplane_erase.units);
    for (std::uint32_t lun = 0; lun < config_.geometry.dies_per_chip; ++lun) {
      EXPECT_EQ(a.dies[lun].busy, b.dies[lun].busy);
      EXPECT_EQ(a.dies[lun].plane_busy, b.dies[lun].plane_busy);
      EXPECT_EQ(folded_.package.die(lun).timeline().busy_until(),
                unfolded_.package.die(lun).timeline().busy_until());
    }
    EXPECT_EQ(folded_.channel.statistics().use, unfolded_.channel.statistics().use);
    EXPECT_EQ(folded_.channel.statistics().busy, unfolded_.channel.statistics().busy);
  }

  /// A stray cycle or two, the same on both sides: what the decoders remember must be the same, too.
  void interrupt() {
    constexpr std::uint8_t kStrays[] = {0x00, 0x80, 0x60, 0x30, 0x10, 0x11, 0xE0, 0x70, 0xDA, 0xDF, 0xFF,
                                        0x85, 0x31, 0x31, 0x3F, 0x15, 0x84, 0x61, 0x61, 0x13, 0xD2, 0xD2};
    const std::uint8_t stray = kStrays[random_.below(sizeof kStrays)];
    const TimePs at = folded_.channel.free_at() + us(random_.below(200));
    const bool suspend = stray == 0x84 || stray == 0x61 || stray == 0x13;
    const std::uint32_t row = folded_tenure_.planes[0].row;
    for (Side* side : {&folded_, &unfolded_}) {
      OnfiTenure& t = side == &folded_ ? folded_tenure_ : unfolded_tenure_;
      t.sequence = Sequence::raw;
      t.plane_count = 0;
      t.phase_count = 0;
      t.command(stray);
      if (suspend) {
        hw::OnfiPhase& p = t.add(hw::PhaseKind::address);
        const std::uint32_t columns = stray == 0x61 ? 0 : 2;
        p.address_cycles = static_cast<std::uint8_t>(columns + onfi::row_cycles(rows_));
        for (std::uint32_t i = 0; i < 4; ++i)
          p.address[columns + i] = static_cast<std::uint8_t>(row >> 8 * i);
      }
      side->send(t, at);
    }
    compare();
  }

  /// How long to wait before the next tenure: usually until the dies are ready, or even idle.
  TimePs pause() {
    if (random_.one_in(8)) return us(random_.below(300));
    if (config_.independent_plane_reads && random_.one_in(3)) return us(random_.below(40));
    const bool idle = random_.one_in(2);
    TimePs ready = folded_.channel.free_at();
    const TimePs now = ready;
    for (std::uint32_t lun = 0; lun < config_.geometry.dies_per_chip; ++lun) {
      const hw::Die& die = folded_.package.die(lun);
      ready = std::max(ready, idle ? die.timeline().array_busy_until() : die.timeline().busy_until());
    }
    return ready - now;
  }

  hw::NandConfig config_;
  RowLayout rows_;
  Side folded_;
  Side unfolded_;
  Random random_{4711};
  std::vector<std::uint32_t> programmed_;
  OnfiTenure composed_, folded_tenure_, unfolded_tenure_;
  Sequence sequence_ = Sequence::raw;
  Sequence composed_before_ = Sequence::status;
  Place last_;
  std::array<std::array<std::uint8_t, kPayload>, kMaxPlanesPerDie> folded_data_{}, unfolded_data_{};
  std::array<std::array<std::uint64_t, 2>, kMaxPlanesPerDie> folded_words_{}, unfolded_words_{};
  std::uint32_t stayed_folded_ = 0;
};

TEST_P(TenureSequence, HasTheEffectsOfItsCycles) {
  constexpr std::uint32_t kTenures = 6000;
  for (std::uint32_t i = 0; i < kTenures && !HasFailure(); ++i) {
    SCOPED_TRACE("tenure " + std::to_string(i));
    compose(composed_);
    give(composed_);
    send(random_.one_in(10), pause());
    compare();
    if (random_.one_in(25)) interrupt();
  }
  // Both ways must have been taken, or nothing has been compared.
  EXPECT_GT(stayed_folded_, kTenures / 5);
  EXPECT_LT(stayed_folded_, kTenures);
  EXPECT_GT(folded_.package.statistics().violations[static_cast<std::size_t>(hw::Rule::busy)], 0u);
  EXPECT_GT(folded_.package.statistics().cache_reads, 20u);
  EXPECT_GT(folded_.package.statistics().cache_programs, 20u);
  EXPECT_GT(folded_.package.statistics().suspends, 0u);
  EXPECT_EQ(folded_.package.statistics().independent_reads > 20, GetParam().independent);
}

INSTANTIATE_TEST_SUITE_P(
    Parts, TenureSequence,
    ::testing::Values(Variant{"two_luns"}, Variant{"one_lun_one_plane", 1, 1}, Variant{"four_planes", 1, 4},
                      Variant{"partial_programs", 2, 2, 4}, Variant{"equal_blocks", 2, 2, 1, true},
                      Variant{"four_row_cycles", 2, 2, 1, false, 1u << 19},
                      Variant{"other_slc_opcode", 2, 2, 1, false, 4, 0xA2},
                      Variant{"flat_bus", 2, 2, 1, false, 4, onfi::opcode::slc_enter, true},
                      Variant{"words_of_subpages", 2, 2, 4, false, 4, onfi::opcode::slc_enter, false, false,
                              true},
                      Variant{"independent_planes", 2, 4, 1, false, 4, onfi::opcode::slc_enter, false, true}),
    parameter_name);

/// Counts the phases that it is shown; what it is told about timing is kept.
struct Watcher final : hw::BusObserver {
  explicit Watcher(bool wants) : wants_(wants) {}
  void on_tenure(std::uint32_t, std::uint32_t, const OnfiTenure& tenure, TimePs, TimePs) override {
    phases += tenure.phase_count;
    ++tenures;
  }
  bool wants_phases() const override { return wants_; }
  void on_timing(std::uint32_t, const BusTiming& bus, TimePs gap) override {
    tWC = bus.tWC;
    tDBSY = gap;
  }

  std::uint32_t phases = 0;
  std::uint32_t tenures = 0;
  TimePs tWC = 0;
  TimePs tDBSY = 0;

 private:
  bool wants_;
};

TEST(TenureObservers, PhasesAreComposedForThoseWhoWantThem) {
  const hw::NandConfig config = small_part();
  Side side("side", config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Watcher content(false);
  Watcher curious(true);
  OnfiTenure erase;
  erase.sequence = Sequence::erase;
  erase.plane_count = 2;
  erase.planes[1].row = RowLayout(config.geometry).row(0, 1, 0, 0);
  side.channel.attach(content);
  const TimePs free = side.send(erase, 0);
  EXPECT_EQ(content.tenures, 1u);
  EXPECT_EQ(content.phases, 0u);
  side.channel.attach(curious);
  side.send(erase, free + ms(20));
  EXPECT_EQ(curious.phases, 6u); // 60h A3 D1h 60h A3 D0h
  EXPECT_EQ(curious.tWC, config.bus.tWC);
  EXPECT_EQ(curious.tDBSY, config.array.tDBSY);
}

TEST(TenureBounds, APhaseTooManyIsAnError) {
  sc_core::sc_report_handler::set_handler(nullptr); // SystemC's own: an error throws
  const auto tenure = std::make_unique<OnfiTenure>();
  for (std::uint32_t i = 0; i < OnfiTenure::kMaxPhases; ++i) tenure->command(0x70);
  EXPECT_THROW(tenure->command(0x70), sc_core::sc_report);
  EXPECT_EQ(tenure->phase_count, OnfiTenure::kMaxPhases);
  EXPECT_TRUE(tenure->well_formed());
}

TEST(TenureBounds, APhaseTooManyTakesThePlaceOfTheLastWhereErrorsDoNotThrow) {
  expect_reports("twinplane.block");
  const auto tenure = std::make_unique<OnfiTenure>();
  for (std::uint32_t i = 0; i < OnfiTenure::kMaxPhases; ++i) tenure->command(0x70);
  tenure->command(0x78);
  EXPECT_EQ(tenure->phase_count, OnfiTenure::kMaxPhases);
  EXPECT_EQ(tenure->phases.back().opcode, 0x78);
}

/// Sends a tenure to the channel, to the package alone, and through the debug transport.
TEST(TenureBounds, SequencesThatCannotBeAreAnsweredAndNotExecuted) {
  const hw::NandConfig config = small_part();
  Side side("side", config);
  Driver direct("direct");
  hw::Package alone("alone", config);
  direct.out.bind(alone.bus);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto expect_error = [&](Sequence sequence, std::uint32_t planes, std::uint8_t row_cycles) {
    OnfiTenure tenure;
    tenure.sequence = sequence;
    tenure.plane_count = planes;
    tenure.row_cycles = row_cycles;
    for (const bool through_channel : {true, false}) {
      for (const bool functional : {false, true}) {
        TenurePayload carrier(tenure, 0);
        sc_core::sc_time delay;
        hw::OnfiInitiatorSocket& out = through_channel ? side.driver().out : direct.out;
        functional ? static_cast<void>(out->transport_dbg(carrier.payload))
                   : out->b_transport(carrier.payload, delay);
        EXPECT_EQ(carrier.payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE) << planes;
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
      }
    }
  };
  for (const Sequence sequence :
       {Sequence::program, Sequence::erase, Sequence::read_command, Sequence::data_out, Sequence::status}) {
    expect_error(sequence, 0, 3);
    expect_error(sequence, kMaxPlanesPerDie + 1, 3);
    expect_error(sequence, 1, 5);
  }
  EXPECT_EQ(side.channel.statistics().tenures, 0u);
  OnfiTenure erase;
  erase.sequence = Sequence::erase;
  erase.plane_count = 1;
  side.send(erase, 0);
  EXPECT_EQ(side.package.erase_count(0, 0, 0), 1u);
}

OnfiTenure erase_of_a_block() {
  OnfiTenure erase;
  erase.sequence = Sequence::erase;
  erase.plane_count = 1;
  return erase;
}

TEST(TenureBounds, ATenureThatBeginsBeforeTheLastOneHasEndedIsAnError) {
  sc_core::sc_report_handler::set_handler(nullptr); // SystemC's own: an error throws
  Side side("side", small_part());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  OnfiTenure erase = erase_of_a_block();
  const TimePs free = side.send(erase, us(10));
  EXPECT_EQ(side.channel.free_at(), free);
  const TimePs busy = side.channel.busy();
  EXPECT_THROW(side.send(erase, free - 1), sc_core::sc_report);
  EXPECT_EQ(side.channel.free_at(), free);
  EXPECT_EQ(side.channel.busy(), busy) << "nothing has happened";
  EXPECT_EQ(side.package.erase_count(0, 0, 0), 1u);
  side.send(erase, free + ms(20));
  EXPECT_EQ(side.package.erase_count(0, 0, 0), 2u);
}

TEST(TenureBounds, TheBusBecomesFreeNoEarlierByATenureThatCameTooEarly) {
  expect_reports("twinplane.block");
  expect_reports("twinplane.nand"); // the LUN is not ready, either
  Side side("side", small_part());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  OnfiTenure erase = erase_of_a_block();
  const TimePs free = side.send(erase, ms(1));
  side.send(erase, us(10));
  EXPECT_EQ(side.channel.free_at(), free);
  EXPECT_EQ(sc_core::sc_report_handler::get_count("twinplane.block", sc_core::SC_ERROR), 1);
}

} // namespace
} // namespace twinplane::test::tenure_sequence_test
