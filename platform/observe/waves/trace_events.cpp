#include "platform/observe/waves/trace_events.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::string_view kOpening = "[\n";
constexpr std::string_view kBetween = ",\n";
constexpr std::string_view kClosing = "\n]\n";

} // namespace

TraceEventFile::TraceEventFile(const std::filesystem::path& path) : path_(path), buffer_(kOpening) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError("cannot write \"" + path_.string() + "\": " + std::strerror(errno));
}

TraceEventFile::~TraceEventFile() {
  close();
}

void TraceEventFile::begin_event(char phase, const TraceTrack& track, std::string_view name) {
  if (bytes_in_file_ + buffer_.size() > kOpening.size()) buffer_ += kBetween;
  buffer_.append("{\"ph\":\"").append(1, phase).append("\",\"pid\":").append(std::to_string(track.process));
  buffer_.append(",\"tid\":").append(std::to_string(track.thread)).append(",\"name\":\"").append(name);
  buffer_ += '"';
}

void TraceEventFile::end_event() {
  buffer_ += '}';
  if (buffer_.size() >= kBufferBytes) write_out();
}

void TraceEventFile::metadata(const TraceTrack& track, std::string_view kind, std::string_view arguments) {
  begin_event('M', track, kind);
  buffer_.append(",\"args\":{").append(arguments).append("}");
  end_event();
}

void TraceEventFile::name_process(std::uint32_t process, std::string_view name) {
  metadata({process, 0}, "process_name", "\"name\":\"" + std::string(name) + "\"");
  metadata({process, 0}, "process_sort_index", "\"sort_index\":" + std::to_string(process));
}

void TraceEventFile::name_track(const TraceTrack& track, std::string_view name) {
  metadata(track, "thread_name", "\"name\":\"" + std::string(name) + "\"");
  metadata(track, "thread_sort_index", "\"sort_index\":" + std::to_string(track.thread));
}

void TraceEventFile::slice(const TraceTrack& track, std::string_view name, TimePs start, TimePs end,
                           std::string_view arguments) {
  if (!ok()) return;
  begin_event('X', track, name);
  buffer_ += ",\"ts\":";
  append_time(start);
  buffer_ += ",\"dur\":";
  append_time((end / ns(1) - start / ns(1)) * ns(1));
  if (!arguments.empty()) buffer_.append(",\"args\":{").append(arguments).append("}");
  end_event();
}

void TraceEventFile::instant(const TraceTrack& track, std::string_view name, TimePs at,
                             std::string_view arguments) {
  if (!ok()) return;
  begin_event('i', track, name);
  buffer_ += ",\"s\":\"t\",\"ts\":";
  append_time(at);
  if (!arguments.empty()) buffer_.append(",\"args\":{").append(arguments).append("}");
  end_event();
}

void TraceEventFile::counter(std::uint32_t process, std::string_view name, TimePs at, std::int64_t value) {
  write_counter(process, name, at, std::to_string(value));
}

void TraceEventFile::counter(std::uint32_t process, std::string_view name, TimePs at, double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  write_counter(process, name, at, {text.data(), static_cast<std::size_t>(end - text.data())});
}

void TraceEventFile::write_counter(std::uint32_t process, std::string_view name, TimePs at,
                                   std::string_view value) {
  if (!ok()) return;
  begin_event('C', {process, 0}, name);
  buffer_ += ",\"ts\":";
  append_time(at);
  buffer_.append(",\"args\":{\"value\":").append(value).append("}");
  end_event();
}

void TraceEventFile::flow(char phase, const TraceTrack& track, std::uint32_t id, TimePs at) {
  if (!ok()) return;
  begin_event(phase, track, "flash");
  buffer_.append(",\"cat\":\"request\",\"id\":").append(std::to_string(id)).append(",\"ts\":");
  append_time(at);
  if (phase == 'f') buffer_ += ",\"bp\":\"e\""; // to the slice around it, not to the next one
  end_event();
}

// Microseconds with three decimals.
void TraceEventFile::append_time(TimePs time) {
  const std::uint64_t whole_ns = time / ns(1);
  buffer_ += std::to_string(whole_ns / 1000);
  buffer_ += '.';
  const std::uint64_t rest = whole_ns % 1000;
  for (const std::uint64_t digit : {rest / 100, rest / 10 % 10, rest % 10}) {
    buffer_ += static_cast<char>('0' + digit);
  }
}

void TraceEventFile::close() {
  if (file_ < 0) return;
  write_out();
  if (ok() && ::close(file_) != 0)
    error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(errno);
  file_ = -1;
}

void TraceEventFile::write_out() {
  const std::size_t events = buffer_.size();
  buffer_ += kClosing;
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::pwrite(file_, buffer_.data() + done, buffer_.size() - done,
                               static_cast<off_t>(bytes_in_file_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(errno, done);
    done += static_cast<std::size_t>(n);
  }
  bytes_in_file_ += events;
  buffer_.clear();
}

// Of the bytes that still fitted, keep whole events that leave room for the closing bracket.
void TraceEventFile::fail(int error_number, std::size_t written) {
  error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(error_number);
  const std::size_t usable = written < kClosing.size() ? 0 : written - kClosing.size();
  const std::size_t cut = std::string_view(buffer_).substr(0, usable).rfind(kBetween);
  const std::uint64_t keep = bytes_in_file_ + (cut == std::string_view::npos ? 0 : cut);
  const bool closed = ::ftruncate(file_, static_cast<off_t>(keep)) == 0 &&
                      ::pwrite(file_, kClosing.data(), kClosing.size(), static_cast<off_t>(keep)) ==
                          static_cast<ssize_t>(kClosing.size());
  if (!closed) error_ += "; its end may be cut inside an event";
  ::close(file_);
  file_ = -1;
  buffer_.clear();
}

} // namespace twinplane::platform
