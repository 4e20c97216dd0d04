#include "hw/channel/channel.h"

#include <algorithm>
#include <cassert>

#include "hw/core/block_error.h"
#include "hw/core/kernel_time.h"
#include "hw/nand/tenure_expansion.h"

namespace twinplane::hw {

Channel::Channel(const sc_core::sc_module_name& name, const ChannelConfig& config)
    : ChannelBlock(name, config.chips), config_(config) {
  timings_.push_back(std::make_unique<Timing>(config.bus, config.tDBSY));
  told_ = timings_[0].get();
  require_picoseconds(this->name());
  timing_of_.assign(config.chips, timings_[0].get());
  in.bind(*this);
}

void Channel::end_of_elaboration() {
  for (auto& chip : chips) packages_.push_back(dynamic_cast<TenureTarget*>(chip.operator->()));
}

OnfiTenure* Channel::accept(tlm::tlm_generic_payload& payload) const {
  auto* tenure = payload.get_extension<OnfiTenure>();
  if (tenure == nullptr || !tenure->well_formed()) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    tenure = nullptr;
  } else if (payload.get_address() >= config_.chips) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    tenure = nullptr;
  }
  return tenure;
}

void Channel::attach(BusObserver& observer) {
  observers_.push_back(&observer);
  phases_wanted_ = phases_wanted_ || observer.wants_phases();
  observer.on_timing(config_.index, told_->tenures.bus(), config_.tDBSY);
}

/// Times, before the tenure goes to its package; returns its end.
inline TimePs Channel::stamp(Timing& timing, OnfiTenure& tenure, TimePs start) {
  if (start < free_at_)
    report_breach(*this, "is given a tenure that begins before the last one has ended", start);
  const bool raw = tenure.sequence == Sequence::raw;
  const TimePs end =
      raw ? timing.tenures.stamp(tenure, start, statistics_.use) : timing.sequences.schedule(tenure, start);
  free_at_ = std::max(free_at_, end);
  statistics_.busy += end - start;
  ++statistics_.tenures;
  if (!raw && phases_wanted_) unfold(timing, tenure, start);
  return end;
}

/// The package has done the tenure.
inline void Channel::finish(std::uint32_t chip, OnfiTenure& tenure, TimePs start, TimePs end) {
  const Timing* const timing = timing_of_[chip];
  if (timing != told_ && !observers_.empty()) tell_timing(*timing);
  for (BusObserver* observer : observers_) observer->on_tenure(config_.index, chip, tenure, start, end);
  if (tenure.new_timing == nullptr) return;
  const BusTiming& changed = *tenure.new_timing;
  timing_of_[chip] = &timing_like(changed == config_.part_bus ? config_.bus : changed);
  tenure.new_timing = nullptr;
}

bool Channel::take_tenure(std::uint32_t chip, OnfiTenure& tenure, TimePs start, TimePs& end) {
  if (chip >= config_.chips || packages_[chip] == nullptr) return false;
  Timing& timing = *timing_of_[chip];
  const TimePs until = end = stamp(timing, tenure, start);
  try {
    if (!packages_[chip]->take_tenure(chip, tenure, start, end)) {
      unfold(timing, tenure, start);
      const bool done = packages_[chip]->take_tenure(chip, tenure, start, end);
      assert(done && "it has the phases that it wanted");
      static_cast<void>(done);
    }
  } catch (...) {
    rethrow_from(chips[chip].get_base_port(), start);
  }
  finish(chip, tenure, start, until);
  return true;
}

void Channel::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  OnfiTenure* const tenure = accept(payload);
  if (tenure == nullptr) return;
  const auto chip = static_cast<std::uint32_t>(payload.get_address());
  const TimePs start = time_at(delay);
  TimePs end = 0;
  if (take_tenure(chip, *tenure, start, end)) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  } else {
    end = stamp(*timing_of_[chip], *tenure, start);
    transact(chip, *tenure, payload, delay);
    finish(chip, *tenure, start, end);
  }
  delay += to_sc_time(end - start);
}

/// To a package that is not ours.
void Channel::transact(std::uint32_t chip, OnfiTenure& tenure, tlm::tlm_generic_payload& payload,
                       sc_core::sc_time& delay) {
  hand_on(chip, payload, delay);
  const TimePs start = time_at(delay);
  const bool short_form = tenure.sequence != Sequence::raw;
  if (short_form && payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
    unfold(*timing_of_[chip], tenure, start);
    hand_on(chip, payload, delay);
  }
  check_answer(chip, payload, start);
}

/// A package does the tenure in the times that it carries.
void Channel::hand_on(std::uint32_t chip, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const sc_core::sc_time before = delay;
  const TimePs start = time_at(delay);
  try {
    chips[chip]->b_transport(payload, delay);
  } catch (...) {
    rethrow_from(chips[chip].get_base_port(), start);
  }
  if (delay == before) return;
  report_breach(chips[chip].get_base_port(),
                "has changed the delay of a tenure, which is the channel's to add (hw/nand/package_block.h)",
                start);
  delay = before;
}

/// Chips of one mode share it.
Channel::Timing& Channel::timing_like(const BusTiming& bus) {
  for (const auto& timing : timings_) {
    if (timing->tenures.bus() == bus) return *timing;
  }
  timings_.push_back(std::make_unique<Timing>(bus, config_.tDBSY));
  return *timings_.back();
}

void Channel::tell_timing(const Timing& timing) {
  told_ = &timing;
  for (BusObserver* observer : observers_) {
    observer->on_timing(config_.index, timing.tenures.bus(), config_.tDBSY);
  }
}

ChannelStatistics Channel::statistics() const {
  ChannelStatistics all = statistics_;
  for (const auto& timing : timings_) {
    const BusUseTimes sequences = timing->sequences.use();
    for (std::size_t i = 0; i < kBusUses; ++i) all.use[i] += sequences[i];
  }
  return all;
}

void Channel::reset_statistics() {
  statistics_ = {};
  for (const auto& timing : timings_) timing->sequences.reset_use();
}

void Channel::check_answer(std::uint32_t chip, const tlm::tlm_generic_payload& payload, TimePs at) {
  if (!payload.is_response_ok()) report_answer(chips[chip].get_base_port(), payload, "a tenure", at);
}

/// Gives a sequence its phases, with times.
void Channel::unfold(const Timing& timing, OnfiTenure& tenure, TimePs start) {
  BusUseTimes counted{}; // schedule() has counted the sequence already
  expand(tenure, timing.tenures.bus().ddr);
  timing.tenures.stamp(tenure, start, counted);
}

unsigned Channel::transport_dbg(tlm::tlm_generic_payload& payload) {
  OnfiTenure* tenure = accept(payload);
  if (tenure == nullptr) return 0;
  const auto number = static_cast<std::uint32_t>(payload.get_address());
  auto& chip = chips[number];
  const bool ddr = timing_of_[number]->tenures.bus().ddr;
  const bool raw = tenure->sequence == Sequence::raw;
  if (phases_wanted_ && !raw) expand(*tenure, ddr);
  unsigned done = chip->transport_dbg(payload);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE && !raw) {
    expand(*tenure, ddr);
    done = chip->transport_dbg(payload);
  }
  check_answer(number, payload, kernel_now());
  for (BusObserver* observer : observers_) observer->on_functional(config_.index, number, *tenure);
  return done;
}

} // namespace twinplane::hw
