// Do recorders that work out the phases of sequences by themselves show what those that are given the
// phases show?
#include <gtest/gtest.h>

#include <boost/random/mersenne_twister.hpp>
#include <memory>

#include "hw/channel/channel.h"
#include "hw/nand/tenure_expansion.h"
#include "platform/observe/waves/wave_recorder.h"
#include "tests/support/parameter_names.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::platform::waves_phases_test {
namespace {

using hw::OnfiTenure;
using hw::Sequence;

constexpr TimePs kTDBSY = ns(500);

struct Bus {
  const char* name;
  BusTiming timing;
};
void PrintTo(const Bus& parameter, std::ostream* out) {
  *out << test::parameter_names::text_of(parameter);
}

class WavePhases : public ::testing::TestWithParam<Bus> {
 protected:
  WavePhases() {
    geometry_.planes_per_die = 4;
    for (auto* side : {&scripted_, &told_}) {
      side->recorder.on_timing(0, GetParam().timing, kTDBSY);
    }
  }

  struct Side {
    test::TempFolder folder;
    WaveRecorder recorder;
    explicit Side(const Geometry& g) : recorder(g, options(folder)) {}
    static WaveRecorder::Options options(const test::TempFolder& folder) {
      WaveRecorder::Options o;
      o.folder = folder.path();
      o.scope = "ch0.bus";
      return o;
    }
    test::VcdFile read() const { return test::VcdFile(folder.path() / "waves.vcd"); }
  };

  void compose(OnfiTenure& t) {
    t.sequence = static_cast<Sequence>(1 + random_() % (hw::kSequences - 1));
    t.kind = t.sequence == Sequence::status ? hw::TenureKind::status : hw::TenureKind::other;
    t.form = static_cast<std::uint8_t>(random_() % (hw::sequence_form::mask + 1u));
    t.row_cycles = random_() % 2 == 0 ? 3 : 4;
    t.plane_count = 1 + random_() % geometry_.planes_per_die;
    t.phase_count = 0;
    for (std::uint32_t i = 0; i < t.plane_count; ++i) t.planes[i].bytes = 512 * (random_() % 17);
  }

  Geometry geometry_;
  Side scripted_{geometry_};
  Side told_{geometry_};
  boost::random::mt19937 random_{7};
};

TEST_P(WavePhases, AgreeWithThoseOfTheExpandedSequence) {
  const hw::TenureTiming timing(GetParam().timing, kTDBSY);
  hw::SequenceTiming sequences(timing);
  const auto folded = std::make_unique<OnfiTenure>();
  hw::BusUseTimes use{};
  TimePs now = ns(1);
  for (int i = 0; i < 2000; ++i) {
    compose(*folded);
    const auto unfolded = std::make_unique<OnfiTenure>(*folded);
    const TimePs end = sequences.schedule(*folded, now);
    hw::expand(*unfolded, GetParam().timing.ddr);
    unfolded->sequence = Sequence::raw;
    ASSERT_EQ(timing.stamp(*unfolded, now, use), end);
    scripted_.recorder.on_tenure(0, 0, *folded, now, end);
    told_.recorder.on_tenure(0, 0, *unfolded, now, end);
    now = end + ps(random_() % 3 * 1000);
  }
  scripted_.recorder.finish(now);
  told_.recorder.finish(now);
  const test::VcdFile told = told_.read();
  EXPECT_GT(told.of("ssd.ch0.bus.phase").size(), 10'000u);
  EXPECT_EQ(scripted_.read().of("ssd.ch0.bus.phase"), told.of("ssd.ch0.bus.phase"));
  EXPECT_EQ(scripted_.read().of("ssd.ch0.bus.opcode"), told.of("ssd.ch0.bus.opcode"));
}

INSTANTIATE_TEST_SUITE_P(Buses, WavePhases,
                         ::testing::Values(Bus{"flat", timing::flat(ns(3))}, Bus{"sdr", timing::sdr(5)},
                                           Bus{"nv_ddr2", timing::nv_ddr(8)},
                                           Bus{"nv_ddr3", timing::nv_ddr(19)}),
                         twinplane::test::parameter_name);

} // namespace
} // namespace twinplane::platform::waves_phases_test
