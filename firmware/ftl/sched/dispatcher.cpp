#include "firmware/ftl/sched/dispatcher.h"

namespace twinplane::fw {

namespace {

bool waits_for_other_than_reads(const DieView& view) {
  for (const Lane lane : {Lane::write, Lane::gc_write, Lane::erase}) {
    if (view.oldest[static_cast<std::uint32_t>(lane)] != nullptr) return true;
  }
  return false;
}

bool waits_for_programs(const DieView& view) {
  for (const Lane lane : {Lane::write, Lane::gc_read, Lane::gc_write}) {
    if (view.oldest[static_cast<std::uint32_t>(lane)] != nullptr) return true;
  }
  return false;
}

} // namespace

void Dispatcher::boot(BootMemory& memory, FtlState& state, DieQueues& board, Collector& collector,
                      WritePath& writes) {
  state_ = &state;
  board_ = &board;
  jobs_ = &collector.jobs;
  path_ = &writes;
  groups_ = memory.array<CommandGroup>(state.config.geometry.dies());
  planes_per_die_ = state.config.geometry.planes_per_die;
  window_ = state.policy.scheduling->window();
  late_ = state.policy.planes->late();
  paces_ = state.policy.scheduling->paces();
  queue_depth_gt_1_ = state.config.die_queue_depth > 1;
  rules_.boot(state, board, collector.jobs);
  writes_.boot(state, board, writes, rules_);
  moves_ = make_move_groups(memory, {state, board, collector, rules_}, state.config);
}

void Dispatcher::attach(FlashPort* ports) {
  issuer.boot(*state_, *board_, rules_, ports);
  issuer.map.boot(*state_, *jobs_, *path_);
}

void Dispatcher::run() {
  while (board_->consume_work_pending()) {
    const WorkMark mark(WorkFor::dispatch);
    now_ps_ = state_->now_ps();
    issuer.begin_round(now_ps_);
    if (late_) {
      serve_lanes(Pass::bound_work_first);
      serve_late_writes();
    }
    serve_lanes(Pass::all);
  }
}

void Dispatcher::serve_lanes(Pass pass) {
  std::uint64_t channels = board_->channels_with_work();
  while ((channels & board_->ready_channels()) != 0) {
    const std::uint32_t channel = lowest_bit(channels & board_->ready_channels());
    channels &= ~std::uint64_t{1} << channel; // those behind it
    for (std::uint64_t dies = board_->ready(channel); dies != 0; dies &= dies - 1) {
      const std::uint32_t die = board_->die_at(channel, lowest_bit(dies));
      while (!serve(die, pass)) {
      }
    }
  }
}

/// False when another look is needed: the lane chosen turned out to hold nothing to do, or the die can be
/// given more.
bool Dispatcher::serve(std::uint32_t die, Pass pass) {
  if (board_->reads_only(die)) {
    serve_reads(die);
    return true;
  }
  DieView view = board_->view(die);
  view.now_ps = now_ps_;
  const auto write = static_cast<std::uint32_t>(Lane::write);
  const bool others_wait = board_->by_plane() && waits_for_other_than_reads(view);
  TransactionList& in_place = board_->die(die).lanes[write];
  if (late_ && pass == Pass::all) view.oldest[write] = in_place.front();
  Lane lane = state_->policy.scheduling->pick(view);
  if (lane >= Lane::erase) { // or none: seldom
    if (lane == Lane::none) {
      board_->no_work(die);
      return true;
    }
    lane = before_padding(view);
  }
  if (moves_->set_under_way(die) && lane != Lane::read) lane = Lane::gc_write; // the stripe is promised to it
  if (board_->by_plane() && (lane == Lane::read || lane == Lane::gc_read || !board_->idle(die))) {
    return serve_planes(die, lane, others_wait);
  }
  const bool anywhere = lane == Lane::write && view.oldest[write] != in_place.front();
  if (late_ && anywhere) return true; // serve_late_writes() decides which die takes it
  CommandGroup& g = new_group(die);
  if (!form(lane, view, g)) return false;
  if (anywhere) {
    issue_writes(g);
  } else {
    if (paces_ && lane == Lane::gc_write) earn(g);
    issuer.issue(g);
  }
  return !queue_depth_gt_1_ || !board_->idle(die);
}

/// Padding comes behind all that may complete its wordline instead of it.
Lane Dispatcher::before_padding(DieView& view) const {
  const auto erase = static_cast<std::uint32_t>(Lane::erase);
  if (!view.oldest[erase]->traits->late_page || !waits_for_programs(view)) return Lane::erase;
  view.oldest[erase] = nullptr;
  return state_->policy.scheduling->pick(view);
}

CommandGroup& Dispatcher::new_group(std::uint32_t die) {
  rules_.start(groups_[die], die);
  return groups_[die];
}

/// Of pages of the stream that the write belongs to.
CommandGroup& Dispatcher::new_group_for(const Transaction& write, std::uint32_t die) {
  CommandGroup& g = new_group(die);
  g.first_class = board_->first_class_of(write.hint);
  return g;
}

bool Dispatcher::form(Lane lane, const DieView& view, CommandGroup& g) {
  TransactionList& list = board_->die(g.die).lanes[static_cast<std::uint32_t>(lane)];
  switch (lane) {
    case Lane::read:
      rules_.form_reads(list, true, g);
      return true;
    case Lane::gc_read:
      rules_.form_reads(list, state_->config.gc_moves == GcMoves::multi, g);
      return true;
    case Lane::gc_write:
      return moves_->form(list, g);
    case Lane::erase:
      return rules_.form_erases(list, g);
    case Lane::write:
      return form_writes(list, view, g);
    case Lane::none:
      break;
  }
  return false;
}

bool Dispatcher::form_writes(TransactionList& in_place, const DieView& view, CommandGroup& g) {
  const Transaction* const oldest = view.oldest[static_cast<std::uint32_t>(Lane::write)];
  if (oldest == in_place.front()) return writes_.form_in_place(in_place, g);
  const std::uint32_t c = board_->class_of(*oldest);
  g.first_class = board_->first_class_of(oldest->hint);
  if (writes_.fill(board_->first_plane_for(*oldest, g.die), g)) return true;
  no_space(g.die, c);
  return false;
}

// --- reads of dies that are not idle, and reads one by one where planes read independently ---

/// A die that programs or erases: reads go on top, for the flash controller to let them pass.
void Dispatcher::serve_reads(std::uint32_t die) {
  TransactionList& lane = board_->die(die).lanes[static_cast<std::uint32_t>(Lane::read)];
  if (lane.empty()) {
    board_->no_work(die); // until it is idle
    return;
  }
  if (board_->by_plane()) return issue_read(board_->take_any_read(lane));
  CommandGroup& g = new_group(die);
  rules_.form_reads(lane, true, g);
  issuer.issue(g);
}

/// Reads one by one, to planes that have few. A die that reads gets further ones only while nothing else
/// waits for it, so that it becomes idle as often as other dies do when there is other work.
bool Dispatcher::serve_planes(std::uint32_t die, Lane lane, bool others_wait) {
  const bool reads = lane == Lane::read || lane == Lane::gc_read;
  bool issued = false;
  if (reads && (board_->idle(die) || !others_wait)) {
    TransactionList& list = board_->die(die).lanes[static_cast<std::uint32_t>(lane)];
    while (board_->open_for_plane_reads(die)) {
      Transaction* t = board_->take_read(list, window_);
      if (t == nullptr) break;
      issue_read(*t);
      issued = true;
    }
  }
  if (!board_->idle(die)) board_->no_work(die); // until a read is done
  return !issued || !board_->idle(die);
}

void Dispatcher::issue_read(Transaction& t) {
  CommandGroup& g = new_group(t.die);
  g.op = FlashOp::read;
  rules_.add(g, t);
  issuer.issue(g);
}

// --- writes whose die is chosen now ---

void Dispatcher::serve_late_writes() {
  if (!board_->any_writable()) return; // nearly always, while planes are collected
  const PlaneAllocation& planes = *state_->policy.planes;
  if (board_->classes() != planes.classes()) {
    for (std::uint32_t c = 0; c < planes.classes(); ++c) serve_by_age(c, c + planes.classes());
    return;
  }
  for (std::uint32_t c = board_->next_waiting_class(0); c < board_->classes();
       c = board_->next_waiting_class(c + 1)) {
    if (planes.plane_first()) {
      while (fill_planes(c)) {
      }
    } else {
      while (fill_dies(c) && queue_depth_gt_1_) {
      }
    }
  }
}

/// Of two streams that one has a die next whose first write has waited longer. Else what little there is of one would have
/// commands of its own before the other has any.
void Dispatcher::serve_by_age(std::uint32_t a, std::uint32_t b) {
  const bool plane_first = state_->policy.planes->plane_first();
  bool served[2] = {};
  while (!served[0] || !served[1]) {
    const Transaction* const first = served[0] ? nullptr : board_->writes(a).front();
    const Transaction* const second = served[1] ? nullptr : board_->writes(b).front();
    if (first == nullptr && second == nullptr) return;
    const bool takes_b = first == nullptr || (second != nullptr && older(*second, *first));
    const std::uint32_t c = takes_b ? b : a;
    served[takes_b] = plane_first ? !fill_planes(c) : !fill_dies(c) || !queue_depth_gt_1_;
  }
}

/// F2: all planes of a die. False when no die takes any.
bool Dispatcher::fill_planes(std::uint32_t c) {
  if (board_->writes(c).empty()) return false;
  const std::uint32_t die = state_->policy.planes->pick_die(board_->place_class(c), board_->writable(c));
  if (die == kNoDie) return false;
  const Transaction& oldest = *board_->writes(c).front();
  CommandGroup& g = new_group_for(oldest, die);
  if (writes_.fill(board_->first_plane_for(oldest, die), g)) {
    issue_writes(g);
  } else {
    no_space(die, c);
  }
  return true;
}

/// F, D: one page to every idle die, then further planes of the same dies. False when no die took any.
bool Dispatcher::fill_dies(std::uint32_t c) {
  const TransactionList& waiting = board_->writes(c);
  const std::uint32_t first = begin_groups(c);
  bool added = true;
  while (added && !waiting.empty()) {
    added = false;
    for (std::uint32_t die = first; die != kNoDie && !waiting.empty(); die = groups_[die].next_die) {
      CommandGroup& g = groups_[die];
      if (writes_.add(g, g.last_plane + 1, 1)) added = true;
    }
  }
  for (std::uint32_t die = first; die != kNoDie; die = groups_[die].next_die) issue_writes(groups_[die]);
  return first != kNoDie;
}

/// One page to every idle die; returns the first of these dies, which are linked through their groups.
std::uint32_t Dispatcher::begin_groups(std::uint32_t c) {
  const TransactionList& waiting = board_->writes(c);
  DieSet candidates = board_->writable(c);
  std::uint32_t first = kNoDie;
  std::uint32_t* link = &first;
  while (!waiting.empty()) {
    const std::uint32_t die = state_->policy.planes->pick_die(board_->place_class(c), candidates);
    if (die == kNoDie) break;
    candidates.remove(board_->die(die).channel, board_->die(die).bit);
    CommandGroup& g = new_group_for(*waiting.front(), die);
    if (!writes_.add(g, board_->first_plane_for(*waiting.front(), die), 1)) {
      no_space(die, c);
      continue;
    }
    *link = die;
    link = &g.next_die;
  }
  return first;
}

/// What the moves of the group earn for the host.
void Dispatcher::earn(const CommandGroup& g) {
  for (std::uint32_t i = 0; i < g.count; ++i) board_->earn(g.die, jobs_->of_page(g.item[i]->home).pace);
}

/// Host pages for the planes of the group: the next ones of the die go to the planes behind them.
void Dispatcher::issue_writes(CommandGroup& g) {
  g.op = FlashOp::program;
  if (paces_) board_->earn(g.die, -static_cast<std::int32_t>(g.count) * kPage);
  state_->policy.planes->plane_used(g.die, g.last_plane);
  issuer.issue(g);
}

/// Writes of class c wait until the die has made space. Untimed writes may have left its planes short of it
/// and collection to the write that comes next, which is this one.
void Dispatcher::no_space(std::uint32_t die, std::uint32_t c) {
  if (board_->writes(c).empty()) return; // none was refused: all that waited do something else first
  board_->block_writes(die, c);
  for (std::uint32_t p = die * planes_per_die_; p < (die + 1) * planes_per_die_; ++p) {
    if (jobs_->victim(p) == kNoBlock) jobs_->schedule_gc_check(p);
  }
}

} // namespace twinplane::fw
