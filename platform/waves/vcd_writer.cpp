#include "platform/waves/vcd_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/config/error.h"
#include "platform/waves/vcd_scopes.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20; // written when that full

} // namespace

VcdWriter::VcdWriter(const std::filesystem::path& path, const WaveWindow& window)
    : path_(path),
      window_(window),
      last_time_(std::min(window.end, kNever - 1)),
      open_from_(window.begin + 1) {}

VcdWriter::~VcdWriter() {
  if (file_ >= 0) close(open_from_);
}

VcdWriter::Signal VcdWriter::add(std::string_view name, State state) {
  // Identifier code: printable ASCII from '!' to '~', least significant digit first.
  std::size_t number = states_.size();
  do {
    state.code[state.code_length++] = static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number-- != 0);
  state.code[state.code_length++] = '\n';
  state.shown = state.next = state.announced;
  states_.push_back(state);
  names_.emplace_back(name);
  return static_cast<Signal>(states_.size() - 1);
}

VcdWriter::Signal VcdWriter::add_wire(std::string_view name, std::uint32_t bits, std::uint64_t initial) {
  State state;
  state.bits = static_cast<std::uint8_t>(bits);
  state.announced = initial;
  return add(name, state);
}

VcdWriter::Signal VcdWriter::add_idle_wire(std::string_view name) {
  State state;
  state.idle = true;
  state.announced = 1;
  return add(name, state);
}

void VcdWriter::start() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError("cannot write \"" + path_.string() + "\": " + std::strerror(errno));
  std::string text = "$version twinplane $end\n$timescale 1ps $end\n";
  VcdScopes scopes;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& s = states_[i];
    scopes.add({names_[i], {s.code, s.code_length - std::size_t{1}}, s.bits});
  }
  scopes.append_to(text);
  text += "$enddefinitions $end\n";
  append(text);
}

// Before the window only the values at its begin matter; what comes too late moves to the first time that
// is still open.
void VcdWriter::schedule_early(Signal signal, bool relative, std::uint64_t value) {
  const auto number = static_cast<std::uint32_t>(signal);
  if (dumped_) {
    ++late_;
    queue_.push(open_from_, number, relative, value);
    return;
  }
  State& s = state(signal);
  apply(s, {value, queue_.next_order(number, relative)});
  s.shown = s.next;
}

void VcdWriter::advance(TimePs until) {
  if (!ok() || until <= open_from_) return;
  if (!dumped_) dump_initial();
  auto [next, end] = queue_.take(open_from_ - 1, until);
  while (next != end && ok()) next = write_step(next, end);
  open_from_ = until;
}

// Writes what happens at the time of `first`; returns what comes after. Only the last of a signal's
// changes at the same time shows, so all are applied first.
const WaveBurst* VcdWriter::write_step(const WaveBurst* first, const WaveBurst* end) {
  const TimePs time = first->at;
  const WaveBurst* next = first;
  std::size_t count = 0;
  for (; next != end && next->at == time; ++next) {
    const WaveChange* const last = queue_.change(next->last);
    for (const WaveChange* c = queue_.change(next->first); c != last; ++c) apply(states_[c->signal()], *c);
    count += next->last - next->first;
  }
  char* const begin = room(VcdStamp::kRoom + count * kVcdLineRoom);
  char* out = begin;
  for (; first != next; ++first) {
    const WaveChange* const last = queue_.change(first->last);
    for (const WaveChange* c = queue_.change(first->first); c != last; ++c) {
      State& s = states_[c->signal()];
      if (s.next == s.shown) continue;
      s.shown = s.next;
      if (out == begin) out = stamp_.append(out, time);
      out = append_value(out, s);
    }
  }
  used_ = used_to(out);
  if (used_ >= kBufferBytes) write_out();
  return next;
}

void VcdWriter::dump_initial() {
  static constexpr std::string_view kBegin = "$dumpvars\n";
  static constexpr std::string_view kEnd = "$end\n";
  used_ = used_to(stamp_.append(room(VcdStamp::kRoom), window_.begin));
  append(kBegin);
  for (const State& s : states_) used_ = used_to(append_value(room(kVcdLineRoom), s));
  append(kEnd);
  dumped_ = true;
}

/// At least `bytes` behind the text.
char* VcdWriter::room(std::size_t bytes) {
  if (used_ + bytes > buffer_.size()) buffer_.resize(2 * buffer_.size() + bytes);
  return buffer_.data() + used_;
}

void VcdWriter::append(std::string_view text) {
  std::memcpy(room(text.size()), text.data(), text.size());
  used_ += text.size();
}

void VcdWriter::close(TimePs end) {
  if (file_ < 0) return;
  const TimePs last = std::min(std::max(end, window_.begin), window_.end);
  advance(last == kNever ? kNever : last + 1);
  if (ok()) {
    if (!dumped_) dump_initial();
    used_ = used_to(stamp_.append(room(VcdStamp::kRoom), last));
    write_out();
  }
  if (ok() && ::close(file_) != 0)
    error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(errno);
  file_ = -1;
}

void VcdWriter::write_out() {
  std::size_t done = 0;
  while (done < used_) {
    const ssize_t n = ::write(file_, buffer_.data() + done, used_ - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(errno, done);
    done += static_cast<std::size_t>(n);
  }
  bytes_in_file_ += done;
  used_ = 0;
}

// Of the bytes that still fitted, keep what ends before the last time stamp.
void VcdWriter::fail(int error_number, std::size_t bytes_in_file) {
  error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(error_number);
  const std::size_t stamp = std::string_view(buffer_.data(), bytes_in_file).rfind("\n#");
  const std::size_t keep = bytes_in_file_ + (stamp == std::string::npos ? 0 : stamp + 1);
  if (::ftruncate(file_, static_cast<off_t>(keep)) != 0) error_ += "; its end may be cut inside a line";
  ::close(file_);
  file_ = -1;
  used_ = 0;
  last_time_ = 0; // nothing more is recorded
  queue_.clear();
}

} // namespace twinplane::platform
