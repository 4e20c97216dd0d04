// A file of trace events (the JSON array format that Chrome introduced and ui.perfetto.dev reads),
// streamed: it is valid JSON after every write, because each one puts the closing bracket behind its
// events and the next one begins on top of that bracket.
//
// Times are whole nanoseconds, the viewers' resolution, rounded down: what touches or nests in
// picoseconds still does. A failing write (disk full) closes the file behind the last whole event that
// fitted; ok() turns false and error() says why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

/// Where an event is drawn: a process groups threads, a thread is one track.
struct TraceTrack {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
};

class TraceEventFile {
 public:
  /// Throws InputError when the file cannot be created.
  explicit TraceEventFile(const std::filesystem::path& path);
  ~TraceEventFile();
  TraceEventFile(const TraceEventFile&) = delete;
  TraceEventFile& operator=(const TraceEventFile&) = delete;

  /// Tracks are shown in the order of their numbers. Names must not need escaping in JSON.
  void name_process(std::uint32_t process, std::string_view name);
  void name_track(const TraceTrack& track, std::string_view name);

  /// `arguments` are JSON members without braces; may be empty.
  void slice(const TraceTrack& track, std::string_view name, TimePs start, TimePs end,
             std::string_view arguments);
  void instant(const TraceTrack& track, std::string_view name, TimePs at, std::string_view arguments = {});
  /// A value from `at` on.
  void counter(std::uint32_t process, std::string_view name, TimePs at, std::int64_t value);
  /// ... with all digits that it takes to read it back as it is.
  void counter(std::uint32_t process, std::string_view name, TimePs at, double value);
  /// An arrow from the innermost slice at `at` on one track to that on another; `id` is not 0.
  void flow_begin(const TraceTrack& track, std::uint32_t id, TimePs at) { flow('s', track, id, at); }
  void flow_end(const TraceTrack& track, std::uint32_t id, TimePs at) { flow('f', track, id, at); }

  void close();
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  void write_counter(std::uint32_t process, std::string_view name, TimePs at, std::string_view value);
  void begin_event(char phase, const TraceTrack& track, std::string_view name);
  void end_event();
  void flow(char phase, const TraceTrack& track, std::uint32_t id, TimePs at);
  void metadata(const TraceTrack& track, std::string_view kind, std::string_view arguments);
  void append_time(TimePs time);
  void write_out();
  void fail(int error_number, std::size_t written);

  std::filesystem::path path_;
  int file_ = -1;
  std::string error_;
  std::string buffer_;              // whole events
  std::uint64_t bytes_in_file_ = 0; // without the closing bracket
};

} // namespace twinplane::platform
