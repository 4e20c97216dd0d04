#include "platform/observe/waves/clocked_pins.h"

#include <algorithm>

namespace twinplane::platform {
namespace {

TimePs before(TimePs at, TimePs by) {
  return at - std::min(at, by);
}

} // namespace

/// The next edge that matters; edges in between as far as they are at least tCK apart, and none near W/R#'s
/// last change. Outside of tenures the clock stands high.
void ClockedPins::rise(TimePs at) {
  if (turned_back_ != kNever) {
    const TimePs clear = turned_back_ + timing_.tCK / 2;
    turned_back_ = kNever;
    rise(clear);
  }
  const TimePs from = last_rise_ == kNever ? before(at, timing_.tCK) : last_rise_;
  const TimePs gap = at - from;
  const TimePs periods = std::max<TimePs>(1, gap / timing_.tCK);
  for (TimePs k = 0; k < periods; ++k) {
    const TimePs begin = from + gap * k / periods;
    const TimePs end = from + gap * (k + 1) / periods;
    signals_.put(wires_.clk, begin + (end - begin) / 2, 0);
    signals_.put(wires_.clk, end, 1);
  }
  last_rise_ = at;
}

/// Command or address. The latch enable is high around one edge only.
void ClockedPins::show_cycles(const hw::OnfiPhase& phase) {
  const bool command = phase.kind == hw::PhaseKind::command;
  const std::uint32_t cycles = command ? 1 : phase.address_cycles;
  const WaveSignals::Signal& latch = command ? wires_.cle : wires_.ale;
  const TimePs half = std::min(timing_.tCK, timing_.tWC) / 2;
  for (std::uint32_t i = 0; i < cycles; ++i) {
    const TimePs at = phase.start + i * timing_.tWC;
    signals_.put(latch, at, 1);
    signals_.put(wires_.dq, at, command ? phase.opcode : phase.address[i]);
    rise(at + half);
    signals_.put(latch, at + 2 * half, 0);
  }
  signals_.put(wires_.dq, phase.end, kHighZ);
}

void ClockedPins::show_data(const hw::OnfiPhase& phase) {
  phase.kind == hw::PhaseKind::data_in ? show_in(phase) : show_out(phase);
}

/// Clock edges from `first` on, one per two bytes, with both latch enables high around them.
void ClockedPins::announce_data(TimePs first, const hw::OnfiPhase& phase) {
  const ByteTime rate = timing_.data_in; // of either direction: half of tCK
  const TimePs last = first + rate.of((phase.bytes - 1) / 2 * 2);
  for (const WaveSignals::Signal& latch : {wires_.cle, wires_.ale}) {
    signals_.put(latch, before(first, timing_.tCK / 2), 1);
    signals_.put(latch, last + timing_.tCK / 2, 0);
  }
  for (std::uint32_t i = 0; i < phase.bytes; i += 2) rise(first + rate.of(i));
}

void ClockedPins::show_in(const hw::OnfiPhase& phase) {
  const ByteTime rate = timing_.data_in;
  const TimePs centre = rate.of(1) / 2;
  const TimePs first = phase.start + centre; // edge of DQS
  announce_data(before(first, timing_.tCK), phase);
  signals_.put(wires_.dqs, before(first, timing_.tWPRE), 0);
  for (std::uint32_t i = 0; i < phase.bytes; ++i) signals_.put(wires_.dqs, first + rate.of(i), (i + 1) % 2);
  signals_.put(wires_.dqs, phase.end + timing_.tWPST, kHighZ);
  rise(last_rise_ + timing_.tCK); // the last edge of DQS stays half a tCK away from the clock
}

/// tRPRE and tDQSRE are tWRCK and tDQSCK here, tRPST is tDQSHZ.
void ClockedPins::show_out(const hw::OnfiPhase& phase) {
  const ByteTime rate = timing_.data_out;
  const TimePs first = before(phase.start, timing_.tDQSRE); // edge of the clock
  const TimePs turned = before(first, timing_.tRPRE);
  // An edge half a tCK before W/R# changes, or as far before the first one as the clock's period asks for.
  rise(before(first, std::max(timing_.tRPRE + timing_.tCK / 2, timing_.tCK)));
  signals_.put(wires_.w_r_n, turned, 0);
  signals_.put(wires_.dqs, turned, 0);
  announce_data(first, phase);
  for (std::uint32_t i = 0; i < phase.bytes; ++i)
    signals_.put(wires_.dqs, phase.start + rate.of(i), (i + 1) % 2);
  signals_.put(wires_.w_r_n, phase.end, 1);
  turned_back_ = phase.end;
  signals_.put(wires_.dqs, phase.end + timing_.tRPST, kHighZ);
}

} // namespace twinplane::platform
