#include "firmware/ftl/sched/write_groups.h"

namespace twinplane::fw {

void WriteGroups::boot(FtlState& state, DieQueues& board, WritePath& writes, const GroupRules& rules) {
  state_ = &state;
  board_ = &board;
  writes_ = &writes;
  rules_ = &rules;
  units_ = state.units;
  planes_per_die_ = state.config.geometry.planes_per_die;
  // F goes for idle dies, everything else for planes as well: that is what tells D from F (facts C3)
  const bool aims_at_dies = state.policy.planes->classes() == 1 && !state.policy.planes->plane_first();
  pair_ = state.config.pair == Pairing::off && !aims_at_dies ? Pairing::any : state.config.pair;
  levels_planes_ = state.programs_all_planes() && state.blocks.twins() == 1;
}

/// A program with less than a stripe has let planes get ahead of others, and no program of all has room for both. The one
/// with the lowest page goes first, and what can be programmed together with it, until it has come up with the others.
std::uint32_t WriteGroups::lagging_plane(const CommandGroup& g, std::uint32_t start) const {
  std::uint32_t lagging = start;
  std::uint32_t lowest = ~0u;
  for (std::uint32_t left = g.open_planes; left != 0;) {
    const std::uint32_t plane = next_bit(left, start);
    left &= ~(1u << plane);
    start = plane + 1;
    const std::uint32_t device_plane = g.die * planes_per_die_ + plane;
    const Transaction* const head =
        board_->writes(g.first_class + board_->class_of_plane(device_plane)).front();
    PageSlot slot;
    if (head == nullptr || !peek(*head, device_plane, slot) || slot.page >= lowest) continue;
    lowest = slot.page;
    lagging = plane;
  }
  return lagging;
}

bool WriteGroups::add(CommandGroup& g, std::uint32_t start, std::uint32_t most) {
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

/// Its slot stands in the group already.
[[gnu::always_inline]] inline void WriteGroups::take(CommandGroup& g, std::uint32_t c, std::uint32_t plane) {
  Transaction& t = board_->take_write(c);
  t.plane = g.die * planes_per_die_ + plane;
  t.die = static_cast<std::uint16_t>(g.die);
  if (units_ != nullptr) rules_->fill_page(t);
  rules_->add(g, t, plane);
}

/// Adds the first write that waits for this plane if it fits.
inline bool WriteGroups::add_write(CommandGroup& g, std::uint32_t plane) {
  const std::uint32_t device_plane = g.die * planes_per_die_ + plane;
  const std::uint32_t c = g.first_class + board_->class_of_plane(device_plane);
  const Transaction* head = board_->writes(c).front();
  PageSlot& slot = g.slot[g.count];
  if (head == nullptr || !peek(*head, device_plane, slot)) return false;
  if (units_ != nullptr && !find_complete(c, device_plane, slot)) return false;
  if (g.count == 0) {
    restrict_pairs(g, plane);
  } else if (!rules_->fits(g, slot, device_plane, head->hint) ||
             (slot.pass != 1 && !joins_pass(g, c, slot))) {
    return false;
  }
  take(g, c, plane);
  if (slot.pass != 1) fill_pass(g, c, plane);
  return true;
}

bool WriteGroups::peek(const Transaction& t, std::uint32_t plane, PageSlot& slot) const {
  return state_->policy.allocation->granted(plane, slot) || rules_->peek(t, plane, Stream::host, slot);
}

/// The planes that may join the first one of a group of host pages.
inline void WriteGroups::restrict_pairs(CommandGroup& g, std::uint32_t plane) const {
  if (pair_ == Pairing::any) return;
  const std::uint32_t next = plane + 1 == planes_per_die_ ? 0 : plane + 1;
  g.open_planes &= pair_ == Pairing::next ? 1u << next : 0;
}

// --- drives whose map's unit is smaller than a page ---

/// When its page cannot take it any more it waits for another one, as all do.
bool WriteGroups::form_in_place(TransactionList& lane, CommandGroup& g) {
  Transaction& t = board_->take(lane);
  Ppn ppn = kNoPpn;
  if (!units_->policy->fits_in_place(t, ppn) || state_->blocks.die_of(ppn) != g.die) {
    writes_->enqueue_for_placement(t);
    return false;
  }
  t.plane = state_->blocks.plane_of(ppn);
  g.op = FlashOp::program;
  rules_->add(
      g, t, rules_->plane_in_die(t),
      PageSlot{state_->blocks.block_of(ppn), state_->blocks.page_of(ppn), state_->blocks.slc_mode(ppn)});
  return true;
}

/// Of the writes that wait for class c, those whose place would be a native page, for which they lack
/// something, go and read it. False when the first one left has no place.
bool WriteGroups::find_complete(std::uint32_t c, std::uint32_t plane, PageSlot& slot) {
  while (!units_->placement.complete_for(*board_->writes(c).front(), slot)) {
    writes_->complete_for_native(board_->take_write(c));
    const Transaction* head = board_->writes(c).front();
    if (head == nullptr || !peek(*head, plane, slot)) return false;
  }
  return true;
}

/// A further plane's wordline is programmed beside those of the others where none of them is padded for it, nor it.
[[gnu::noinline]] bool WriteGroups::joins_pass(const CommandGroup& g, std::uint32_t c,
                                               const PageSlot& slot) const {
  if (!g.ends_with_pass() || !g.begins_alike(slot)) return false;
  const bool packs = units_ != nullptr && units_->map.packs();
  const std::uint32_t wanted = (slot.pass - slot.page % slot.pass) * (packs ? units_->map.units() : 1);
  std::uint32_t waiting = 0;
  for (const Transaction* t = board_->writes(c).front(); t != nullptr && waiting < wanted; t = t->next)
    waiting += packs ? bits_set(units_->io.work(*t).todo) : 1;
  return waiting >= wanted;
}

/// What waits for the same pages goes along with the first write, up to the end of its pass.
[[gnu::noinline]] void WriteGroups::fill_pass(CommandGroup& g, std::uint32_t c, std::uint32_t plane) {
  const std::uint32_t device_plane = g.die * planes_per_die_ + plane;
  PageSlot slot = g.slot[g.count - 1];
  PageSlot next;
  while ((slot.page + 1) % slot.pass != 0) {
    const Transaction* const head = board_->writes(c).front();
    if (head == nullptr || !peek(*head, device_plane, next) || next.pass == 1) return;
    if (units_ != nullptr && !units_->placement.complete_for(*head, next)) {
      writes_->complete_for_native(board_->take_write(c));
      continue;
    }
    ++slot.page;
    g.slot[g.count] = slot;
    take(g, c, plane);
  }
}

} // namespace twinplane::fw
