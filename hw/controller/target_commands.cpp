// Commands of a whole target: reset, ID, parameter page, features. One command to whoever gave it, with what
// the target answers: an ID and features in the completion, the parameter page in DRAM. Nothing else of the
// chip may be under way, which is firmware's duty and the target's judgement.
//
// Where R/B# is not looked at the status is asked for by 70h, and 00h leads back to the answer.
#include <algorithm>

#include "hw/controller/flash_controller.h"

namespace twinplane::hw {

bool FlashController::target_acceptable(const FlashGroup& group) const {
  const FlashDescriptor& d = group.planes[0];
  if (group.count != 1 || group.loads != nullptr || addresses_.lun(d) != 0) return false;
  if (group.op() != FlashOp::read_parameter_page) return true;
  const auto bytes = static_cast<std::uint32_t>(d.oob);
  constexpr std::uint32_t kAll = onfi::parameter_page::bytes * onfi::parameter_page::copies;
  return bytes != 0 && bytes <= kAll && addresses_.in_dram(d.buffer, bytes);
}

void FlashController::target_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  group.apart = false;
  builder_.target(tenure_, group.planes[0], of_ddr(group.planes[0]), parameters_.data());
  state.command_end = drive(die, at);
  state.ready_at = std::max(tenure_.ready_at, state.command_end);
  state.status_mode = false;
  switch (group.op()) {
    case FlashOp::read_id:
      post_answer(die, state.command_end);
      break;
    case FlashOp::read_parameter_page:
    case FlashOp::get_features:
      if (config_.poll_status) {
        want(die, Stage::answer_poll, state.command_end);
      } else {
        want(die, Stage::answer, state.ready_at);
      }
      break;
    default: // its interface may have changed: what is asked at once would be asked too early for the new one
      if (config_.poll_status) {
        want(die, Stage::poll, state.command_end + config_.poll_interval);
      } else {
        want(die, Stage::status, state.ready_at);
      }
      break;
  }
}

void FlashController::poll_answer(std::uint32_t die, TimePs at) {
  builder_.answer_status(tenure_, of_ddr(dies_[die].head->planes[0]));
  const TimePs end = drive(die, at);
  if ((tenure_.status_bytes[0][0] & onfi::status::rdy) == 0) {
    poll_again(die, end, at);
  } else {
    want(die, Stage::answer, end);
  }
}

void FlashController::answer_tenure(std::uint32_t die, TimePs at) {
  const FlashDescriptor& d = dies_[die].head->planes[0];
  const bool page = static_cast<FlashOp>(d.op) == FlashOp::read_parameter_page;
  const std::uint32_t features = onfi::feature::parameters * (of_ddr(d) ? 2 : 1);
  builder_.answer(tenure_, page ? static_cast<std::uint32_t>(d.oob) : features,
                  page ? dram_ + d.buffer : parameters_.data(), config_.poll_status);
  post_answer(die, drive(die, at));
}

/// The answer is complete at its last byte; the bus turns round (tRHW) until `end`.
void FlashController::post_answer(std::uint32_t die, TimePs end) {
  const FlashDescriptor& d = dies_[die].head->planes[0];
  const OnfiPhase& data = tenure_.phases[tenure_.phase_count - 1];
  const bool page = static_cast<FlashOp>(d.op) == FlashOp::read_parameter_page;
  FlashCompletion completion = timed_completion(dies_[die], data.end);
  completion.cookie = d.cookie;
  completion.status = onfi::status::idle;
  const std::uint32_t edges = of_ddr(d) ? 2 : 1;
  for (std::uint32_t i = 0; !page && i < data.bytes / edges; ++i)
    completion.oob |= std::uint64_t{parameters_[i * edges]} << 8 * i;
  TimePs known = data.end;
  if (page && paced_) {
    const std::uint64_t begin = nominal_address(d.buffer, config_.data_mode, config_.geometry.sector_size);
    known = std::max(known, dram_port_.reserve({begin, data.bytes, data.start, DramMaster::flash, true}));
    completion.bus_wait_ps += known - data.end;
  }
  rings_.post(completion, known);
  rings_.interrupt();
  finish_group(die, end);
}

} // namespace twinplane::hw
