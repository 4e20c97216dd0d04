#include "platform/waves/bus_streams.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace twinplane::platform {
namespace {

constexpr std::uint64_t kSmallestRing = 256; // segments

constexpr std::size_t index(BusPhase phase) {
  return static_cast<std::size_t>(phase);
}

struct Value {
  std::uint32_t bits;
  WaveValue value;
};
std::uint8_t make_line(char* text, Value v, std::string_view code) {
  if (code.empty()) return 0;
  char* const end = append_vcd_value(text, v.value, v.bits, vcd_short_values(v.bits));
  return static_cast<std::uint8_t>(std::copy(code.begin(), code.end(), end) - text);
}

} // namespace

std::uint32_t BusStreams::add(const Codes& codes, std::uint32_t chip_bits) {
  auto lines = std::make_unique<Lines>();
  for (std::uint32_t i = 0; i < kBusPhases; ++i) {
    char text[kVcdLineRoom];
    lines->phases[i].length = make_line(text, {3, i}, codes.phase);
    std::memcpy(lines->phases[i].text, text, lines->phases[i].length);
  }
  const VcdShortValue& command = lines->phases[index(BusPhase::command)];
  for (std::uint32_t i = 0; i < lines->commands.size(); ++i) {
    char text[kVcdLineRoom];
    const std::uint8_t opcode = make_line(text, {8, i}, codes.opcode);
    std::memcpy(lines->commands[i].text, command.text, command.length);
    std::memcpy(lines->commands[i].text + command.length, text, opcode);
    lines->commands[i].length = static_cast<std::uint8_t>(command.length + opcode);
  }
  lines->chip_bits = chip_bits;
  lines->chip_values = vcd_short_values(chip_bits);
  lines->chip_code_length = static_cast<std::uint8_t>(codes.chip.size());
  std::copy(codes.chip.begin(), codes.chip.end(), lines->chip_code.begin());
  buses_.emplace_back();
  buses_.back().lines = std::move(lines);
  next_at_.push_back(kNever);
  first_.push_back(0);
  return count() - 1;
}

void BusStreams::grow(Bus& bus) {
  const std::uint64_t mask = std::max(kSmallestRing, 2 * (bus.mask + 1)) - 1;
  std::unique_ptr<Segment[]> ring(new Segment[mask + 1]);
  for (std::uint64_t i = bus.head; i != bus.tail; ++i) ring[i & mask] = bus.ring[i & bus.mask];
  bus.ring = std::move(ring);
  bus.mask = mask;
}

// The bus had nothing to show.
void BusStreams::start(std::uint32_t number) {
  const Bus& bus = buses_[number];
  const Segment& segment = bus.ring[bus.head & bus.mask];
  next_at_[number] = segment.times.of(*segment.step);
  find_next();
}

void BusStreams::clear() {
  for (Bus& bus : buses_) bus.head = bus.tail;
  std::fill(next_at_.begin(), next_at_.end(), kNever);
  size_ = 0;
  find_next();
}

BusStreams::Values BusStreams::values(std::uint32_t bus) const {
  const Shown shown = buses_[bus].shown;
  const auto opcode = static_cast<WaveValue>((shown & kOpcode) >> 8);
  return {static_cast<BusPhase>(shown & kPhase), opcode == kOpcode >> 8 ? kUnknown : opcode,
          static_cast<WaveValue>(shown >> 32)};
}

// Does the steps of a bus that are due; returns what it shows then, and when it shows something else.
// Counts segments that are done.
inline BusStreams::Shown BusStreams::due(Bus& bus, TimePs at, TimePs& next, std::size_t& done) {
  Segment* segment = &bus.ring[bus.head & bus.mask];
  Shown now = bus.shown;
  TimePs then = 0;
  do {
    const PhaseStep* const step = segment->step;
    segment->step = step + 1;
    now = (now & kOpcode) | static_cast<Shown>(step->phase) | segment->chip;
    if (step->opcode >= 0) now = (now & ~kOpcode) | static_cast<Shown>(step->opcode) << 8;
    then = segment->times.of(step[1]);
    if (then == kNever) {
      ++done;
      if (++bus.head == bus.tail) break;
      segment = &bus.ring[bus.head & bus.mask];
      then = segment->times.of(*segment->step);
    }
  } while (then <= at);
  next = then;
  return now;
}

inline char* BusStreams::show(char* out, const Lines& lines, Shown before, Shown now) {
  const Shown changed = before ^ now;
  const VcdShortValue& phase = lines.phases[now & kPhase];
  if ((changed & ~kPhase) == 0) {
    if (changed == 0) return out;
    std::memcpy(out, &phase, sizeof phase);
    return out + phase.length;
  }
  if (changed >> 32 != 0 && lines.chip_code_length != 0) {
    const auto chip = static_cast<WaveValue>(now >> 32);
    out = append_vcd_value(out, chip, lines.chip_bits, lines.chip_values);
    std::memcpy(out, lines.chip_code.data(), lines.chip_code.size());
    out += lines.chip_code_length;
  }
  const Line& command = lines.commands[(now & kOpcode) >> 8 & 0xFF];
  if ((changed & kPhase) != 0) {
    const bool both = (changed & kOpcode) != 0 && (now & kPhase) == index(BusPhase::command);
    std::memcpy(out, &command, sizeof command);
    if (both) return out + command.length;
    std::memcpy(out, &phase, sizeof phase);
    out += phase.length;
  }
  if ((changed & kOpcode) == 0) return out;
  const std::size_t from = lines.phases[index(BusPhase::command)].length;
  std::memcpy(out, command.text + from, 16);
  return out + (command.length - from);
}

// Text may alias anything: what the loop needs stays in locals.
char* BusStreams::write(char* out, TimePs at) {
  Bus* const buses = buses_.data();
  TimePs* const next_at = next_at_.data();
  const std::uint32_t* first = first_.data();
  const std::uint32_t* const last = first + firsts_;
  std::size_t done = 0;
  for (; first != last; ++first) {
    Bus& bus = buses[*first];
    const Shown before = bus.shown;
    const Shown now = due(bus, at, next_at[*first], done);
    bus.shown = now;
    out = show(out, *bus.lines, before, now);
  }
  size_ -= done;
  find_next();
  return out;
}

void BusStreams::skip(TimePs at) {
  for (; next_ <= at; find_next()) {
    for (std::size_t i = 0; i < firsts_; ++i) {
      Bus& bus = buses_[first_[i]];
      std::size_t done = 0;
      bus.shown = due(bus, at, next_at_[first_[i]], done);
      size_ -= done;
    }
  }
}

inline void BusStreams::find_next() {
  const TimePs* const next_at = next_at_.data();
  std::uint32_t* const first = first_.data();
  const std::uint32_t buses = count();
  TimePs soonest = kNever - 1;
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < buses; ++i) {
    if (next_at[i] > soonest) continue;
    if (next_at[i] < soonest) {
      soonest = next_at[i];
      found = 0;
    }
    first[found++] = i;
  }
  next_ = found == 0 ? kNever : soonest;
  firsts_ = found;
}

} // namespace twinplane::platform
