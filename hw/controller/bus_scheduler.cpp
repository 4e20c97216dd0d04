#include "hw/controller/bus_scheduler.h"

#include <cassert>
#include <utility>

#include "hw/core/block_error.h"

namespace twinplane::hw {

BusScheduler::BusScheduler(const FlashControllerConfig& config, OnfiInitiatorSocket& socket,
                           ReadyTimeout& timeout)
    : socket_(socket), timeout_(timeout), arbiter_(make_arbiter(config.arbiter)) {
  assert(arbiter_ != nullptr && "the configuration names a known arbiter");
  if (config.age_limit != 0) arbiter_ = make_aged_arbiter(std::move(arbiter_), config.age_limit);
  payload_.set_command(tlm::TLM_IGNORE_COMMAND);
  payload_.set_extension(&tenure_);
}

void BusScheduler::connect(EventQueue* event_queue, std::uint32_t worker) {
  channel_ = dynamic_cast<TenureTarget*>(socket_.operator->());
  event_queue_ = event_queue;
  worker_ = worker;
}

/// When the channel says that the last phase ends.
TimePs BusScheduler::stamped_end() const {
  if (tenure_.sequence != Sequence::raw) return tenure_.planes[tenure_.plane_count - 1].end;
  return tenure_.phase_count == 0 ? 0 : tenure_.phases[tenure_.phase_count - 1].end;
}

inline bool BusScheduler::call(std::uint32_t chip, TimePs at) {
  if (channel_ == nullptr) return false;
  try {
    return channel_->take_tenure(chip, tenure_, at, free_);
  } catch (...) {
    rethrow_from(socket_.get_base_port(), at);
  }
}

/// Out of the way of calls.
[[gnu::noinline]] void BusScheduler::transact(std::uint32_t chip, TimePs at) {
  payload_.set_address(chip);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = to_sc_time(at - now_);
  const sc_core::sc_time before = delay;
  try {
    socket_->b_transport(payload_, delay);
  } catch (...) {
    rethrow_from(socket_.get_base_port(), at);
  }
  if (delay < before || (delay == before && stamped_end() > at)) // a bus may be without time
    report_breach(socket_.get_base_port(),
                  "has not added the length of a tenure to its delay (hw/channel/channel_block.h)", at);
  if (!payload_.is_response_ok()) report_answer(socket_.get_base_port(), payload_, "a tenure", at);
  free_ = now_ + to_ps(delay);
}

TimePs BusScheduler::drive(DieQueue& die, FlashGroup& group, TimePs at) {
  tenure_.lun = die.lun;
  tenure_.request_tag = group.tag;
  const std::uint32_t chip = group.planes[0].chip;
  if (!call(chip, at)) transact(chip, at);
  if (tenure_.ready_at == kNever) timeout_.watch(free_, now_);
  if (group.bus == 0) group.begun = at;
  die.in_use += free_ - std::max(group.begun, die.used_until);
  die.used_until = free_;
  group.bus += free_ - at;
  return free_;
}

} // namespace twinplane::hw
