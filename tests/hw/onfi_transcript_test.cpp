// Does every command sequence look on the bus as the data sheet draws it: cycles, their times, R/B#?
//
// Each row is one line of the ONFI command table. It is written down once, cycle by cycle with the waits
// that the sheet prescribes; from it come the cycles that are sent, without times, and the transcript
// that the channel's and the die's observers must show. The intervals are literals of the sheets.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/flash_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::onfi_transcript_test {
namespace {

using hw::OnfiPhase;
using hw::PhaseKind;

struct Sheet {
  const char* name;
  std::uint64_t byte_numerator, byte_denominator; // ps
  TimePs tWC, tCS, tADL, tWB, tWHR, tRR, tCCS, tRHW, tCALS, tWPST, tWPSTH, tRPRE, tDQSRE;
  std::uint32_t copies; // of one-byte values: each edge of a DDR bus

  TimePs bytes(std::uint64_t n) const {
    return (n * byte_numerator + byte_denominator - 1) / byte_denominator;
  }
  TimePs preamble() const { return tRPRE + tDQSRE; }
};
void PrintTo(const Sheet& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

constexpr Sheet kSheets[] = {
    {"sdr5", 20'000, 1, ns(20), ns(15), ns(400), ns(100), ns(80), ns(20), ns(500), ns(100), 0, 0, 0, 0, 0, 1},
    {"nvddr2_8", 1875, 1, ns(25), ns(20), ns(300), ns(100), ns(80), ns(20), ns(400), ns(100), ns(15),
     ps(6500), ns(15), ns(15), ns(25), 2},
    {"nvddr3_12", 2500, 3, ns(25), ns(20), ns(400), ns(100), ns(80), ns(20), ns(400), ns(100), ns(15),
     ps(6500), ns(25), ns(15), ns(25), 2},
};

BusTiming bus_of(const Sheet& sheet) {
  const std::string name = sheet.name;
  return name == "sdr5" ? timing::sdr(5) : name == "nvddr2_8" ? timing::nv_ddr(8) : timing::nv_ddr(12);
}

hw::NandConfig part(const Sheet& sheet) {
  hw::NandConfig c = small_part();
  c.geometry.dies_per_chip = 1;
  c.bus = bus_of(sheet);
  return c;
}

std::string text(PhaseKind kind, std::uint32_t value, TimePs from, TimePs to) {
  constexpr const char* kNames[] = {"command ", "address cycles ", "bytes in ", "bytes out "};
  return std::string(kNames[static_cast<std::size_t>(kind)]) + std::to_string(value) + " from " +
         std::to_string(from) + " to " + std::to_string(to) + " ps\n";
}

/// The sheet's view of a sequence, and its cycles without times.
class Script {
 public:
  Script(const Sheet& s, FlashBench& b) : sheet(s), bench(b), now_(b.now) { bench.cycles.clear(); }

  Script& wait(TimePs time) {
    now_ += time;
    return *this;
  }
  Script& command(std::uint8_t opcode) {
    begin();
    bench.cycles.command(opcode);
    return add(PhaseKind::command, opcode, sheet.tWC);
  }
  Script& page(const Place& p) {
    bench.cycles.page_address(bench.row(p));
    return add(PhaseKind::address, 5, 5 * sheet.tWC);
  }
  Script& row(const Place& p) {
    bench.cycles.row_address(bench.row(p));
    return add(PhaseKind::address, 3, 3 * sheet.tWC);
  }
  Script& address(std::uint8_t value, std::uint32_t cycles = 1) {
    bench.cycles.short_address(value, cycles);
    return add(PhaseKind::address, cycles, cycles * sheet.tWC);
  }
  Script& lun_feature(std::uint8_t lun, std::uint8_t feature) {
    address(lun, 2);
    hw::OnfiTenure& tenure = bench.cycles.tenure();
    tenure.phases[tenure.phase_count - 1].address[1] = feature;
    return *this;
  }
  /// A page of data in after tADL (or another wait), and what must pass before the confirm.
  Script& page_in(TimePs before) {
    wait(before);
    bench.cycles.page_data(PhaseKind::data_in, bench.full_mask(), nullptr, &word_);
    add(PhaseKind::data_in, 8192, sheet.bytes(8192));
    return wait(sheet.tWPST + sheet.tWPSTH + sheet.tCALS);
  }
  /// Data of a page, after tCCS, or as the first thing of a tenure.
  Script& page_out(TimePs before) {
    wait(before + sheet.preamble());
    bench.cycles.page_data(PhaseKind::data_out, bench.full_mask(), nullptr, nullptr);
    return add(PhaseKind::data_out, 8192, sheet.bytes(8192));
  }
  Script& values(PhaseKind kind, std::uint32_t count, TimePs before) {
    wait(before + (kind == PhaseKind::data_out ? sheet.preamble() : 0));
    const std::uint32_t bytes = count * sheet.copies;
    bench.cycles.bytes(kind, values_, bytes);
    return add(kind, bytes, sheet.bytes(bytes));
  }
  /// Raw bytes that a DDR bus does not double (parameter page, unique ID).
  Script& bytes_out(std::uint32_t count, TimePs before) {
    wait(before + sheet.preamble());
    bench.cycles.bytes(PhaseKind::data_out, values_, count);
    return add(PhaseKind::data_out, count, sheet.bytes(count));
  }
  /// R/B# low from tWB after the last cycle, for so long.
  Script& busy(TimePs time) {
    edges_ += edge(now_ + sheet.tWB, time);
    return *this;
  }
  /// 32h, 11h, D1h inside a tenure: the next plane comes after tWB and tDBSY.
  Script& gap() {
    busy(ns(500));
    return wait(sheet.tWB + ns(500));
  }

  void check() {
    struct Recorder final : hw::BusObserver, hw::NandObserver {
      void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure& t, TimePs, TimePs) override {
        for (std::uint32_t i = 0; i < t.phase_count; ++i) {
          const OnfiPhase& p = t.phases[i];
          const std::uint32_t value = p.kind == PhaseKind::command   ? p.opcode
                                      : p.kind == PhaseKind::address ? p.address_cycles
                                                                     : p.bytes;
          phases += text(p.kind, value, p.start, p.end);
        }
      }
      void on_array(std::uint32_t, const hw::ArrayOperation&) override {}
      void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool ready, TimePs at) override {
        edges += (ready ? " ready " : " busy ") + std::to_string(at);
      }
      void on_violation(std::uint32_t, const hw::Violation& v) override { ADD_FAILURE() << v.rule; }
      std::string phases, edges;
    } recorder;
    bench.channel.attach(recorder);
    bench.package().attach(recorder);
    bench.send(bench.now);
    EXPECT_EQ(recorder.phases, phases_);
    EXPECT_EQ(recorder.edges, edges_);
  }

  const Sheet& sheet;
  FlashBench& bench;

 private:
  static std::string edge(TimePs from, TimePs time) {
    return " busy " + std::to_string(from) + " ready " + std::to_string(from + time);
  }
  void begin() {
    if (phases_.empty()) wait(sheet.tCS);
  }
  Script& add(PhaseKind kind, std::uint32_t value, TimePs length) {
    phases_ += text(kind, value, now_, now_ + length);
    now_ += length;
    return *this;
  }

  TimePs now_;
  std::uint64_t word_ = 9;
  std::uint8_t values_[1024] = {};
  std::string phases_, edges_;
};

/// One line of the command table; `prepare` brings the die to where the sequence may come.
struct Line {
  const char* name;
  std::function<void(FlashBench&)> prepare;
  std::function<void(Script&)> write;
};

// Array times of small_part(): an LSB page, an erase, and the defaults of the rest.
constexpr TimePs kRead = us(60), kProgram = us(500), kErase = ms(15);
constexpr TimePs kReadCacheBusy = us(3), kProgramCacheBusy = us(4), kFeature = us(1);
constexpr Place kA{0, 0, 3, 0}, kB{0, 1, 3, 0}, kC{0, 0, 4, 0}, kD{0, 1, 4, 0};

void nothing(FlashBench&) {}
void two_pages(FlashBench& b) {
  b.program(kA);
  b.program(kB);
}
void read_one(FlashBench& b) {
  two_pages(b);
  b.read(kA);
}
void read_ahead(FlashBench& b) {
  read_one(b);
  b.cycles.clear().command(0x31);
  b.now = b.send(b.now);
  b.now = b.cycles.tenure().array_ready_at;
}
void read_both(FlashBench& b, std::uint8_t confirm) {
  two_pages(b);
  b.cycles.clear().command(0x00).page_address(b.row(kA)).command(0x32);
  b.cycles.command(0x00).page_address(b.row(kB)).command(confirm);
  b.finish(0);
}
void erasing(FlashBench& b) {
  b.cycles.clear().command(0x60).row_address(b.row(kA)).command(0xD0);
  b.now = b.send(b.now) + ms(1);
}
void programming(FlashBench& b) {
  b.cycles.clear();
  b.start_program(kA);
  b.now = b.send(b.now) + us(10);
}
void suspended(FlashBench& b, bool erase) {
  if (erase) {
    erasing(b);
    b.cycles.clear().command(0x61).row_address(b.row(kA));
  } else {
    programming(b);
    b.cycles.clear().command(0x84).page_address(b.row(kA));
  }
  b.send(b.now);
  b.now = b.ready();
}

const Line kLines[] = {
    {"reset", nothing, [](Script& s) { s.command(0xFF).busy(us(5)); }},
    {"synchronous_reset", nothing, [](Script& s) { s.command(0xFC).busy(us(5)); }},
    {"reset_lun", nothing, [](Script& s) { s.command(0xFA).row(kA).busy(us(5)); }},
    {"reset_during_program", programming, [](Script& s) { s.command(0xFF).busy(us(30)); }},
    {"reset_during_erase", erasing, [](Script& s) { s.command(0xFF).busy(us(500)); }},
    {"read_id", nothing,
     [](Script& s) { s.command(0x90).address(0x20).values(PhaseKind::data_out, 4, s.sheet.tWHR); }},
    {"read_parameter_page", nothing, [](Script& s) { s.command(0xEC).address(0).busy(kRead); }},
    {"parameter_page_out",
     [](FlashBench& b) {
       b.cycles.clear().command(0xEC).short_address(0);
       b.send(b.now);
       b.now = b.ready();
     },
     [](Script& s) { s.wait(s.sheet.tCS).bytes_out(768, s.sheet.tRR); }},
    {"read_unique_id", nothing, [](Script& s) { s.command(0xED).address(0).busy(kRead); }},
    {"get_features", nothing, [](Script& s) { s.command(0xEE).address(0x10).busy(kFeature); }},
    {"set_features", nothing,
     [](Script& s) {
       s.command(0xEF).address(0x10).values(PhaseKind::data_in, 4, s.sheet.tADL).busy(kFeature);
     }},
    {"get_lun_features", nothing, [](Script& s) { s.command(0xD4).lun_feature(0, 0x89).busy(kFeature); }},
    {"set_lun_features", nothing,
     [](Script& s) {
       s.command(0xD5).lun_feature(0, 0x89).values(PhaseKind::data_in, 4, s.sheet.tADL).busy(kFeature);
     }},
    {"read_status", nothing, [](Script& s) { s.command(0x70).values(PhaseKind::data_out, 1, s.sheet.tWHR); }},
    {"read_status_enhanced", nothing,
     [](Script& s) { s.command(0x78).row(kA).values(PhaseKind::data_out, 1, s.sheet.tWHR); }},
    {"read", two_pages, [](Script& s) { s.command(0x00).page(kA).command(0x30).busy(kRead); }},
    {"data_out_when_ready", read_one,
     [](Script& s) { s.command(0x00).page_out(s.sheet.tWHR); }}, // 00h: back from the status register
    {"change_read_column", read_one,
     [](Script& s) { s.command(0x05).address(0, 2).command(0xE0).page_out(s.sheet.tCCS); }},
    {"change_read_column_enhanced", read_one,
     [](Script& s) { s.command(0x06).page(kA).command(0xE0).page_out(s.sheet.tCCS); }},
    {"jedec_random_data_out", read_one,
     [](Script& s) {
       s.command(0x00).page(kA).command(0x05).address(0, 2).command(0xE0).page_out(s.sheet.tCCS);
     }},
    {"two_planes_out", [](FlashBench& b) { read_both(b, 0x30); },
     [](Script& s) {
       s.command(0x06).page(kA).command(0xE0).page_out(s.sheet.tCCS).wait(s.sheet.tRHW);
       s.command(0x06).page(kB).command(0xE0).page_out(s.sheet.tCCS);
     }},
    {"multi_plane_read", two_pages,
     [](Script& s) {
       s.command(0x00).page(kA).command(0x32).gap();
       s.command(0x00).page(kB).command(0x30).busy(kRead);
     }},
    {"read_cache_random", read_one,
     [](Script& s) { s.command(0x00).page(kC).command(0x31).busy(kReadCacheBusy); }},
    {"read_cache_sequential", read_one, [](Script& s) { s.command(0x31).busy(kReadCacheBusy); }},
    {"read_cache_end", read_ahead, [](Script& s) { s.command(0x3F).busy(kReadCacheBusy); }},
    {"multi_plane_cache_read", [](FlashBench& b) { read_both(b, 0x30); },
     [](Script& s) {
       s.command(0x00).page(kC).command(0x32).gap();
       s.command(0x00).page(kD).command(0x31).busy(kReadCacheBusy);
     }},
    {"copyback_read", two_pages, [](Script& s) { s.command(0x00).page(kA).command(0x35).busy(kRead); }},
    {"copyback_program",
     [](FlashBench& b) {
       two_pages(b);
       b.cycles.clear().command(0x00).page_address(b.row(kA)).command(0x35);
       b.finish(0);
     },
     [](Script& s) { s.command(0x85).page(kC).command(0x10).busy(kProgram); }},
    {"copyback_program_with_data",
     [](FlashBench& b) {
       two_pages(b);
       b.cycles.clear().command(0x00).page_address(b.row(kA)).command(0x35);
       b.finish(0);
     },
     [](Script& s) { s.command(0x85).page(kC).page_in(s.sheet.tCCS).command(0x10).busy(kProgram); }},
    {"multi_plane_copyback_read", two_pages,
     [](Script& s) {
       s.command(0x00).page(kA).command(0x32).gap();
       s.command(0x00).page(kB).command(0x35).busy(kRead);
     }},
    {"multi_plane_copyback_program", [](FlashBench& b) { read_both(b, 0x35); },
     [](Script& s) {
       s.command(0x85).page(kC).command(0x11).gap();
       s.command(0x85).page(kD).command(0x10).busy(kProgram);
     }},
    {"multi_plane_copyback_program_jedec", [](FlashBench& b) { read_both(b, 0x35); },
     [](Script& s) {
       s.command(0x85).page(kC).command(0x11).gap();
       s.command(0x81).page(kD).command(0x10).busy(kProgram);
     }},
    {"page_program", nothing,
     [](Script& s) { s.command(0x80).page(kA).page_in(s.sheet.tADL).command(0x10).busy(kProgram); }},
    {"change_write_column", nothing,
     [](Script& s) {
       s.command(0x80).page(kA).page_in(s.sheet.tADL);
       s.command(0x85).address(0, 2).page_in(s.sheet.tCCS).command(0x10).busy(kProgram);
     }},
    {"change_row_address", nothing,
     [](Script& s) {
       s.command(0x80).page(kA).page_in(s.sheet.tADL);
       s.command(0x85).page(kC).page_in(s.sheet.tCCS).command(0x10).busy(kProgram);
     }},
    {"multi_plane_program", nothing,
     [](Script& s) {
       s.command(0x80).page(kA).page_in(s.sheet.tADL).command(0x11).gap();
       s.command(0x80).page(kB).page_in(s.sheet.tADL).command(0x10).busy(kProgram);
     }},
    {"multi_plane_program_jedec", nothing,
     [](Script& s) {
       s.command(0x80).page(kA).page_in(s.sheet.tADL).command(0x11).gap();
       s.command(0x81).page(kB).page_in(s.sheet.tADL).command(0x10).busy(kProgram);
     }},
    {"cache_program", nothing,
     [](Script& s) { s.command(0x80).page(kA).page_in(s.sheet.tADL).command(0x15).busy(kProgramCacheBusy); }},
    {"multi_plane_cache_program", nothing,
     [](Script& s) {
       s.command(0x80).page(kA).page_in(s.sheet.tADL).command(0x11).gap();
       s.command(0x80).page(kB).page_in(s.sheet.tADL).command(0x15).busy(kProgramCacheBusy);
     }},
    {"block_erase", nothing, [](Script& s) { s.command(0x60).row(kA).command(0xD0).busy(kErase); }},
    {"multi_plane_erase", nothing,
     [](Script& s) {
       s.command(0x60).row(kA).command(0xD1).gap();
       s.command(0x60).row(kB).command(0xD0).busy(kErase);
     }},
    {"multi_plane_erase_jedec", nothing,
     [](Script& s) { s.command(0x60).row(kA).command(0x60).row(kB).command(0xD0).busy(kErase); }},
    {"volume_select", nothing, [](Script& s) { s.command(0xE1).address(0); }},
    {"odt_configure", nothing,
     [](Script& s) { s.command(0xE2).address(0).values(PhaseKind::data_in, 4, s.sheet.tADL); }},
    {"zq_calibration_long", nothing, [](Script& s) { s.command(0xF9).address(0).busy(us(1)); }},
    {"zq_calibration_short", nothing, [](Script& s) { s.command(0xD9).address(0).busy(ns(300)); }},
    {"slc_program", nothing,
     [](Script& s) {
       s.command(0xDA).command(0x80).page(kA).page_in(s.sheet.tADL).command(0x10).busy(us(300));
     }},
    {"program_resume", [](FlashBench& b) { suspended(b, false); },
     [](Script& s) { s.command(0x13).page(kA).busy(s.bench.arrays.back().end - s.bench.now); }},
    {"erase_resume", [](FlashBench& b) { suspended(b, true); },
     [](Script& s) { s.command(0xD2).busy(s.bench.arrays.back().end - s.bench.now); }},
};

void PrintTo(const Line& line, std::ostream* out) {
  *out << line.name;
}

class OnfiTranscript : public ::testing::TestWithParam<std::tuple<Sheet, Line>> {};

TEST_P(OnfiTranscript, IsThatOfTheDataSheet) {
  const auto& [sheet, line] = GetParam();
  FlashBench bench(part(sheet));
  line.prepare(bench);
  Script script(sheet, bench);
  line.write(script);
  script.check();
}

INSTANTIATE_TEST_SUITE_P(Sequences, OnfiTranscript,
                         ::testing::Combine(::testing::ValuesIn(kSheets), ::testing::ValuesIn(kLines)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) + "_" +
                                  std::get<1>(row.param).name;
                         });

} // namespace
} // namespace twinplane::test::onfi_transcript_test
