// What the buses show, from tenures to lines of the VCD: each bus is a queue of script segments, and the
// queues are merged by time as they are written. The segments of a bus come in order of time and are never
// replaced, so they need no sorting, and the texts of a bus's lines are prepared once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/observe/waves/phase_scripts.h"
#include "platform/observe/waves/vcd_text.h"

namespace twinplane::platform {

class BusStreams {
 public:
  static constexpr std::size_t kRoom = 96; // that write() may touch, per bus and once more

  /// What a bus shows.
  struct Values {
    BusPhase phase = BusPhase::idle;
    WaveValue opcode = kUnknown;
    WaveValue chip = kUnknown;
  };
  /// Identifier codes with the end of the line; empty: outside the scope, not written.
  struct Codes {
    std::string_view phase, opcode, chip;
  };
  /// Steps up to kEndStep, of which there is one at least.
  struct Segment {
    const PhaseStep* step = nullptr;
    SegmentTimes times;
    std::uint64_t chip = 0; // as of chip_tag()
  };

  static std::uint64_t chip_tag(std::uint32_t chip) { return std::uint64_t{chip} << 32; }

  /// Returns the bus's number; `chip_bits` is the width of its chip wire.
  std::uint32_t add(const Codes& codes, std::uint32_t chip_bits);
  /// The steps live until they are written; segments of one bus come in order of time. What is returned
  /// may be completed until the next call.
  SegmentTimes* push(std::uint32_t number, const Segment& segment) {
    Bus& bus = buses_[number];
    if (bus.tail - bus.head > bus.mask) grow(bus);
    Segment& pushed = bus.ring[bus.tail++ & bus.mask];
    pushed = segment;
    ++size_;
    if (next_at_[number] == kNever) start(number);
    return &pushed.times;
  }

  /// When the next step is due; kNever: none is pending.
  TimePs next() const { return next_; }
  /// Writes what has changed on the buses when all steps due at `at` are done.
  char* write(char* out, TimePs at);
  /// Does the steps due at `at` without writing; `done` gets the number of each bus that had some.
  template <typename Done>
  void skip(TimePs at, Done&& done) {
    TimePs soonest = kNever;
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (next_at_[i] <= at) {
        next_at_[i] = due(buses_[i], at);
        done(i);
      }
      if (next_at_[i] < soonest) soonest = next_at_[i];
    }
    next_ = soonest;
  }
  Values values(std::uint32_t bus) const;

  std::uint32_t count() const { return static_cast<std::uint32_t>(buses_.size()); }
  /// Segments that are pending.
  std::size_t size() const { return size_; }
  void clear();

 private:
  struct Line {
    char text[31];
    std::uint8_t length;
  };
  struct Lines {
    std::array<VcdShortValue, kBusPhases> phases; // with the end of the line
    std::array<Line, 256> commands;               // phase and opcode
    std::array<char, 8> chip_code{};
    std::uint8_t chip_code_length = 0; // 0: not recorded
    std::uint32_t chip_bits = 1;
    const VcdShortValue* chip_values = nullptr;
  };
  /// [7:0] phase, [31:8] opcode, [63:32] chip.
  using Shown = std::uint64_t;
  static constexpr Shown kPhase = 0xFF;
  static constexpr Shown kOpcode = 0xFFFFFF00;
  static constexpr Shown kNothing = kOpcode | Shown{kUnknown} << 32; // idle, unknown, unknown

  struct Bus {
    const PhaseStep* step = nullptr; // the next one, of the segment at `head`
    const TimePs* base = nullptr;    // that segment's times
    std::uint64_t chip = 0;          // and chip
    Shown shown = kNothing;          // in the file
    std::unique_ptr<Segment[]> ring{new Segment[1]};
    std::uint64_t mask = 0; // its size, a power of two, less one
    std::uint64_t head = 0; // [head, tail) are pending
    std::uint64_t tail = 0;
    std::unique_ptr<const Lines> lines;
  };

  static void grow(Bus& bus);
  void start(std::uint32_t number);
  static TimePs enter(Bus& bus);
  TimePs due(Bus& bus, TimePs at);
  static char* show(char* out, const Lines& lines, Shown before, Shown now);
  struct Written {
    char* end;
    TimePs next; // step of the bus
  };
  Written write_any(Bus& bus, char* out, TimePs at, TimePs next);

  std::vector<TimePs> next_at_; // of each bus
  std::vector<Bus> buses_;
  TimePs next_ = kNever; // the first of them
  std::size_t size_ = 0;
};

} // namespace twinplane::platform
