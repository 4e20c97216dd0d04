#include "platform/observe/waves/bus_streams.h"

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
  return count() - 1;
}

void BusStreams::grow(Bus& bus) {
  const std::uint64_t mask = std::max(kSmallestRing, 2 * (bus.mask + 1)) - 1;
  std::unique_ptr<Segment[]> ring(new Segment[mask + 1]);
  for (std::uint64_t i = bus.head; i != bus.tail; ++i) ring[i & mask] = bus.ring[i & bus.mask];
  bus.ring = std::move(ring);
  bus.mask = mask;
  bus.base = bus.ring[bus.head & mask].times.base.data();
}

// Goes to the first step of the segment at `head`; returns its time.
inline TimePs BusStreams::enter(Bus& bus) {
  const Segment& segment = bus.ring[bus.head & bus.mask];
  bus.step = segment.step;
  bus.base = segment.times.base.data();
  bus.chip = segment.chip;
  return segment.times.of(*segment.step);
}

// The bus had nothing to show.
void BusStreams::start(std::uint32_t number) {
  next_at_[number] = enter(buses_[number]);
  next_ = std::min(next_, next_at_[number]);
}

void BusStreams::clear() {
  for (Bus& bus : buses_) bus.head = bus.tail;
  std::fill(next_at_.begin(), next_at_.end(), kNever);
  size_ = 0;
  next_ = kNever;
}

BusStreams::Values BusStreams::values(std::uint32_t bus) const {
  const Shown shown = buses_[bus].shown;
  const auto opcode = static_cast<WaveValue>((shown & kOpcode) >> 8);
  return {static_cast<BusPhase>(shown & kPhase), opcode == kOpcode >> 8 ? kUnknown : opcode,
          static_cast<WaveValue>(shown >> 32)};
}

// Does the steps of a bus that are due; returns when it shows something else.
TimePs BusStreams::due(Bus& bus, TimePs at) {
  const PhaseStep* step = bus.step;
  Shown now = bus.shown;
  TimePs then = 0;
  do {
    now = (now & kOpcode) | static_cast<Shown>(step->phase) | bus.chip;
    if (step->opcode >= 0) now = (now & ~kOpcode) | static_cast<Shown>(step->opcode) << 8;
    ++step;
    then = bus.base[step->base] + static_cast<TimePs>(step->offset);
    if (then == kNever) {
      --size_;
      if (++bus.head == bus.tail) break;
      then = enter(bus);
      step = bus.step;
    }
  } while (then <= at);
  bus.step = step;
  bus.shown = now;
  return then;
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

// Apart from the loop below, which then keeps all it needs in registers. `next` is the time of the step after
// this one, or kNever behind the last one of a segment.
__attribute__((noinline)) BusStreams::Written BusStreams::write_any(Bus& bus, char* out, TimePs at,
                                                                    TimePs next) {
  const Shown before = bus.shown;
  const PhaseStep* const step = bus.step;
  if (step->opcode >= 0 && next > at && next != kNever) { // most others: a command of the same chip
    const Shown opcode = static_cast<Shown>(step->opcode) << 8;
    const Shown changed = before ^ (opcode | index(BusPhase::command) | bus.chip);
    if (changed >> 32 == 0 && (changed & kPhase) != 0 && (changed & kOpcode) != 0) {
      const Line& line = bus.lines->commands[opcode >> 8];
      bus.step = step + 1;
      bus.shown = before ^ changed;
      std::memcpy(out, &line, sizeof line);
      return {out + line.length, next};
    }
  }
  next = due(bus, at);
  return {show(out, *bus.lines, before, bus.shown), next};
}

// Buses in step with each other change together: looking at all of them finds those that are due and what
// comes next in one pass. Text may alias anything: what the loop needs stays in locals.
char* BusStreams::write(char* out, TimePs at) {
  Bus* bus = buses_.data();
  TimePs soonest = kNever;
  TimePs* const last = next_at_.data() + next_at_.size();
  for (TimePs* next_at = next_at_.data(); next_at != last; ++next_at, ++bus) {
    TimePs next = *next_at;
    if (next <= at) {
      const PhaseStep* const step = bus->step;
      next = bus->base[step[1].base] + static_cast<TimePs>(step[1].offset);
      if (step->plain && next > at && next != kNever) {
        const VcdShortValue& line = bus->lines->phases[static_cast<std::size_t>(step->phase)];
        bus->step = step + 1;
        bus->shown = (bus->shown & ~kPhase) | static_cast<Shown>(step->phase);
        std::memcpy(out, &line, sizeof line);
        out += line.length;
      } else {
        const Written written = write_any(*bus, out, at, next);
        out = written.end;
        next = written.next;
      }
      *next_at = next;
    }
    if (next < soonest) soonest = next;
  }
  next_ = soonest;
  return out;
}

} // namespace twinplane::platform
