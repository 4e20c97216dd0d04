#include "platform/observe/waves/wave_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "platform/config/error.h"
#include "platform/observe/waves/scope_tree.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20; // written when that full

} // namespace

WaveWriter::WaveWriter(const std::filesystem::path& path, const WaveWindow& window, WaveFormat format)
    : path_(path),
      window_(window),
      format_(format),
      last_time_(std::min(window.end, kNever - 1)),
      open_from_(window.begin + 1) {}

WaveWriter::~WaveWriter() {
  fst_.reset(); // half of one is of no use
  if (file_ >= 0) close(open_from_);
}

WaveWriter::Signal WaveWriter::add(std::string_view name, State state) {
  // Identifier code: printable ASCII from '!' to '~', least significant digit first.
  std::size_t number = states_.size();
  do {
    state.code[state.code_length++] = static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number-- != 0);
  state.code[state.code_length++] = '\n';
  state.next = state.shown;
  state.short_values = vcd_short_values(state.bits);
  states_.push_back(state);
  announced_.push_back({0, state.shown, 0});
  sums_.push_back(0);
  names_.emplace_back(name);
  return static_cast<Signal>(states_.size() - 1);
}

WaveWriter::Signal WaveWriter::add_wire(std::string_view name, std::uint32_t bits, WaveValue initial) {
  State state;
  state.bits = static_cast<std::uint8_t>(bits);
  state.shown = initial;
  return add(name, state);
}

WaveWriter::Signal WaveWriter::add_idle_wire(std::string_view name) {
  State state;
  state.idle = true;
  state.shown = 1;
  return add(name, state);
}

WaveWriter::Signal WaveWriter::add_hidden_wire(std::uint32_t bits, WaveValue initial) {
  const Signal signal = add_wire({}, bits, initial);
  states_[number(signal)].kind = State::Kind::hidden;
  return signal;
}

WaveWriter::Signal WaveWriter::add_text(std::string_view name,
                                        const std::array<Signal, WaveTexts::kSources>& sources,
                                        WaveTexts::Compose compose) {
  State state;
  state.kind = State::Kind::text;
  const Signal signal = add(name, state);
  std::array<std::uint32_t, WaveTexts::kSources> numbers{};
  std::transform(sources.begin(), sources.end(), numbers.begin(), number);
  const std::uint32_t text = texts_.add(number(signal), numbers, std::move(compose));
  for (const std::uint32_t source : numbers) states_[source].text = text;
  return signal;
}

std::uint32_t WaveWriter::add_bus(const BusWires& wires, std::uint32_t chip_bits) {
  buses_.push_back(wires);
  return streams_.add({code(wires.phase), code(wires.opcode), code(wires.chip)}, chip_bits);
}

/// With the end of the line.
std::string_view WaveWriter::code(const std::optional<Signal>& signal) const {
  if (!signal) return {};
  const State& s = states_[number(*signal)];
  return {s.code, s.code_length};
}

void WaveWriter::start(const std::vector<WaveDrive>& drives) {
  if (format_ == WaveFormat::fst) {
    std::vector<FstFile::Variable> variables;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].kind == State::Kind::hidden) continue;
      const bool text = states_[i].kind == State::Kind::text;
      variables.push_back({names_[i], static_cast<std::uint32_t>(i), text ? 0u : states_[i].bits});
    }
    fst_ = std::make_unique<FstFile>(path_, variables, drives);
    return;
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError("cannot write \"" + path_.string() + "\": " + std::strerror(errno));
  append("$version twinplane $end\n$timescale 1ps $end\n");
  append(declarations());
  append("$enddefinitions $end\n");
}

std::string WaveWriter::declarations() const {
  struct Text {
    const std::vector<State>& states;
    std::string out;
    void begin_scope(const std::string& name) { out.append("$scope module ").append(name).append(" $end\n"); }
    void end_scope() { out.append("$upscope $end\n"); }
    void variable(const std::string& name, std::size_t number) {
      const State& s = states[number];
      const bool text = s.kind == State::Kind::text;
      out.append(text ? "$var string " : "$var wire ").append(std::to_string(s.bits)).append(" ");
      out.append(s.code, s.code_length - std::size_t{1}).append(" ").append(name);
      if (s.bits > 1) out.append(" [").append(std::to_string(s.bits - 1)).append(":0]");
      out.append(" $end\n");
    }
  };
  ScopeTree scopes;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].kind != State::Kind::hidden) scopes.add(names_[i], i);
  }
  Text text{states_, {}};
  scopes.visit(text);
  return text.out;
}

// Changes that are pending keep what they replace: only order of time can tell. An epoch tells then.
void WaveWriter::replace(Signal signal) {
  Announced& a = announced_[number(signal)];
  if (a.epoch == WaveChange::kLastEpoch) {
    queue_.drop_replaced(number(signal), states_[number(signal)].epoch);
    states_[number(signal)].epoch = a.epoch = 0;
  }
  ++a.epoch;
}

// Before the window only the values at its begin matter; what comes too late moves to the first time that
// is still open.
void WaveWriter::schedule_early(WaveChange change) {
  if (dumped_) {
    ++late_;
    queue_.push(open_from_, change);
    return;
  }
  State& s = states_[change.signal()];
  apply(change, s);
  s.shown = s.next;
}

// A change that was announced before one that lies in front of it has been replaced by that one.
inline void WaveWriter::apply(WaveChange change, State& s) {
  if (change.is_relative()) {
    const WaveValue sum = sums_[change.signal()] += change.value();
    s.next = s.idle ? (sum == 0 ? 1 : 0) : sum;
  } else if (change.epoch() >= s.epoch) {
    s.epoch = change.epoch();
    s.next = change.value();
  }
}

void WaveWriter::advance(TimePs until) {
  if (!ok() || until <= open_from_) return;
  if (!dumped_) dump_initial();
  auto [next, end] = queue_.take(open_from_ - 1, until);
  while (ok()) {
    const TimePs due = next != end ? next->at : kNever;
    const TimePs streamed = std::max(streams_.next(), open_from_);
    if (std::min(due, streamed) >= until) break;
    if (fst_ != nullptr) {
      const TimePs at = std::min(due, streamed);
      const WaveBurst* const first = next;
      while (next != end && next->at == at) ++next;
      note_step(at, first, next);
    } else if (streamed < due) {
      write_streams(streamed);
    } else {
      next = write_step(next, end);
    }
    if (used_ >= kBufferBytes) write_out();
  }
  open_from_ = until;
}

/// Room for a stamp and what streams may write.
inline std::size_t WaveWriter::stream_room() const {
  return VcdStamp::kRoom + (streams_.count() + 1) * BusStreams::kRoom;
}

inline void WaveWriter::write_streams(TimePs at) {
  char* const begin = stamp_.append(room(stream_room()), at);
  char* const end = streams_.write(begin, at);
  if (end != begin) used_ = used_to(end); // else nothing has changed
}

// Writes all that happens at the time of `first`; returns what comes after. Only the last of a signal's
// changes at the same time shows, so all are applied first.
const WaveBurst* WaveWriter::write_step(const WaveBurst* first, const WaveBurst* end) {
  const TimePs at = first->at;
  State* const states = states_.data();
  const WaveBurst* next = first;
  std::size_t count = 0;
  for (; next != end && next->at == at; ++next) {
    const WaveChange* c = queue_.change(next->first);
    for (const WaveChange* const last = c + next->count; c != last; ++c) apply(*c, states[c->signal()]);
    count += next->count;
  }
  char* const begin = stamp_.append(room(stream_room() + 2 * count * kVcdLineRoom), at);
  char* out = streams_.next() <= at ? streams_.write(begin, at) : begin;
  for (; first != next; ++first) {
    const WaveChange* c = queue_.change(first->first);
    for (const WaveChange* const last = c + first->count; c != last; ++c) {
      State& s = states[c->signal()];
      if (s.next == s.shown) continue;
      s.shown = s.next;
      texts_.touch(s.text);
      if (s.kind == State::Kind::wire) out = append_value(out, s);
    }
  }
  renew_texts(
      [&](std::uint32_t signal, std::string_view text) { out = append_text(out, states[signal], text); });
  if (out != begin) used_ = used_to(out); // else nothing has changed
  return next;
}

/// Gives the wires of a bus what it shows; `changed` is called with each that showed something else.
template <typename Changed>
void WaveWriter::show_bus(std::uint32_t bus, Changed&& changed) {
  const BusStreams::Values values = streams_.values(bus);
  const auto show = [&](const std::optional<Signal>& signal, WaveValue value) {
    if (!signal || states_[number(*signal)].shown == value) return;
    states_[number(*signal)].shown = value;
    changed(number(*signal));
  };
  show(buses_[bus].phase, static_cast<WaveValue>(values.phase));
  show(buses_[bus].opcode, values.opcode);
  show(buses_[bus].chip, values.chip);
}

/// The same as write_step() and write_streams(), by values.
void WaveWriter::note_step(TimePs at, const WaveBurst* first, const WaveBurst* end) {
  if (streams_.next() <= at) {
    streams_.skip(at, [&](std::uint32_t bus) {
      show_bus(bus, [&](std::uint32_t signal) { fst_->value(at, signal, states_[signal].shown); });
    });
  }
  const auto each_change = [&](auto&& act) {
    for (const WaveBurst* burst = first; burst != end; ++burst) {
      const WaveChange* c = queue_.change(burst->first);
      for (const WaveChange* const last = c + burst->count; c != last; ++c) act(*c, states_[c->signal()]);
    }
  };
  each_change([this](WaveChange c, State& s) { apply(c, s); });
  each_change([&](WaveChange c, State& s) {
    if (s.next == s.shown) return;
    s.shown = s.next;
    texts_.touch(s.text);
    if (s.kind == State::Kind::wire) fst_->value(at, c.signal(), s.shown);
  });
  renew_texts([&](std::uint32_t signal, std::string_view text) { fst_->text(at, signal, text); });
}

void WaveWriter::dump_initial() {
  static constexpr std::string_view kBegin = "$dumpvars\n";
  static constexpr std::string_view kEnd = "$end\n";
  streams_.skip(window_.begin, [](std::uint32_t) {});
  for (std::uint32_t i = 0; i < streams_.count(); ++i) {
    show_bus(i, [](std::uint32_t) {});
  }
  dumped_ = true;
  for (const State& s : states_) texts_.touch(s.text);
  if (fst_ != nullptr) {
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      if (states_[i].kind == State::Kind::wire) fst_->value(window_.begin, i, states_[i].shown);
    }
    renew_texts(
        [this](std::uint32_t signal, std::string_view text) { fst_->text(window_.begin, signal, text); });
    return;
  }
  used_ = used_to(stamp_.append(room(VcdStamp::kRoom), window_.begin));
  append(kBegin);
  for (const State& s : states_) {
    if (s.kind == State::Kind::wire) used_ = used_to(append_value(room(kVcdLineRoom), s));
  }
  renew_texts([this](std::uint32_t signal, std::string_view text) {
    used_ = used_to(append_text(room(kVcdLineRoom), states_[signal], text));
  });
  append(kEnd);
}

/// At least `bytes` behind the text.
char* WaveWriter::room(std::size_t bytes) {
  if (used_ + bytes > buffer_.size()) buffer_.resize(2 * buffer_.size() + bytes);
  return buffer_.data() + used_;
}

void WaveWriter::append(std::string_view text) {
  std::memcpy(room(text.size()), text.data(), text.size());
  used_ += text.size();
}

void WaveWriter::close(TimePs end) {
  if (file_ < 0 && fst_ == nullptr) return;
  const TimePs last = std::min(std::max(end, window_.begin), window_.end);
  advance(last == kNever ? kNever : last + 1);
  if (fst_ != nullptr) {
    if (!dumped_) dump_initial();
    error_ = fst_->close(last);
    fst_.reset();
    return;
  }
  if (ok()) {
    if (!dumped_) dump_initial();
    used_ = used_to(stamp_.append(room(VcdStamp::kRoom), last));
    write_out();
  }
  if (ok() && ::close(file_) != 0)
    error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(errno);
  file_ = -1;
}

void WaveWriter::write_out() {
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
void WaveWriter::fail(int error_number, std::size_t bytes_in_file) {
  error_ = "cannot write \"" + path_.string() + "\": " + std::strerror(error_number);
  const std::size_t stamp = std::string_view(buffer_.data(), bytes_in_file).rfind("\n#");
  const std::size_t keep = bytes_in_file_ + (stamp == std::string::npos ? 0 : stamp + 1);
  if (::ftruncate(file_, static_cast<off_t>(keep)) != 0) error_ += "; its end may be cut inside a line";
  ::close(file_);
  file_ = -1;
  used_ = 0;
  last_time_ = 0; // nothing more is recorded
  queue_.clear();
  streams_.clear();
}

} // namespace twinplane::platform
