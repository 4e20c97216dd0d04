#include "firmware/ftl/sched/command_group.h"

#include "firmware/ftl/sched/issue_probe.h"

namespace twinplane::fw {

void GroupRules::boot(FtlState& state, DieQueues& board, const GcJobs& jobs) {
  state_ = &state;
  board_ = &board;
  jobs_ = &jobs;
  planes_per_die_ = state.config.geometry.planes_per_die;
  all_planes_ = low_mask(planes_per_die_);
  window_ = state.policy.scheduling->window();
  pass_ = static_cast<std::uint8_t>(state.config.pass_pages);
  pac_ = state.config.pac;
  bac_ = state.config.bac;
}

void GroupRules::start(CommandGroup& g, std::uint32_t die) const {
  g.count = 0;
  g.die = die;
  g.open_planes = all_planes_;
  g.next_die = kNoDie;
}

void GroupRules::tell_refused(const GroupRules& rules, const CommandGroup& g, const PageSlot& slot,
                              std::uint32_t plane_and_hint) {
  const auto hint = static_cast<PageHint>(plane_and_hint & 0xFF);
  rules.state_->probe->on_refused(plane_and_hint >> 8, mismatch(*rules.state_, g.slot[0], slot, hint));
}

void GroupRules::form_reads(TransactionList& lane, bool multi, CommandGroup& g) const {
  g.op = FlashOp::read;
  add(g, board_->take(lane));
  if (multi) join(lane, g);
}

/// Pages that the firmware writes for itself wait among the erases that they hold up, copies of lower pages
/// before them; they go alone. Padding gets its page only here.
bool GroupRules::form_erases(TransactionList& lane, CommandGroup& g) const {
  Transaction& t = board_->take(lane);
  if (t.traits->late_page && !t.owner->place(t)) return false;
  g.op = t.traits->op;
  add(g, t);
  if (!t.traits->own_page) join(lane, g);
  return true;
}

/// Joins what fits among the first transactions of the lane, in their order.
void GroupRules::join(TransactionList& lane, CommandGroup& g) const {
  if (g.open_planes == 0 || lane.empty()) return;
  std::uint32_t looks = window_;
  while (looks != 0 && !lane.empty() && joins(g, *lane.front())) {
    add(g, board_->take(lane));
    --looks;
  }
  if (lane.empty() || looks == 0) return;
  Transaction* previous = lane.front();
  while (--looks != 0 && previous->next != nullptr && g.open_planes != 0) {
    if (joins(g, *previous->next)) {
      add(g, board_->take_after(lane, *previous));
    } else {
      previous = previous->next;
    }
  }
}

bool GroupRules::joins(const CommandGroup& g, const Transaction& t) const {
  return (g.open_planes >> plane_in_die(t) & 1) != 0 && !t.traits->own_page && aligned(g.slot[0], slot_of(t));
}

} // namespace twinplane::fw
