// Change-driven writer of VCD (IEEE 1364-2005, section 18) or FST: its cost grows with changes, not with
// signals.
//
// Models announce changes ahead of time (a tenure comes with the times of all its phases), and calls of
// different sources are not in order of time. So changes are collected and written, sorted, once the
// caller says that nothing earlier will come (advance). A change replaces all later announced ones of
// its signal, as with transport delays in VHDL: an operation that is cut short needs no undo. What is
// announced for a bus is never replaced, so buses are written without that sorting (BusStreams).
//
// The bytes depend on the calls alone: no date, no host name. Time unit: 1 ps.
//
// A failing write (disk full) does not throw into a running simulation: the file is cut back to its last
// whole time step, closed, and stays readable; ok() turns false and error() says why.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/observe/waves/bus_streams.h"
#include "platform/observe/waves/change_queue.h"
#include "platform/observe/waves/fst_file.h"
#include "platform/observe/waves/vcd_text.h"
#include "platform/observe/waves/wave_texts.h"

namespace twinplane::platform {

/// The part of simulated time that is recorded: [begin, end].
struct WaveWindow {
  TimePs begin = 0;
  TimePs end = kNever;
};

enum class WaveFormat : std::uint8_t { vcd, fst };
/// Name of the file in a run's folder.
constexpr const char* wave_file(WaveFormat format) {
  return format == WaveFormat::fst ? "waves.fst" : "waves.vcd";
}

class WaveWriter {
 public:
  enum class Signal : std::uint32_t {};

  WaveWriter(const std::filesystem::path& path, const WaveWindow& window,
             WaveFormat format = WaveFormat::vcd);
  ~WaveWriter();
  WaveWriter(const WaveWriter&) = delete;
  WaveWriter& operator=(const WaveWriter&) = delete;

  // --- before start() ---
  /// `name` is dotted: all but the last part are scopes. 1 to 31 bits; `initial` may be kUnknown or kHighZ.
  Signal add_wire(std::string_view name, std::uint32_t bits, WaveValue initial);
  /// One bit, 1 while the sum of its adjust() calls is 0: a wired-AND of many drivers.
  Signal add_idle_wire(std::string_view name);
  /// Not in the file: for texts to follow.
  Signal add_hidden_wire(std::uint32_t bits, WaveValue initial);
  /// A string that follows `sources`, at first made of their initial values. No signal belongs to two texts.
  Signal add_text(std::string_view name, const std::array<Signal, WaveTexts::kSources>& sources,
                  WaveTexts::Compose compose);
  /// Three wires that only stream() changes: 3 bits, 8 bits and the chip's. Returns the bus's number.
  struct BusWires {
    std::optional<Signal> phase, opcode, chip; // nullopt: does not exist
  };
  std::uint32_t add_bus(const BusWires& wires, std::uint32_t chip_bits);
  /// Creates the file and declares the signals; an FST names their values by the drives' tables. Throws
  /// InputError when the file cannot be created.
  void start(const std::vector<WaveDrive>& drives = {});

  // --- after start(); a signal is either changed, adjusted or a bus's ---
  /// `value` may be kUnknown or kHighZ.
  void change(Signal signal, TimePs at, WaveValue value) {
    if (at > last_time_) return;
    Announced& a = announced_[number(signal)];
    if (at < a.latest) {
      replace(signal);
    } else if (value == a.value) {
      return; // it has that value already
    }
    a.value = value;
    a.latest = at;
    schedule(at, WaveChange::absolute(number(signal), value, a.epoch));
  }
  /// Adds to a wire's value at that time (counters); never replaces announced changes.
  void adjust(Signal signal, TimePs at, std::int32_t by) {
    if (at > last_time_) return;
    schedule(at, WaveChange::relative(number(signal), static_cast<WaveValue>(by)));
  }
  /// What a bus shows: see BusStreams::push(). Null: not recorded.
  SegmentTimes* stream(std::uint32_t bus, const BusStreams::Segment& segment) {
    const TimePs begin = segment.times.base[PhaseStep::begin];
    if (begin > last_time_) return nullptr;
    if (dumped_ && begin < open_from_) ++late_;
    return streams_.push(bus, segment);
  }
  /// No change before `until` will be announced any more. Changes that break this promise move to the
  /// time already written and count as late.
  void advance(TimePs until);
  /// Writes everything up to `end`, the end of simulated time; later announcements are dropped.
  void close(TimePs end);

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  std::uint64_t late_changes() const { return late_; }
  std::size_t pending() const { return queue_.size() + streams_.size(); }
  const WaveWindow& window() const { return window_; }

 private:
  struct State {
    WaveValue shown = 0;     // in the file
    WaveValue next = 0;      // of the time step that is being put together
    std::uint32_t epoch = 0; // of the newest change applied: announcements of older ones are void
    std::uint8_t bits = 1;
    std::uint8_t code_length = 0;
    bool idle = false; // add_idle_wire
    enum class Kind : std::uint8_t { wire, hidden, text } kind = Kind::wire;
    std::uint32_t text = 0; // that follows it
    const VcdShortValue* short_values = nullptr;
    char code[8] = {}; // with the end of the line
  };
  struct Announced { // by change()
    TimePs latest = 0;
    WaveValue value = 0;
    std::uint32_t epoch = 0; // counts announcements that replaced others
  };

  static std::uint32_t number(Signal s) { return static_cast<std::uint32_t>(s); }
  Signal add(std::string_view name, State state);
  void replace(Signal signal);
  void schedule(TimePs at, WaveChange change) {
    if (at < open_from_) return schedule_early(change);
    queue_.push(at, change);
  }
  void schedule_early(WaveChange change);
  void apply(WaveChange change, State& s);
  void dump_initial();
  std::string_view code(const std::optional<Signal>& signal) const;
  template <typename Put>
  void renew_texts(Put&& put) {
    if (texts_.stale() != 0)
      texts_.renew([this](std::uint32_t signal) { return states_[signal].shown; }, put);
  }
  std::size_t stream_room() const;
  void write_streams(TimePs at);
  void note_step(TimePs at, const WaveBurst* first, const WaveBurst* end);
  template <typename Changed>
  void show_bus(std::uint32_t bus, Changed&& changed);
  std::string declarations() const;
  const WaveBurst* write_step(const WaveBurst* first, const WaveBurst* end);
  char* room(std::size_t bytes);
  void append(std::string_view text);
  static char* append_value(char* out, const State& s) {
    out = append_vcd_value(out, s.shown, s.bits, s.short_values);
    std::memcpy(out, s.code, sizeof s.code);
    return out + s.code_length;
  }
  static char* append_text(char* out, const State& s, std::string_view text) {
    *out++ = 's';
    out = std::copy(text.begin(), text.end(), out);
    *out++ = ' ';
    std::memcpy(out, s.code, sizeof s.code);
    return out + s.code_length;
  }
  std::size_t used_to(const char* end) const { return static_cast<std::size_t>(end - buffer_.data()); }
  void write_out();
  void fail(int error_number, std::size_t bytes_in_file);

  std::filesystem::path path_;
  WaveWindow window_;
  WaveFormat format_;
  int file_ = -1;
  std::unique_ptr<FstFile> fst_; // instead of the file
  std::string error_;
  std::vector<State> states_;
  std::vector<Announced> announced_;
  std::vector<WaveValue> sums_;    // of adjust() calls
  std::vector<std::string> names_; // dotted
  WaveTexts texts_;
  ChangeQueue queue_;
  BusStreams streams_;
  std::vector<BusWires> buses_;
  TimePs last_time_;     // nothing later is recorded
  TimePs open_from_ = 0; // earlier changes need care: before the window, or late
  bool dumped_ = false;
  std::uint64_t late_ = 0;
  std::vector<char> buffer_; // whole time steps, up to used_
  std::size_t used_ = 0;
  VcdStamp stamp_;
  std::size_t bytes_in_file_ = 0;
};

} // namespace twinplane::platform
