#include "platform/waves/vcd_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "platform/config/error.h"
#include "platform/waves/vcd_scopes.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = 96; // b, 64 digits, code

double as_real(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

} // namespace

VcdWriter::VcdWriter(const std::filesystem::path& path, const WaveWindow& window)
    : path_(path), window_(window) {}

VcdWriter::~VcdWriter() {
  if (file_ >= 0) close(written_until_);
}

VcdWriter::Signal VcdWriter::add(std::string_view name, State state) {
  state.name = name;
  // Identifier code: printable ASCII from '!' to '~', least significant digit first.
  std::size_t number = states_.size();
  do {
    state.code[state.code_length++] = static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number-- != 0);
  state.next = state.value;
  states_.push_back(std::move(state));
  return static_cast<Signal>(states_.size() - 1);
}

VcdWriter::Signal VcdWriter::add_wire(std::string_view name, std::uint32_t bits, Initial initial) {
  State state;
  state.bits = bits;
  state.value = initial == Initial::one ? 1 : 0;
  state.known = initial != Initial::unknown;
  return add(name, state);
}

VcdWriter::Signal VcdWriter::add_real(std::string_view name) {
  State state;
  state.bits = 64;
  state.real = true;
  return add(name, state);
}

void VcdWriter::start() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError("cannot write \"" + path_.string() + "\": " + std::strerror(errno));
  std::string text = "$version twinplane $end\n$timescale 1ps $end\n";
  VcdScopes scopes;
  for (const State& s : states_) scopes.add({s.name, {s.code, s.code_length}, s.bits, s.real});
  scopes.append_to(text);
  text += "$enddefinitions $end\n";
  buffer_.append(text);
}

void VcdWriter::change_real(Signal signal, TimePs at, double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  schedule({at, bits, signal, false});
}

void VcdWriter::schedule(Change change) {
  if (change.at > window_.end || !ok()) return;
  State& s = state(change.signal);
  if (change.at < s.latest && !change.relative) drop_later(change.signal, change.at);
  if (change.at <= window_.begin && !dumped_) {
    apply(s, change);
    s.value = s.next;
    return;
  }
  if (change.at < written_until_) {
    change.at = written_until_;
    ++late_;
  }
  s.latest = change.relative ? std::max(s.latest, change.at) : change.at;
  pending_.push_back(change);
}

void VcdWriter::drop_later(Signal signal, TimePs from) {
  const auto replaced = [signal, from](const Change& c) { return c.signal == signal && c.at >= from; };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), replaced), pending_.end());
}

void VcdWriter::apply(State& s, const Change& change) {
  s.next = change.relative ? s.next + change.value : change.value;
  if (!s.known) s.value = ~s.next; // so that the first value counts as a change
  s.known = true;
}

void VcdWriter::advance(TimePs until) {
  if (!ok() || until <= written_until_ || until <= window_.begin) return;
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const Change& a, const Change& b) { return a.at < b.at; });
  const auto end = std::lower_bound(pending_.cbegin(), pending_.cend(), until,
                                    [](const Change& c, TimePs t) { return c.at < t; });
  if (!dumped_) dump_initial();
  for (auto first = pending_.cbegin(); first != end && ok();) {
    auto last = first;
    while (last != end && last->at == first->at) ++last;
    write_step(first, last);
    first = last;
  }
  pending_.erase(pending_.cbegin(), end);
  written_until_ = until;
}

void VcdWriter::write_step(std::vector<Change>::const_iterator first,
                           std::vector<Change>::const_iterator last) {
  const TimePs time = first->at;
  touched_.clear();
  for (; first != last; ++first) {
    State& s = state(first->signal);
    apply(s, *first);
    if (!s.touched) touched_.push_back(static_cast<std::uint32_t>(first->signal));
    s.touched = true;
  }
  bool stamped = false;
  for (const std::uint32_t i : touched_) {
    State& s = states_[i];
    s.touched = false;
    if (s.next == s.value) continue;
    s.value = s.next;
    if (!stamped) append_time(time);
    stamped = true;
    append_value(s);
  }
  if (buffer_.text().size() >= kBufferBytes) write_out();
}

void VcdWriter::dump_initial() {
  append_time(window_.begin);
  buffer_.append("$dumpvars\n");
  for (const State& s : states_) append_value(s);
  buffer_.append("$end\n");
  dumped_ = true;
}

// Neighbouring times share their microseconds: only the last six digits are made anew.
void VcdWriter::append_time(TimePs time) {
  constexpr TimePs kShared = 1'000'000;
  if (time / kShared != stamp_us_ || stamp_digits_ == 0) {
    stamp_us_ = time / kShared;
    stamp_[0] = '#';
    const char* end = std::to_chars(stamp_ + 1, stamp_ + sizeof stamp_, stamp_us_).ptr;
    stamp_digits_ = stamp_us_ == 0 ? 1 : static_cast<std::size_t>(end - stamp_);
  }
  char* const text = buffer_.claim(kLongestLine);
  std::memcpy(text, stamp_, sizeof stamp_);
  char* end = text + stamp_digits_;
  auto rest = static_cast<std::uint32_t>(time % kShared);
  if (stamp_us_ == 0) {
    end = std::to_chars(end, end + 8, rest).ptr;
  } else {
    for (int i = 5; i >= 0; --i, rest /= 10) end[i] = static_cast<char>('0' + rest % 10);
    end += 6;
  }
  *end++ = '\n';
  buffer_.used(end);
}

void VcdWriter::append_value(const State& s) {
  char* end = buffer_.claim(kLongestLine);
  if (s.real) {
    end += std::snprintf(end, kLongestLine, "r%.9g ", as_real(s.value));
  } else if (s.bits == 1) {
    *end++ = !s.known ? 'x' : (s.value & 1) != 0 ? '1' : '0';
  } else {
    *end++ = 'b';
    if (!s.known) *end++ = 'x';
    const std::uint64_t value = s.bits < 64 ? s.value & ((std::uint64_t{1} << s.bits) - 1) : s.value;
    const int top = 63 - __builtin_clzll(value | 1); // leading zeros are implied
    for (int bit = top; s.known && bit >= 0; --bit) *end++ = static_cast<char>('0' + (value >> bit & 1));
    *end++ = ' ';
  }
  std::memcpy(end, s.code, sizeof s.code);
  end += s.code_length;
  *end++ = '\n';
  buffer_.used(end);
}

void VcdWriter::close(TimePs end) {
  if (file_ < 0) return;
  const TimePs last = std::min(std::max(end, window_.begin), window_.end);
  advance(last == kNever ? kNever : last + 1);
  if (ok()) {
    if (!dumped_) dump_initial();
    append_time(last);
    write_out();
  }
  if (ok() && ::close(file_) != 0)
    error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(errno);
  file_ = -1;
}

void VcdWriter::write_out() {
  std::size_t done = 0;
  const std::string_view text = buffer_.text();
  while (done < text.size()) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(errno, done);
    done += static_cast<std::size_t>(n);
  }
  bytes_in_file_ += done;
  buffer_.clear();
}

// Of the bytes that still fitted, keep what ends before the last time stamp.
void VcdWriter::fail(int error_number, std::size_t bytes_in_file) {
  error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(error_number);
  const std::size_t stamp = buffer_.text().substr(0, bytes_in_file).rfind("\n#");
  const std::size_t keep = bytes_in_file_ + (stamp == std::string::npos ? 0 : stamp + 1);
  if (::ftruncate(file_, static_cast<off_t>(keep)) != 0) error_ += "; its end may be cut inside a line";
  ::close(file_);
  file_ = -1;
  buffer_.clear();
}

} // namespace twinplane::platform
