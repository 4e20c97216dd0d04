// Independent reads: the parts take 00h-30h of one plane while others read, so the pages at the front of a
// die's FIFO go to their planes and overlap, each with its own tR and data out.
//
// Reads of one plane keep their order, everything that is no read of a single page waits until the planes
// are done, and reads behind it wait for it. Of what is due, commands go before data: they are short and put
// a plane to work. Reads between a suspended operation and its end run one at a time, as on other parts.
//
// R/B# is low until the last plane is ready. With poll_status 78h asks each plane; otherwise a plane's end is
// known at once, as the end of a die is.
#include <algorithm>
#include <cassert>

#include "hw/controller/flash_controller.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

/// False when the head of the FIFO goes its usual way.
bool FlashController::start_plane_reads(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  if (state.suspended != nullptr) return false;
  admit_reads(die, at);
  if (state.reading == 0) return false;
  want_planes(die);
  return true;
}

/// Gives the reads at the front of the FIFO to planes that have none.
void FlashController::admit_reads(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup* before = nullptr;
  FlashGroup* group = state.head;
  while (group != nullptr && group->op() == FlashOp::read && group->count == 1 && group->retry == nullptr) {
    FlashGroup* const next = group->next;
    const std::uint32_t number = addresses_.plane(group->planes[0]);
    if (number >= config_.geometry.planes_per_die) break; // the die refuses it
    if ((state.reading >> number & 1u) != 0) {
      before = group;
    } else {
      (before == nullptr ? state.head : before->next) = next;
      if (state.tail == group) state.tail = before;
      if (state.reading != 0) ++statistics_.independent_reads;
      state.reading |= 1u << number;
      planes_of(die)[number] = {group, Stage::command, at, 0, 0};
    }
    group = next;
  }
}

/// The plane that gets the bus at `at`: of those that are due commands come before data; when none is due,
/// the one that is due first.
FlashController::PlaneRead& FlashController::next_plane(std::uint32_t die, TimePs at) {
  PlaneRead* best = nullptr;
  const auto before = [at](const PlaneRead& a, const PlaneRead& b) {
    const bool commands_differ = (a.stage == Stage::command) != (b.stage == Stage::command);
    if (commands_differ && a.due <= at && b.due <= at) return a.stage == Stage::command;
    return a.due < b.due;
  };
  for (std::uint32_t planes = dies_[die].reading; planes != 0; planes &= planes - 1) {
    PlaneRead& plane = planes_of(die)[__builtin_ctz(planes)];
    if (best == nullptr || before(plane, *best)) best = &plane;
  }
  assert(best != nullptr && "a plane of the die reads");
  return *best;
}

/// The die waits for the bus once, for the plane that is due first.
void FlashController::want_planes(std::uint32_t die) {
  DieState& state = dies_[die];
  if (state.reading_waits) waiters_.remove(die);
  const PlaneRead& first = next_plane(die, 0);
  const TenureKind kind = first.stage == Stage::command    ? TenureKind::read_command
                          : first.stage == Stage::data_out ? TenureKind::data_out
                                                           : TenureKind::status;
  state.stage = Stage::plane_reads;
  state.reading_waits = true;
  waiters_.add({die, kind, first.due});
}

void FlashController::plane_tenure(std::uint32_t die, TimePs at) {
  dies_[die].reading_waits = false;
  PlaneRead& plane = next_plane(die, at);
  FlashGroup& group = *plane.group;
  if (plane.stage == Stage::command) {
    builder_.operation(tenure_, group);
    plane.command_end = drive(group, at);
    plane.ready_at = std::max(tenure_.plane_ready_at, plane.command_end);
    plane.stage = config_.poll_status ? Stage::poll : Stage::data_out;
    plane.due = config_.poll_status ? plane.command_end : plane.ready_at;
  } else if (plane.stage == Stage::poll) {
    builder_.status(tenure_, group, true);
    const TimePs end = drive(group, at);
    const bool ready = (tenure_.planes[0].status & onfi::status::rdy) != 0;
    plane.stage = ready ? Stage::data_out : Stage::poll;
    plane.due = ready ? end : std::max(end, at + config_.poll_interval);
    if (!ready) check_patience(die, plane.command_end, end);
  } else if (const TimePs due = page_buffer_free(); due > at) {
    plane.due = due;
  } else {
    builder_.data_out(tenure_, group, false);
    const TimePs end = drive(group, at);
    FlashCompletion completion =
        timed_completion(group, plane.ready_at - plane.command_end, tenure_.planes[0].end);
    post_page(completion, group);
    finish_plane(die, plane, end);
    return;
  }
  want_planes(die);
}

void FlashController::finish_plane(std::uint32_t die, PlaneRead& plane, TimePs at) {
  DieState& state = dies_[die];
  state.reading &= ~(1u << static_cast<std::uint32_t>(&plane - planes_of(die)));
  end_group(*plane.group);
  state.stage = Stage::idle;
  if (state.head != nullptr) {
    next_group(die, at);
  } else if (state.reading != 0) {
    want_planes(die);
  }
}

} // namespace twinplane::hw
