#include "rtl_core.h"

#include <algorithm>
#include <string>

#include "hw/core/kernel_time.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::example {

namespace {

constexpr std::uint64_t kResetPeriods = 2;
constexpr std::uint32_t kMostPeriods = 255;        // of a time: eight bits
constexpr std::uint32_t kMostBusyPeriods = 0xFFFF; // of tWB and tDBSY, and between two polls

std::uint32_t rounded_up(TimePs time, TimePs period) {
  return static_cast<std::uint32_t>(std::max<TimePs>(1, (time + period - 1) / period));
}

/// How data out is clocked.
struct ReadTimes {
  std::uint32_t low = 1;
  std::uint32_t high = 1;
  bool late = false; // taken at the end of tREH
};

/// Fast modes let DQ stay until RE# has fallen again (tRLOH), so that the byte can be taken there and RE#
/// need not be low for all of tREA.
ReadTimes read_times(const BusTiming& bus, TimePs period) {
  const std::uint32_t cycle = rounded_up(bus.data_out.of(1), period);
  const auto times = [&](TimePs low_time, bool late) {
    const std::uint32_t low = rounded_up(low_time, period);
    return ReadTimes{low, std::max(rounded_up(bus.tREH, period), cycle > low ? cycle - low : 1), late};
  };
  const ReadTimes late = times(bus.tRP, true);
  const TimePs end = (late.low + late.high) * period;
  const bool holds = bus.tRLOH != 0 && end < late.low * period + bus.tRHOH;
  return holds && bus.tREA < end ? late : times(std::max(bus.tRP, bus.tREA + 1), false);
}

} // namespace

std::string RtlCore::check(const RtlCoreConfig& config) {
  const Geometry& g = config.geometry;
  if (config.bus.ddr || config.bus.tCK != 0 || config.bus.tWP == 0) return "the interface is not SDR";
  if (g.chips_per_channel > kChips || g.dies_per_channel() > kDies) {
    return "more than " + std::to_string(kChips) + " chips or " + std::to_string(kDies) +
           " dies on a channel";
  }
  if (g.spare_size < kSpareBytes)
    return "a spare area of less than " + std::to_string(kSpareBytes) + " bytes";
  if (g.page_size + kSpareBytes > 0xFFFF) return "pages of 64 KiB and more";
  const TimePs longest = std::max({config.bus.tADL, config.bus.tCCS, config.bus.tRHW + config.bus.tWC});
  if (rounded_up(longest, config.clock.period) > kMostPeriods)
    return "a clock that is too fast for its timers";
  if (rounded_up(std::max(config.bus.tWB + config.tDBSY, config.poll_interval), config.clock.period) >
      kMostBusyPeriods)
    return "a busy time between planes (nand.tDBSY), or a polling interval, of more than " +
           std::to_string(kMostBusyPeriods) + " periods of its clock";
  return {};
}

RtlCore::RtlCore(sc_core::sc_module_name name, const RtlCoreConfig& config, hw::OnfiPins& pins,
                 Client& client)
    : sc_module(name), config_(config), pins_(pins), client_(client) {
  hw::require_picoseconds(this->name());
  bind_clock_and_times();
  bind_commands();
  bind_results();
  bind_pins(pins);
  set_times();
  SC_HAS_PROCESS(RtlCore);
  SC_METHOD(drive_clock);
  sensitive << clock_wanted_.posedge_event();
  SC_METHOD(feed);
  sensitive << loaded_ << rst_n_.posedge_event();
  dont_initialize();
  SC_METHOD(answer);
  sensitive << data_column_ << bus_plane_ << bus_taken_.posedge_event();
  dont_initialize();
  SC_METHOD(take);
  sensitive << data_out_valid_.posedge_event();
  dont_initialize();
  SC_METHOD(tell_result);
  sensitive << result_.posedge_event();
  dont_initialize();
  SC_METHOD(tell_bus);
  sensitive << bus_taken_;
  dont_initialize();
  SC_METHOD(tell_start);
  sensitive << array_starts_.posedge_event();
  dont_initialize();
  SC_METHOD(split_ce);
  sensitive << ce_n_;
  SC_METHOD(join_rb);
  for (std::uint32_t chip = 0; chip < config.geometry.chips_per_channel; ++chip) sensitive << pins.rb_n[chip];
}

void RtlCore::bind_clock_and_times() {
  rtl_.clk(clk_);
  rtl_.rst_n(rst_n_);
  rtl_.clock_wanted(clock_wanted_);
  rtl_.page_bytes(page_bytes_);
  rtl_.four_row_cycles(four_row_cycles_);
  rtl_.poll(poll_);
  rtl_.t_poll(t_poll_);
  rtl_.t_wp(t_wp_);
  rtl_.t_wh(t_wh_);
  rtl_.t_rp(t_rp_);
  rtl_.t_reh(t_reh_);
  rtl_.sample_late(sample_late_);
  rtl_.t_cs(t_cs_);
  rtl_.t_ceh(t_ceh_);
  rtl_.t_wb(t_wb_);
  rtl_.t_whr(t_whr_);
  rtl_.t_adl(t_adl_);
  rtl_.t_ccs(t_ccs_);
  rtl_.t_rhw(t_rhw_);
  rtl_.t_dbsy(t_dbsy_);
}

void RtlCore::bind_commands() {
  rtl_.load(load_);
  rtl_.load_last(load_last_);
  rtl_.load_die(load_die_);
  rtl_.load_chip(load_chip_);
  rtl_.load_operation(load_operation_);
  rtl_.load_plane(load_plane_);
  rtl_.load_row(load_row_);
  rtl_.load_column(load_column_);
  rtl_.load_length(load_length_);
}

void RtlCore::bind_results() {
  rtl_.result(result_);
  rtl_.result_last(result_last_);
  rtl_.result_die(result_die_);
  rtl_.result_plane(result_plane_);
  rtl_.result_status(result_status_);
  rtl_.bus_taken(bus_taken_);
  rtl_.bus_die(bus_die_);
  rtl_.bus_plane(bus_plane_);
  rtl_.bus_serves(bus_serves_);
  rtl_.array_starts(array_starts_);
  rtl_.data_column(data_column_);
  rtl_.data_in(data_in_);
  rtl_.data_out(data_out_);
  rtl_.data_out_column(data_out_column_);
  rtl_.data_out_valid(data_out_valid_);
}

void RtlCore::bind_pins(hw::OnfiPins& pins) {
  rtl_.ce_n(ce_n_);
  rtl_.cle(pins.cle);
  rtl_.ale(pins.ale);
  rtl_.we_n(pins.we_n);
  rtl_.re_n(pins.re_n);
  rtl_.wp_n(pins.wp_n);
  rtl_.dq_out(pins.dq_host);
  rtl_.dq_oe(pins.dq_host_oe);
  rtl_.dq_in(pins.dq_nand);
  rtl_.rb_n(rb_n_);
}

std::uint32_t RtlCore::periods(TimePs time) const {
  return rounded_up(time, config_.clock.period);
}

void RtlCore::set_times() {
  const BusTiming& bus = config_.bus;
  const Geometry& g = config_.geometry;
  const ReadTimes read = read_times(bus, config_.clock.period);
  const std::uint32_t low = periods(bus.tWP);
  const std::uint32_t cycle = std::max(periods(bus.tWC), periods(bus.data_in.of(1)));
  const std::uint32_t t_wh = std::max(periods(bus.tWH), cycle > low ? cycle - low : 1);
  page_bytes_ = g.page_size;
  four_row_cycles_ = onfi::row_cycles(RowLayout(g)) == 4;
  poll_ = g.dies_per_chip > 1;
  t_poll_ = periods(config_.poll_interval);
  t_wp_ = low;
  t_wh_ = t_wh;
  t_rp_ = read.low;
  t_reh_ = read.high;
  sample_late_ = read.late;
  // tCS and tRHW end where a cycle begins, which is tWH before WE# falls
  t_cs_ = periods(bus.tCS) + t_wh;
  t_ceh_ = periods(bus.tCEH);
  t_wb_ = periods(bus.tWB);
  t_whr_ = periods(bus.tWHR);
  t_adl_ = periods(bus.tADL);
  t_ccs_ = periods(bus.tCCS);
  t_rhw_ = periods(bus.tRHW) + t_wh;
  t_dbsy_ = periods(config_.tDBSY);
}

// --- the clock ---

/// Rises at multiples of the period. A caller who wakes it at a multiple has missed that edge, as he has when the
/// clock runs: what changes in a time step reaches the controller one step of the kernel after the clock.
void RtlCore::drive_clock() {
  const TimePs half = config_.clock.period / 2;
  const TimePs past_edge = hw::kernel_now() % config_.clock.period;
  if (clk_.read()) {
    clk_ = false;
    if (++periods_ == kResetPeriods) rst_n_ = !config_.clock.stays_in_reset;
    will_rise_ = periods_ <= kResetPeriods || config_.clock.gate == ClockGate::off || clock_wanted_.read();
    if (will_rise_) next_trigger(hw::to_sc_time(config_.clock.period - past_edge));
  } else if (will_rise_ && past_edge == 0) {
    clk_ = true;
    next_trigger(hw::to_sc_time(half));
  } else { // it stood still
    will_rise_ = true;
    next_trigger(hw::to_sc_time(config_.clock.period - past_edge));
  }
}

// --- operations, page data, results ---

void RtlCore::load(const Load& plane) {
  loads_.push_back(plane);
  loaded_.notify(sc_core::SC_ZERO_TIME);
}

/// A plane per rising edge; the controller takes at an edge what was written before it.
void RtlCore::feed() {
  if (!rst_n_.read() || loads_.empty()) {
    load_ = false;
    return;
  }
  const Load& l = loads_.front();
  load_ = true;
  load_last_ = l.last;
  load_die_ = l.die;
  load_chip_ = l.chip;
  load_operation_ = static_cast<std::uint32_t>(l.operation);
  load_plane_ = l.plane;
  load_row_ = l.row;
  load_column_ = l.column;
  load_length_ = l.length;
  loads_.pop_front();
  next_trigger(clk_.posedge_event());
}

void RtlCore::answer() {
  data_in_ = client_.byte_to_program(bus_die_.read(), bus_plane_.read(), data_column_.read());
}

void RtlCore::take() {
  client_.take_byte(bus_die_.read(), bus_plane_.read(), data_out_column_.read(),
                    static_cast<std::uint8_t>(data_out_.read()));
}

void RtlCore::tell_result() {
  client_.on_result({result_die_.read(), result_plane_.read(), result_last_.read(),
                     static_cast<std::uint8_t>(result_status_.read())});
}

/// The bus is free for a period at least between two operations.
void RtlCore::tell_bus() {
  client_.on_bus(bus_die_.read(), bus_taken_.read(), bus_serves_.read());
}

void RtlCore::tell_start() {
  client_.on_array_start(bus_die_.read());
}

// --- pins that the Verilog has as vectors ---

void RtlCore::split_ce() {
  for (std::uint32_t chip = 0; chip < config_.geometry.chips_per_channel; ++chip) {
    pins_.ce_n[chip] = (ce_n_.read() >> chip & 1u) != 0;
  }
}

void RtlCore::join_rb() {
  std::uint32_t ready = (1u << kChips) - 1;
  for (std::uint32_t chip = 0; chip < config_.geometry.chips_per_channel; ++chip) {
    if (!pins_.rb_n[chip].read()) ready &= ~(1u << chip);
    const bool rises = (ready & ~rb_n_.read() & 1u << chip) != 0;
    if (rises) client_.on_ready(chip);
  }
  rb_n_ = ready;
}

} // namespace twinplane::example
