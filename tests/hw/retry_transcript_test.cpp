// Do a retry and a soft read look on the bus as the data sheet draws them, when the flash controller makes
// them? Each cycle, each wait that the sheet prescribes, and R/B#, with the intervals as literals of the
// sheets; a protocol monitor, which knows the senses of soft reads, looks on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/hw/retry_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::retry_transcript_test {
namespace {

struct Sheet {
  const char* name;
  TimePs tWC, tADL, tWB, tRR, first_byte; // of data out, after tRR: RE# and DQS
  std::uint32_t copies;                   // of parameters: each edge of a DDR bus
};
void PrintTo(const Sheet& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}
constexpr Sheet kSheets[] = {{"sdr5", ns(20), ns(400), ns(100), ns(20), 0, 1},
                             {"nvddr2_8", ns(25), ns(300), ns(100), ns(20), ns(40), 2}};

constexpr TimePs kLevelTimes[] = {us(11), us(22), us(33), us(44), us(55), us(66), us(77)};

/// The phases of all tenures in order, and the edges of R/B#.
class Recording final : public hw::BusObserver, public hw::NandObserver {
 public:
  struct Phase {
    std::string text; // "D5", "a 00 89", "in 02 02 00", "out"
    TimePs start, end;
  };
  void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure& t, TimePs, TimePs) override {
    for (std::uint32_t i = 0; i < t.phase_count; ++i) {
      const hw::OnfiPhase& p = t.phases[i];
      std::string text;
      if (p.kind == hw::PhaseKind::command) text = Commands::hw_text(p.opcode);
      if (p.kind == hw::PhaseKind::address) text = "a" + bytes(p.address.data(), p.address_cycles);
      if (p.kind == hw::PhaseKind::data_in) text = "in" + bytes(p.data, p.bytes);
      if (p.kind == hw::PhaseKind::data_out) text = "out";
      phases.push_back({text, p.start, p.end});
    }
  }
  void on_array(std::uint32_t, const hw::ArrayOperation&) override {}
  void on_violation(std::uint32_t, const hw::Violation&) override {}
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool ready, TimePs at) override {
    (ready ? rises : falls).push_back(at);
  }
  std::string text() const {
    std::string all;
    for (const Phase& p : phases) all += p.text + "; ";
    return all;
  }
  std::vector<Phase> phases;
  std::vector<TimePs> falls, rises;

 private:
  static std::string bytes(const std::uint8_t* from, std::uint32_t count) {
    std::string all;
    for (std::uint32_t i = 0; i < count; ++i) all += " " + Commands::hw_text(from[i]);
    return all;
  }
};

/// One read of page 1 of block 2 that is saved at the last level: `levels` times further.
struct Retried {
  Retried(const Sheet& s, hw::FlashControllerConfig config, const hw::NandConfig& cells)
      : sheet(s),
        bus(std::string(s.name) == "sdr5" ? timing::sdr(5) : timing::nv_ddr(8)),
        array(slow_array()) {
    expect_reports("twinplane.monitor");
    std::copy(std::begin(kLevelTimes), std::end(kLevelTimes), array.tR_level.begin());
    const Geometry geometry = small_geometry(1);
    config.ddr = bus.ddr;
    ControllerBench bench("bench", geometry, bus, array, config, cells);
    hw::NandConfig like = cells;
    like.geometry = geometry;
    like.array = array;
    like.bus = bus;
    hw::MonitorConfig watched = monitor_of(like);
    if (config.ecc.code == EccCode::ldpc) watched.first_soft_level = config.read_retries + 1;
    hw::ProtocolMonitor monitor(watched);
    monitor.forward_to(&findings);
    bench.channel->attach(monitor);
    bench.packages[0]->attach(monitor);
    bench.channel->attach(recording);
    bench.packages[0]->attach(recording);
    for (const std::uint32_t page : {0u, 1u}) bench.program_now({0, 0, 2, page});
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench.boot();
    bench.put(bench.descriptor(FlashOp::read, {0, 0, 2, 1}));
    bench.ring();
    sc_core::sc_start();
    EXPECT_EQ(bench.done.size(), 1u);
    EXPECT_EQ(bench.done[0].completion.result, 0);
    EXPECT_EQ(bench.violations(), 0u);
    EXPECT_EQ(findings.text(), "");
  }

  /// 00h a5 30h, data; and for each level D5h LUN 89h P1..P4 before it; at the end level 0.
  std::string expected(std::uint32_t levels) const {
    const std::string read = "00; a 00 00 21 00 00; 30; out; ";
    std::string all = read;
    for (std::uint32_t level = 1; level <= levels; ++level) all += set(level) + read;
    return all + set(0);
  }
  std::string set(std::uint32_t level) const {
    std::string p;
    for (std::uint32_t i = 0; i < 4 * sheet.copies; ++i)
      p += i < sheet.copies ? " 0" + std::to_string(level) : " 00";
    return "D5; a 00 89; in" + p + "; ";
  }
  /// Every wait of the sheet, edge by edge.
  void compare_times(std::uint32_t levels) const {
    std::uint32_t edge = 0, level = 0;
    TimePs ready = 0;
    const auto low = [&](TimePs end, TimePs time) {
      ASSERT_LT(edge, recording.falls.size());
      EXPECT_EQ(recording.falls[edge], end + sheet.tWB) << edge;
      ready = recording.rises[edge++];
      EXPECT_EQ(ready - recording.falls[edge - 1], time) << edge;
    };
    for (std::size_t i = 0; i < recording.phases.size(); ++i) {
      const Recording::Phase& p = recording.phases[i];
      if (p.text.size() == 2) { // a command
        EXPECT_EQ(p.end - p.start, sheet.tWC);
      }
      EXPECT_GE(p.start, ready) << p.text;
      if (p.text.rfind("in", 0) == 0) {
        EXPECT_EQ(p.start - recording.phases[i - 1].end, sheet.tADL);
        low(p.end, us(1)); // tFEAT
        ++level;
      } else if (p.text == "30") {
        low(p.end, level == 0 ? us(65) : kLevelTimes[level - 1]);
      } else if (p.text == "out") {
        EXPECT_GE(p.start, ready + sheet.tRR + sheet.first_byte);
      }
    }
    EXPECT_EQ(edge, 2 + 2 * levels);
    EXPECT_EQ(recording.falls.size(), edge) << "nothing else moves R/B#";
  }

  Sheet sheet;
  BusTiming bus;
  ArrayTiming array;
  Findings findings;
  Recording recording;
};

class RetryTranscript : public ::testing::TestWithParam<Sheet> {};

TEST_P(RetryTranscript, OfLevelsOneAfterTheOtherIsThatOfTheDataSheet) {
  hw::FlashControllerConfig config;
  config.ecc.code = EccCode::bch;
  config.ecc.fastest = config.ecc.slowest = kDecoding;
  config.read_retries = 3;
  const Retried r(GetParam(), config, noisy(100, {1, 0.8, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4}));
  EXPECT_EQ(r.recording.text(), r.expected(2));
  r.compare_times(2);
}

TEST_P(RetryTranscript, OfASoftReadIsThatOfTheDataSheet) {
  hw::FlashControllerConfig config;
  config.ecc.code = EccCode::ldpc;
  config.ecc.fastest = config.ecc.slowest = kDecoding;
  config.ecc.soft_corrects = 55;
  config.ecc.soft_senses = 3;
  config.read_retries = 1;
  const Retried r(GetParam(), config, noisy(100, {1, 0.5, 0.54, 0.54, 0.54, 0, 0, 0})); // 45, 50, 55 by sense
  EXPECT_EQ(r.recording.text(), r.expected(4));
  r.compare_times(4);
}

INSTANTIATE_TEST_SUITE_P(Sheets, RetryTranscript, ::testing::ValuesIn(kSheets), parameter_name);

} // namespace
} // namespace twinplane::test::retry_transcript_test
