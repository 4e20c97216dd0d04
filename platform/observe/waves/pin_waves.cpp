#include "platform/observe/waves/pin_waves.h"

#include <algorithm>
#include <string>

#include "platform/observe/waves/clocked_pins.h"

namespace twinplane::platform {
namespace {

/// Byte time by which a burst of page data or a single register byte is clocked.
ByteTime byte_time(const BusTiming& t, hw::PhaseKind kind) {
  return kind == hw::PhaseKind::data_in ? t.data_in : t.data_out;
}

} // namespace

PinWaves::PinWaves(const Geometry& geometry, DataMode data, WaveSignals& signals)
    : geometry_(geometry),
      data_(data),
      signals_(signals),
      channels_(geometry.channels),
      dies_(geometry.dies()) {}

void PinWaves::declare(std::uint32_t channel) {
  const std::string name = signals_.channel(channel) + ".pins.";
  const std::size_t before = signals_.names().size();
  Channel& c = channels_[channel];
  for (std::uint32_t chip = 0; chip < geometry_.chips_per_channel; ++chip) {
    c.ce_n.push_back(signals_.wire(name + "ce" + std::to_string(chip) + "_n", 1, 1));
  }
  c.cle = signals_.wire(name + "cle", 1, 0);
  c.ale = signals_.wire(name + "ale", 1, 0);
  c.we_n = signals_.wire(name + "we_n", 1, 1);
  c.re_n = signals_.wire(name + "re_n", 1, 1);
  c.dqs = signals_.wire(name + "dqs", 1, kHighZ);
  c.dq = signals_.wire(name + "dq", 8, kHighZ);
  for (std::uint32_t chip = 0; chip < geometry_.chips_per_channel; ++chip) {
    c.rb_n.push_back(signals_.idle_wire(name + "rb" + std::to_string(chip) + "_n"));
  }
  c.recorded = signals_.names().size() != before;
}

void PinWaves::record(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                      TimePs end) {
  const Channel& c = channels_[channel];
  if (!c.recorded) return;
  signals_.put(c.ce_n[chip], start, 0);
  signals_.put(c.ce_n[chip], end, 1);
  ClockedPins clocked(signals_, {c.cle, c.ale, c.we_n, c.re_n, c.dqs, c.dq}, c.timing);
  const bool clock = c.timing.tCK != 0;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const hw::OnfiPhase& phase = tenure.phases[i];
    if (phase.kind == hw::PhaseKind::command || phase.kind == hw::PhaseKind::address) {
      clock ? clocked.show_cycles(phase) : show_cycles(c, phase);
    } else if (!signals_.outside(phase.start, phase.end)) {
      show_bytes(c, phase);
      clock ? clocked.show_data(phase) : show_strobes(c, phase);
    }
  }
}

// A command or address phase: one WE# pulse per cycle.
void PinWaves::show_cycles(const Channel& c, const hw::OnfiPhase& phase) {
  const bool command = phase.kind == hw::PhaseKind::command;
  const std::uint32_t cycles = command ? 1 : phase.address_cycles;
  const WaveSignals::Signal& latch = command ? c.cle : c.ale;
  signals_.put(latch, phase.start, 1);
  for (std::uint32_t i = 0; i < cycles; ++i) {
    const TimePs at = phase.start + i * c.timing.tWC;
    signals_.put(c.dq, at, command ? phase.opcode : phase.address[i]);
    signals_.put(c.we_n, at, 0);
    signals_.put(c.we_n, at + c.timing.tWC / 2, 1);
  }
  signals_.put(latch, phase.end, 0);
  signals_.put(c.dq, phase.end, kHighZ);
}

void PinWaves::show_bytes(const Channel& c, const hw::OnfiPhase& phase) {
  const ByteTime rate = byte_time(c.timing, phase.kind);
  for (std::uint32_t i = 0; i < phase.bytes; ++i) {
    signals_.put(c.dq, phase.start + rate.of(i), byte_of(phase, i));
  }
  signals_.put(c.dq, phase.end, kHighZ);
}

void PinWaves::show_strobes(const Channel& c, const hw::OnfiPhase& phase) {
  if (!c.timing.ddr) {
    show_sdr_data(c, phase);
  } else if (phase.kind == hw::PhaseKind::data_in) {
    show_ddr_in(c, phase);
  } else {
    show_ddr_out(c, phase);
  }
}

void PinWaves::show_sdr_data(const Channel& c, const hw::OnfiPhase& phase) {
  const ByteTime rate = byte_time(c.timing, phase.kind);
  const WaveSignals::Signal& strobe = phase.kind == hw::PhaseKind::data_in ? c.we_n : c.re_n;
  for (std::uint32_t i = 0; i < phase.bytes; ++i) {
    const TimePs at = phase.start + rate.of(i);
    signals_.put(strobe, at, 0);
    signals_.put(strobe, at + rate.of(1) / 2, 1);
  }
}

void PinWaves::show_ddr_in(const Channel& c, const hw::OnfiPhase& phase) {
  const ByteTime rate = c.timing.data_in;
  const TimePs centre = rate.of(1) / 2;
  signals_.put(c.dqs, phase.start - std::min(phase.start, c.timing.tWPRE), 0);
  for (std::uint32_t i = 0; i < phase.bytes; ++i) {
    signals_.put(c.dqs, phase.start + rate.of(i) + centre, (i + 1) % 2);
  }
  signals_.put(c.dqs, phase.end + c.timing.tWPST, kHighZ);
}

void PinWaves::show_ddr_out(const Channel& c, const hw::OnfiPhase& phase) {
  const ByteTime rate = c.timing.data_out;
  const TimePs lead = std::min(phase.start, c.timing.tDQSRE);
  const TimePs preamble = std::min(phase.start - lead, c.timing.tRPRE);
  signals_.put(c.re_n, phase.start - lead - preamble, 0);
  signals_.put(c.dqs, phase.start - preamble, 0);
  for (std::uint32_t i = 0; i < phase.bytes; ++i) {
    const TimePs at = phase.start + rate.of(i);
    signals_.put(c.re_n, at - lead, (i + 1) % 2);
    signals_.put(c.dqs, at, (i + 1) % 2);
  }
  signals_.put(c.re_n, phase.end, 1);
  signals_.put(c.dqs, phase.end, kHighZ);
}

WaveValue PinWaves::byte_of(const hw::OnfiPhase& phase, std::uint32_t i) const {
  if (phase.data != nullptr) return phase.data[i];
  if (data_ != DataMode::full || phase.sectors == nullptr || phase.sector_mask == 0) return kUnknown;
  const auto first = static_cast<std::uint32_t>(__builtin_ctz(phase.sector_mask));
  const std::uint32_t sector = first + i / geometry_.sector_size;
  if ((phase.sector_mask >> sector & 1) == 0) return kUnknown;
  const std::size_t stride = payload_bytes(data_, geometry_.sector_size);
  return phase.sectors[sector * stride + i % geometry_.sector_size];
}

// A busy time that is announced while an earlier one still runs replaces the rest of it.
void PinWaves::ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                          TimePs at) {
  const WaveSignals::Signal& pin =
      channels_[channel].rb_n.empty() ? std::nullopt : channels_[channel].rb_n[chip];
  if (!pin) return;
  Die& die = dies_[geometry_.die_index(channel, chip, lun)];
  if (!ready) {
    die.busy_from = at;
    return;
  }
  const bool takes_over = die.busy_from < die.busy_until;
  signals_.adjust(pin, takes_over ? die.busy_until : die.busy_from, 1);
  signals_.adjust(pin, at, -1);
  die.busy_until = at;
}

} // namespace twinplane::platform
