// Change-driven VCD writer (IEEE 1364-2005, section 18): the cost follows the changes, not the signals.
//
// Models announce changes ahead of time (a tenure comes with the times of all its phases), and calls of
// different sources are not in order of time. So changes are collected and written, sorted, once the
// caller says that nothing earlier will come (advance). A change replaces all later announced ones of
// its signal, as with transport delays in VHDL: an operation that is cut short needs no undo.
//
// The bytes depend on the calls alone: no date, no host name. Time unit: 1 ps.
//
// A failing write (disk full) does not throw into a running simulation: the file is cut back to its last
// whole time step, closed, and stays readable; ok() turns false and error() says why.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/waves/change_queue.h"
#include "platform/waves/vcd_text.h"

namespace twinplane::platform {

/// The part of simulated time that is recorded: [begin, end].
struct WaveWindow {
  TimePs begin = 0;
  TimePs end = kNever;
};

class VcdWriter {
 public:
  enum class Signal : std::uint32_t {};

  VcdWriter(const std::filesystem::path& path, const WaveWindow& window);
  ~VcdWriter();
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  // --- before start() ---
  /// `name` is dotted: all but the last part are scopes. 1 to 63 bits; `initial` may be kUnknown or kHighZ.
  Signal add_wire(std::string_view name, std::uint32_t bits, std::uint64_t initial);
  /// One bit, 1 while the sum of its adjust() calls is 0: a wired-AND of many drivers.
  Signal add_idle_wire(std::string_view name);
  /// Creates the file and declares the signals. Throws InputError when the file cannot be created.
  void start();

  // --- after start(); a signal is either changed or adjusted ---
  /// `value` may be kUnknown or kHighZ.
  void change(Signal signal, TimePs at, std::uint64_t value) {
    State& s = state(signal);
    if (at > last_time_ || (value == s.announced && at >= s.latest)) return; // it has that value already
    s.announced = value;
    s.latest = at;
    schedule(signal, at, false, value);
  }
  /// Adds to a wire's value at that time (counters); never replaces announced changes.
  void adjust(Signal signal, TimePs at, std::int64_t by) {
    if (at <= last_time_) schedule(signal, at, true, static_cast<std::uint64_t>(by));
  }
  /// No change before `until` will be announced any more. Changes that break this promise move to the
  /// time already written and count as late.
  void advance(TimePs until);
  /// Writes everything up to `end`, the end of simulated time; later announcements are dropped.
  void close(TimePs end);

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  std::uint64_t late_changes() const { return late_; }
  std::size_t pending() const { return queue_.size(); }
  const WaveWindow& window() const { return window_; }

 private:
  struct State {
    std::uint64_t shown = 0;     // in the file
    std::uint64_t next = 0;      // of the time step that is being put together
    std::uint64_t sum = 0;       // of adjust() calls
    std::uint64_t announced = 0; // latest announced value
    TimePs latest = 0;           // ... and its time
    std::uint64_t order = 0;     // of the newest change applied: older announcements behind it are void
    std::uint8_t bits = 1;
    bool idle = false; // add_idle_wire
    std::uint8_t code_length = 0;
    char code[8] = {}; // with the end of the line
  };

  State& state(Signal s) { return states_[static_cast<std::uint32_t>(s)]; }
  Signal add(std::string_view name, State state);
  void schedule(Signal signal, TimePs at, bool relative, std::uint64_t value) {
    if (at < open_from_) return schedule_early(signal, relative, value);
    queue_.push(at, static_cast<std::uint32_t>(signal), relative, value);
  }
  void schedule_early(Signal signal, bool relative, std::uint64_t value);
  /// A change that was announced before one that lies in front of it has been replaced by that one.
  static void apply(State& s, const WaveChange& change) {
    if (change.relative()) {
      s.sum += change.value;
      s.next = s.idle ? (s.sum == 0 ? 1 : 0) : s.sum;
    } else if (change.order >= s.order) {
      s.order = change.order;
      s.next = change.value;
    }
  }
  void dump_initial();
  const WaveBurst* write_step(const WaveBurst* first, const WaveBurst* end);
  char* room(std::size_t bytes);
  void append(std::string_view text);
  static char* append_value(char* out, const State& s) {
    out = append_vcd_value(out, s.shown, s.bits);
    std::memcpy(out, s.code, sizeof s.code);
    return out + s.code_length;
  }
  std::size_t used_to(const char* end) const { return static_cast<std::size_t>(end - buffer_.data()); }
  void write_out();
  void fail(int error_number, std::size_t bytes_in_file);

  std::filesystem::path path_;
  WaveWindow window_;
  int file_ = -1;
  std::string error_;
  std::vector<State> states_;
  std::vector<std::string> names_; // dotted
  ChangeQueue queue_;
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
