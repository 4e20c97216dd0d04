#include "firmware/ftl/sched/command_group.h"

#include "firmware/ftl/sched/issue_probe.h"

namespace twinplane::fw {

/// Writes that wait which are looked at, for those that fit into a page.
constexpr std::uint32_t kLooks = 4 * kMaxUnits;

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
  const Units* const units = state.units;
  fills_pages_ = units != nullptr && units->map.packs() && units->policy->fills_pages();
}

/// Those of the stream that the page goes to.
std::uint32_t GroupRules::class_of_riders(const Transaction& first) const {
  PageHint hint = first.hint;
  if (first.traits->stream != Stream::host)
    hint = state_->policy.allocation->moves_hot(first.plane) ? kHotPage : kAnyPage;
  return board_->class_of_plane(first.plane) + board_->first_class_of(hint);
}

/// The first ones that fit, and that want such a page as well; beside a move not those of its own units, for the words of
/// a page do not tell which of two versions is the newer one. Where none does the first one that has a part of a page
/// goes along with what fits of it: the rest waits until this page has been programmed.
void GroupRules::add_riders(Transaction& first) const {
  UnitIo& io = state_->units->io;
  const std::uint32_t c = class_of_riders(first);
  const std::uint32_t page = state_->units->map.units();
  const std::uint32_t units = bits_set(io.work(first).todo);
  const bool move = first.traits->stream == Stream::relocation;
  if (move && !state_->units->policy->joins_moves()) return;
  std::uint32_t room = units < page ? page - units : 0;
  const Transaction* last = &first;
  for (const bool whole : {true, false}) {
    Transaction* previous = nullptr;
    for (std::uint32_t looks = kLooks; room != 0 && looks != 0; --looks) {
      Transaction* const next = previous == nullptr ? board_->writes(c).front() : previous->next;
      if (next == nullptr) break;
      const std::uint32_t more = bits_set(io.work(*next).todo);
      const bool fits = whole ? more <= room : more != page;
      if (!fits || (move ? io.moves_any_of(first, *next) : next->hint != first.hint)) {
        previous = next;
        continue;
      }
      Transaction& rider = board_->take_write(c, previous);
      io.add_rider(*last, rider);
      last = &rider;
      room -= more < room ? more : room;
    }
  }
}

void GroupRules::start(CommandGroup& g, std::uint32_t die) const {
  g.count = 0;
  g.die = die;
  g.open_planes = all_planes_;
  g.next_die = kNoDie;
  g.first_class = 0;
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
