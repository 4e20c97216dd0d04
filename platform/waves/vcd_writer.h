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
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/waves/text_buffer.h"

namespace twinplane::platform {

/// The part of simulated time that is recorded: [begin, end].
struct WaveWindow {
  TimePs begin = 0;
  TimePs end = kNever;
};

class VcdWriter {
 public:
  enum class Signal : std::uint32_t {};
  enum class Initial : std::uint8_t { zero, one, unknown };

  VcdWriter(const std::filesystem::path& path, const WaveWindow& window);
  ~VcdWriter();
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  // --- before start() ---
  /// `name` is dotted: all but the last part are scopes. 1 to 64 bits.
  Signal add_wire(std::string_view name, std::uint32_t bits, Initial initial);
  Signal add_real(std::string_view name);
  /// Creates the file and declares the signals. Throws InputError when the file cannot be created.
  void start();

  // --- after start() ---
  void change(Signal signal, TimePs at, std::uint64_t value) { schedule({at, value, signal, false}); }
  void change_real(Signal signal, TimePs at, double value);
  /// Adds to a wire's value at that time (counters); never replaces announced changes.
  void adjust(Signal signal, TimePs at, std::int64_t by) {
    schedule({at, static_cast<std::uint64_t>(by), signal, true});
  }
  /// No change before `until` will be announced any more. Changes that break this promise move to the
  /// time already written and count as late.
  void advance(TimePs until);
  /// Writes everything up to `end`, the end of simulated time; later announcements are dropped.
  void close(TimePs end);

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  std::uint64_t late_changes() const { return late_; }
  std::size_t pending() const { return pending_.size(); }
  const WaveWindow& window() const { return window_; }

 private:
  struct Change {
    TimePs at;
    std::uint64_t value;
    Signal signal;
    bool relative;
  };
  struct State {
    std::uint64_t value = 0;
    std::uint64_t next = 0;
    TimePs latest = 0; // last announced change
    std::uint32_t bits = 1;
    bool real = false;
    bool known = true;
    bool touched = false; // in touched_
    std::uint8_t code_length = 0;
    char code[6] = {};
    std::string name; // dotted
  };

  State& state(Signal s) { return states_[static_cast<std::uint32_t>(s)]; }
  Signal add(std::string_view name, State state);
  void schedule(Change change);
  void drop_later(Signal signal, TimePs from);
  static void apply(State& state, const Change& change);
  void dump_initial();
  void write_step(std::vector<Change>::const_iterator first, std::vector<Change>::const_iterator last);
  void append_time(TimePs time);
  void append_value(const State& state);
  void write_out();
  void fail(int error_number, std::size_t bytes_in_file);

  std::filesystem::path path_;
  WaveWindow window_;
  int file_ = -1;
  std::string error_;
  std::vector<State> states_;
  std::vector<Change> pending_;
  std::vector<std::uint32_t> touched_;
  TimePs written_until_ = 0;
  bool dumped_ = false;
  std::uint64_t late_ = 0;
  TextBuffer buffer_;            // whole time steps
  char stamp_[24] = {};          // '#' and the microseconds of the last time stamp
  std::size_t stamp_digits_ = 0; // of stamp_; 0: nothing there yet
  TimePs stamp_us_ = 0;
  std::size_t bytes_in_file_ = 0;
};

} // namespace twinplane::platform
