#include "firmware/ftl/dispatcher.h"

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

void Dispatcher::boot(BootMemory& memory, FtlState& state, Board& board, Collector& collector,
                      WritePath& writes, FlashPort* ports) {
  state_ = &state;
  board_ = &board;
  collector_ = &collector;
  writes_ = &writes;
  ports_ = ports;
  groups_ = memory.array<Group>(state.config.geometry.dies());
  planes_per_die_ = state.config.geometry.planes_per_die;
  window_ = state.policy.scheduling->window();
  all_planes_ = low_mask(planes_per_die_);
  late_ = state.policy.planes->late();
  cache_ = state.policy.cache;
  folds_ = cache_ != nullptr && cache_->fold() != 1;
  deep_ = state.config.die_queue_depth > 1;
  in_regions_ = state.blocks.regions() != 1;
  // F goes for idle dies, everything else for planes as well: that is what tells D from F (facts C3)
  const bool aims_at_dies = state.policy.planes->classes() == 1 && !state.policy.planes->plane_first();
  pair_ = state.config.pair == Pairing::off && !aims_at_dies ? Pairing::any : state.config.pair;
  if (state.blocks.twins() == 1 || state.config.gc_moves == GcMoves::multi ||
      state.config.tbm_gc != TbmGc::letter)
    return;
  set_page_ = memory.array<std::uint32_t>(state.config.geometry.dies());
  for (std::uint32_t die = 0; set_page_ != nullptr && die < state.config.geometry.dies(); ++die)
    set_page_[die] = kNoSet;
}

void Dispatcher::run() {
  while (board_->take_news()) {
    const WorkMark mark(WorkFor::dispatch);
    now_ps_ = state_->now_ps();
    if (late_) {
      serve_lanes(Phase::before_late_writes);
      serve_late_writes();
    }
    serve_lanes(Phase::all);
  }
}

void Dispatcher::kick() {
  if (posted_ != 0)
    probe_point<Watch::planes, &Dispatcher::tell_doorbells>(state_->probe != nullptr, *this, *state_);
  for (; posted_ != 0; posted_ &= posted_ - 1) ports_[lowest_bit(posted_)].kick();
}

void Dispatcher::serve_lanes(Phase phase) {
  for (std::uint64_t channels = board_->channels_with_work(); channels != 0; channels &= channels - 1) {
    const std::uint32_t channel = lowest_bit(channels);
    for (std::uint64_t dies = board_->ready(channel); dies != 0; dies &= dies - 1) {
      const std::uint32_t die = board_->die_at(channel, lowest_bit(dies));
      while (!serve(die, phase)) {
      }
    }
  }
}

/// False when another look is needed: the lane chosen turned out to hold nothing to do, or the die can be
/// given more.
bool Dispatcher::serve(std::uint32_t die, Phase phase) {
  if (board_->reads_only(die)) {
    serve_reads(die);
    return true;
  }
  DieView view = board_->view(die);
  view.now_ps = now_ps_;
  const auto write = static_cast<std::uint32_t>(Lane::write);
  const bool others_wait = board_->by_plane() && waits_for_other_than_reads(view);
  TransactionList& in_place = board_->die(die).lanes[write];
  if (late_ && phase == Phase::all) view.oldest[write] = in_place.front();
  Lane lane = state_->policy.scheduling->pick(view);
  if (lane >= Lane::erase) { // or none: seldom
    if (lane == Lane::none) {
      board_->no_work(die);
      return true;
    }
    lane = before_padding(view);
  }
  if (set_under_way(die) && lane != Lane::read) lane = Lane::gc_write; // the stripe is promised to it
  if (board_->by_plane() && (lane == Lane::read || lane == Lane::gc_read || !board_->idle(die))) {
    return serve_planes(die, lane, others_wait);
  }
  const bool anywhere = lane == Lane::write && view.oldest[write] != in_place.front();
  if (late_ && anywhere) return true; // serve_late_writes() decides which die takes it
  Group& g = new_group(die);
  if (!form(lane, view, g)) return false;
  if (anywhere) {
    issue_writes(g);
  } else {
    issue(g);
  }
  return !deep_ || !board_->idle(die);
}

/// Padding comes behind all that may complete its wordline instead of it.
Lane Dispatcher::before_padding(DieView& view) const {
  const auto erase = static_cast<std::uint32_t>(Lane::erase);
  if (!view.oldest[erase]->traits->late_page || !waits_for_programs(view)) return Lane::erase;
  view.oldest[erase] = nullptr;
  return state_->policy.scheduling->pick(view);
}

Dispatcher::Group& Dispatcher::new_group(std::uint32_t die) {
  Group& g = groups_[die];
  g.count = 0;
  g.die = die;
  g.open_planes = all_planes_;
  g.next_die = kNoDie;
  return g;
}

bool Dispatcher::form(Lane lane, const DieView& view, Group& g) {
  TransactionList* const lanes = board_->die(g.die).lanes;
  const bool multi_moves = state_->config.gc_moves == GcMoves::multi;
  switch (lane) {
    case Lane::read:
      form_reads(lanes[static_cast<std::uint32_t>(lane)], true, g);
      return true;
    case Lane::gc_read:
      form_reads(lanes[static_cast<std::uint32_t>(lane)], multi_moves, g);
      return true;
    case Lane::gc_write:
      return form_moves(lanes[static_cast<std::uint32_t>(lane)], g);
    case Lane::erase:
      return form_erases(lanes[static_cast<std::uint32_t>(lane)], g);
    case Lane::write: {
      TransactionList& in_place = lanes[static_cast<std::uint32_t>(lane)];
      if (view.oldest[static_cast<std::uint32_t>(lane)] == in_place.front())
        return form_in_place(in_place, g);
      const Transaction& oldest = *view.oldest[static_cast<std::uint32_t>(Lane::write)];
      if (fill_write_group(board_->first_plane_for(oldest, g.die), g)) return true;
      no_space(g.die, state_->policy.planes->class_of(oldest.lpn));
      return false;
    }
    case Lane::none:
      break;
  }
  return false;
}

// --- writes whose die is chosen now ---

void Dispatcher::serve_late_writes() {
  const PlaneAllocation& planes = *state_->policy.planes;
  for (std::uint32_t c = board_->next_waiting_class(0); c < planes.classes();
       c = board_->next_waiting_class(c + 1)) {
    if (planes.plane_first()) {
      fill_planes(c);
    } else {
      while (fill_dies(c) && deep_) {
      }
    }
  }
}

/// F2: all planes of a die, then the next die.
void Dispatcher::fill_planes(std::uint32_t c) {
  while (!board_->writes(c).empty()) {
    const std::uint32_t die = state_->policy.planes->pick_die(c, board_->writable(c));
    if (die == kNoDie) return;
    const Transaction& oldest = *board_->writes(c).front();
    Group& g = new_group(die);
    if (fill_write_group(board_->first_plane_for(oldest, die), g)) {
      issue_writes(g);
    } else {
      no_space(die, c);
    }
  }
}

/// F, D: one page to every idle die, then further planes of the same dies. False when no die took any.
bool Dispatcher::fill_dies(std::uint32_t c) {
  TransactionList& waiting = board_->writes(c);
  DieSet candidates = board_->writable(c);
  std::uint32_t first = kNoDie; // dies taken, linked through their groups
  std::uint32_t* link = &first;
  while (!waiting.empty()) {
    const std::uint32_t die = state_->policy.planes->pick_die(c, candidates);
    if (die == kNoDie) break;
    candidates.remove(board_->die(die).channel, board_->die(die).bit);
    Group& g = new_group(die);
    if (!add_writes(g, board_->first_plane_for(*waiting.front(), die), 1)) {
      no_space(die, c);
      continue;
    }
    *link = die;
    link = &g.next_die;
  }
  bool added = true;
  while (added && !waiting.empty()) {
    added = false;
    for (std::uint32_t die = first; die != kNoDie && !waiting.empty(); die = groups_[die].next_die) {
      Group& g = groups_[die];
      if (add_writes(g, g.last_plane + 1, 1)) added = true;
    }
  }
  for (std::uint32_t die = first; die != kNoDie; die = groups_[die].next_die) {
    issue_writes(groups_[die]);
  }
  return first != kNoDie;
}

/// A group with as many planes as fit; false when not even one does.
bool Dispatcher::fill_write_group(std::uint32_t first_plane, Group& g) {
  return add_writes(g, first_plane, planes_per_die_);
}

/// Adds waiting writes, at most `most` of them: each takes the first plane still open that it fits, looking
/// from plane `start` or from behind the last one on. False when there was none.
bool Dispatcher::add_writes(Group& g, std::uint32_t start, std::uint32_t most) {
  const std::uint32_t before = g.count;
  std::uint32_t open = g.open_planes; // that the next write has not tried
  while (open != 0) {
    const std::uint32_t plane = next_bit(open, start);
    start = plane + 1;
    open &= ~(1u << plane);
    if (!add_write(g, plane)) continue;
    if (--most == 0) break;
    open = g.open_planes;
  }
  return g.count != before;
}

/// Adds the first write that waits for this plane if it fits.
inline bool Dispatcher::add_write(Group& g, std::uint32_t plane) {
  const std::uint32_t device_plane = g.die * planes_per_die_ + plane;
  const std::uint32_t c = board_->class_of_plane(device_plane);
  const Transaction* head = board_->writes(c).front();
  PageSlot& slot = g.slot[g.count];
  if (head == nullptr || !peek_for_host(*head, device_plane, slot)) return false;
  if (cache_ != nullptr && !find_complete(c, device_plane, slot)) return false;
  if (folds_ && !slot.slc && g.count != 0) return false; // a wordline is of one plane
  if (g.count == 0) {
    restrict_pairs(g, plane);
  } else if (!aligned(g.slot[0], slot)) {
    const std::uint32_t where = plane_and_hint(device_plane, head->hint);
    probe_point<Watch::planes, &Dispatcher::tell_refused>(state_->probe != nullptr, *this, g, slot, where);
    return false;
  }
  Transaction& t = board_->take_write(c);
  t.plane = device_plane;
  t.die = static_cast<std::uint16_t>(g.die);
  add(g, t, plane);
  return true;
}

/// The planes that may join the first one of a group of host pages.
inline void Dispatcher::restrict_pairs(Group& g, std::uint32_t plane) {
  if (pair_ == Pairing::any) return;
  const std::uint32_t next = plane + 1 == planes_per_die_ ? 0 : plane + 1;
  g.open_planes &= pair_ == Pairing::next ? 1u << next : 0;
}

/// Host pages for the planes of the group: the next ones of the die go to the planes behind them.
void Dispatcher::issue_writes(Group& g) {
  g.op = FlashOp::program;
  state_->policy.planes->plane_used(g.die, g.last_plane);
  issue(g);
}

// --- reads, moves and erases ---

void Dispatcher::form_reads(TransactionList& lane, bool multi, Group& g) {
  Transaction& t = board_->take(lane);
  g.op = FlashOp::read;
  add(g, t, plane_in_die(t), slot_of(t));
  if (multi) join(lane, g);
}

/// Pages that the firmware writes for itself wait among the erases that they hold up, copies of lower pages
/// before them; they go alone. Padding gets its page only here.
bool Dispatcher::form_erases(TransactionList& lane, Group& g) {
  Transaction& t = board_->take(lane);
  if (t.traits->late_page && !t.owner->place(t)) return false;
  const bool page = t.traits->own_page;
  g.op = page ? FlashOp::program : FlashOp::erase;
  add(g, t, plane_in_die(t), slot_of(t));
  if (!page) join(lane, g);
  return true;
}

/// Joins what fits among the first transactions of the lane, in their order.
void Dispatcher::join(TransactionList& lane, Group& g) {
  if (g.open_planes == 0 || lane.empty()) return;
  std::uint32_t looks = window_;
  while (looks != 0 && !lane.empty() && fits(g, *lane.front())) {
    Transaction& t = board_->take(lane);
    add(g, t, plane_in_die(t), slot_of(t));
    --looks;
  }
  if (lane.empty() || looks == 0) return;
  Transaction* previous = lane.front();
  while (--looks != 0 && previous->next != nullptr && g.open_planes != 0) {
    if (!fits(g, *previous->next)) {
      previous = previous->next;
      continue;
    }
    Transaction& t = board_->take_after(lane, *previous);
    add(g, t, plane_in_die(t), slot_of(t));
  }
}

bool Dispatcher::fits(const Group& g, const Transaction& t) const {
  return (g.open_planes >> plane_in_die(t) & 1) != 0 && !t.traits->own_page && aligned(g.slot[0], slot_of(t));
}

/// Moves of the collector. Pages overwritten since they were read are dropped here.
bool Dispatcher::form_moves(TransactionList& lane, Group& g) {
  g.op = FlashOp::program;
  if (cache_ != nullptr) return form_cached_move(lane, g);
  if (state_->blocks.twins() != 1) return form_twin_moves(lane, g);
  drop_stale(lane);
  if (lane.empty()) return false;
  PageSlot slot;
  Transaction& first = *lane.front();
  board_->take(lane);
  if (!peek(first, first.plane, Stream::relocation, slot)) {
    collector_->give_up(first);
    return false;
  }
  add(g, first, plane_in_die(first), slot);
  if (first.copies()) g.op = FlashOp::copyback;
  if (state_->config.gc_moves == GcMoves::single) return true;
  for (drop_stale(lane); !lane.empty(); drop_stale(lane)) {
    Transaction& t = *lane.front();
    const std::uint32_t plane = plane_in_die(t);
    if ((g.open_planes >> plane & 1) == 0 || !peek(t, t.plane, Stream::relocation, slot)) break;
    if (!aligned(g.slot[0], slot)) {
      const std::uint32_t where = plane_and_hint(t.plane, t.hint);
      probe_point<Watch::planes, &Dispatcher::tell_refused>(state_->probe != nullptr, *this, g, slot, where);
      break;
    }
    board_->take(lane);
    add(g, t, plane, slot);
  }
  return true;
}

void Dispatcher::drop_stale(TransactionList& lane) {
  while (!lane.empty() && !collector_->current(*lane.front())) collector_->drop(board_->take(lane));
}

// --- rules ---

bool Dispatcher::aligned(const PageSlot& a, const PageSlot& b) const {
  const FtlConfig& config = state_->config;
  return (a.page == b.page || !config.pac) && a.slc == b.slc && (a.block == b.block || !config.bac);
}

PageSlot Dispatcher::slot_of(const Transaction& t) const {
  const BlockTable& blocks = state_->blocks;
  return PageSlot{blocks.block_of(t.ppn), blocks.page_of(t.ppn), blocks.slc_mode(t.ppn)};
}

std::uint32_t Dispatcher::plane_in_die(const Transaction& t) const {
  return t.plane - t.die * planes_per_die_;
}

bool Dispatcher::peek(const Transaction& t, std::uint32_t plane, Stream stream, PageSlot& slot) {
  return state_->policy.allocation->peek(Placement{plane, stream, t.hint}, collector_->victim(plane), slot);
}

bool Dispatcher::peek_for_host(const Transaction& t, std::uint32_t plane, PageSlot& slot) {
  return state_->policy.allocation->granted(plane, slot) || peek(t, plane, Stream::host, slot);
}

void Dispatcher::add(Group& g, Transaction& t, std::uint32_t plane, const PageSlot& slot) {
  g.slot[g.count] = slot;
  add(g, t, plane);
}

/// Its slot stands in the group already.
void Dispatcher::add(Group& g, Transaction& t, std::uint32_t plane) {
  g.open_planes &= ~(1u << plane);
  g.last_plane = plane;
  g.item[g.count++] = &t;
}

} // namespace twinplane::fw
