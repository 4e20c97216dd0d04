// Dispatcher: a formed group becomes flash descriptors; pages to be programmed enter the map. Or there is no
// page for a group.
#include "firmware/ftl/dispatcher.h"

namespace twinplane::fw {

void Dispatcher::issue(Group& g) {
  const OpTraits& kind = *g.item[0]->traits;
  const WorkMark mark(kind.account);
  probe_point<Watch::planes, &Dispatcher::tell>(state_->probe != nullptr, *this, g);
  const CostTable& cost = state_->config.cost;
  const bool program = g.op == FlashOp::program || g.op == FlashOp::copyback;
  if (folds_ && program && !g.slot[0].slc) return issue_pass(g);
  state_->charge(g.count, cost.flash_submit + (program ? cost.allocate : 0));
  if (program) kind.by_subpage ? commit_cached(g) : commit(g);
  DieBoard& d = board_->die(g.die);
  FlashPort& port = ports_[d.channel];
  for (std::uint32_t i = 0; i < g.count; ++i) {
    FlashDescriptor& f = port.append();
    f.op = static_cast<std::uint8_t>(g.op);
    f.flags = i + 1 < g.count ? flash_flag::more : 0;
    f.chip = d.chip;
    state_->pool.expect_used(*g.item[i]);
    describe(*g.item[i], g.op, d.row_base, f);
  }
  posted_ |= std::uint64_t{1} << d.channel;
  board_->set_busy(d, g.count, g.op);
  count(g);
  probe_point<Watch::issues, &Dispatcher::show>(observer_ != nullptr, *this, g);
}

void Dispatcher::show(const Dispatcher& d, const Group& g) {
  for (std::uint32_t i = 0; i < g.count; ++i) d.observer_->on_issue(*g.item[i], d.now_ps_);
}

/// What one page's descriptor says that its group's does not.
inline void Dispatcher::describe(Transaction& t, FlashOp op, std::uint32_t row_base, FlashDescriptor& f) {
  const BlockTable& blocks = state_->blocks;
  if (blocks.slc_mode(t.ppn)) f.flags |= flash_flag::slc_mode;
  f.row = row_base | blocks.row_in_lun(t.ppn);
  f.buffer = t.buffer;
  f.sector_mask = t.flash_mask;
  f.cookie = t.index;
  if (op == FlashOp::program) {
    f.fence = t.fence;
    if (t.lost != 0 && cache_ == nullptr) mark_lost(f, t.lost);
    if (t.traits->own_page) {
      f.oob = t.owner->begin_program(t);
    } else if (cache_ != nullptr) {
      cache_->describe_words(t, f);
    } else {
      f.oob = state_->make_oob(t.lpn);
      t.stamp = static_cast<std::uint32_t>(state_->write_sequence);
    }
  } else {
    if (t.traits->to_host) f.flags |= flash_flag::for_host;
    f.fence = 0;
    f.oob = op == FlashOp::copyback ? row_base | blocks.row_in_lun(t.source) : 0;
  }
  if (cache_ != nullptr) cache_->describe(t, f);
  if (now_ps_ > t.queued_ps) t.die_wait_ps += now_ps_ - t.queued_ps;
}

/// The pages of a wordline, in one pass. What its transactions leave of it is padding: the last page's data
/// once more, which nobody looks for.
void Dispatcher::issue_pass(Group& g) {
  const CostTable& cost = state_->config.cost;
  state_->charge(g.count, cost.flash_submit + cost.allocate);
  commit_cached(g);
  FtlStatistics& s = state_->statistics;
  DieBoard& d = board_->die(g.die);
  FlashPort& port = ports_[d.channel];
  const auto begin = [&](std::uint32_t page) -> FlashDescriptor& {
    FlashDescriptor& f = port.append();
    f.op = static_cast<std::uint8_t>(FlashOp::program);
    f.flags = (page + 1) % cache_->fold() == 0 ? 0 : flash_flag::load;
    f.chip = d.chip;
    return f;
  };
  for (std::uint32_t i = 0; i < g.count; ++i)
    describe(*g.item[i], FlashOp::program, d.row_base, begin(g.slot[i].page));
  const Transaction& last = *g.item[g.count - 1];
  const Stream stream = last.traits->stream;
  PageSlot slot = g.slot[g.count - 1];
  std::uint32_t pages = g.count;
  for (; (slot.page + 1) % cache_->fold() != 0; ++pages) {
    ++slot.page;
    const Ppn ppn = state_->blocks.ppn(last.plane, slot.block, slot.page);
    cache_->pad(ppn);
    state_->policy.allocation->take(Placement{last.plane, stream, 0}, slot);
    FlashDescriptor& f = begin(slot.page);
    f.row = d.row_base | state_->blocks.row_in_lun(ppn);
    cache_->describe(last, f);
    f.fence = last.fence;
    f.cookie = state_->pool.padding_of(g.die);
    f.oob = kNoWord;
    ++s.programs_by_type[state_->blocks.order().type(slot.page)];
    ++s.pages_programmed[static_cast<std::uint32_t>(ProgramCause::gc)];
    state_->charge(1, cost.flash_submit);
  }
  ++s.cache.wordline_passes;
  s.program_pages += pages;
  posted_ |= std::uint64_t{1} << d.channel;
  board_->set_busy(d, pages, FlashOp::program);
  probe_point<Watch::issues, &Dispatcher::show>(observer_ != nullptr, *this, g);
}

/// The map changes when the page is handed out, not when it has been programmed: whoever reads the
/// LPN from now on queues for the same die and so behind this program.
void Dispatcher::commit(const Group& g) {
  FtlState& s = *state_;
  const OpTraits& kind = *g.item[0]->traits;
  if (kind.own_page) return commit_own(*g.item[0]);
  const Stream stream = kind.stream;
  const bool host = stream == Stream::host;
  Transaction* const* const end = g.item + g.count;
  const PageSlot* slot = g.slot;
  for (Transaction* const* item = g.item; item != end; ++item, ++slot) {
    Transaction& t = **item;
    t.ppn = s.blocks.ppn(t.plane, slot->block, slot->page);
    t.page_type = s.blocks.order().type(slot->page);
    ++s.statistics.programs_by_type[t.page_type];
    if (in_regions_) count_in_region(t, slot->block, host);
    const Ppn old = s.place(t.lpn, t.ppn, Placement{t.plane, stream, t.hint}, *slot);
    if (is_page(old)) collector_->consider(s.blocks.plane_of(old));
    collector_->consider(t.plane);
    if (!host) {
      if (s.lost.any()) take_losses(t);
      continue;
    }
    t.source = old;
    count_host_page(t);
    host_->placed(t);
  }
  if (host) return;
  if (g.op == FlashOp::copyback) count_copyback(*g.item[0]);
  const ProgramCause cause = collector_->for_wear(g.item[0]->plane) ? ProgramCause::wear : ProgramCause::gc;
  s.statistics.pages_programmed[static_cast<std::uint32_t>(cause)] += g.count;
  s.statistics.gc_pages_moved += g.count;
}

/// A move takes along which sectors are lost. Its word is newer than what else tells of them.
void Dispatcher::take_losses(Transaction& t) {
  t.lost = state_->lost.of(t.lpn);
  if (t.lost != 0) journal_->lost(t.lpn);
}

/// Its page has been handed out, and the map knows nothing of it.
void Dispatcher::commit_own(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  ++s.programs_by_type[t.page_type];
  ++s.pages_programmed[static_cast<std::uint32_t>(t.traits->cause)];
}

/// Several regions: who has taken the page.
void Dispatcher::count_in_region(const Transaction& t, std::uint32_t block, bool host) {
  RegionCounters& r = state_->statistics.regions[state_->blocks.block(t.plane, block).region];
  ++(host ? r.host_pages : r.moved_pages);
  if (host) state_->policy.regions->host_page(t.hint, t.lpn);
}

inline void Dispatcher::count_host_page(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  const ProgramCause cause = t.mask == state_->full_mask ? ProgramCause::host
                             : t.mask != 0               ? ProgramCause::partial_rmw
                                                         : t.rewrite_cause;
  ++s.pages_programmed[static_cast<std::uint32_t>(cause)];
  if (t.hint == kAnyPage) return;
  ++s.type_wanted[t.hint - 1];
  s.type_granted[t.hint - 1] += t.hint - 1 == t.page_type ? 1 : 0;
}

/// Instead of count(), whose programs are the path of every page.
void Dispatcher::count_copyback(const Transaction& t) {
  FtlStatistics& s = state_->statistics;
  state_->copybacks.moved(t.source, t.ppn);
  ++s.gc_copybacks;
  ++s.program_pages;
  ++s.gc_program_pages;
}

void Dispatcher::count(const Group& g) {
  FtlStatistics& s = state_->statistics;
  const bool multi = g.count > 1;
  switch (g.op) {
    case FlashOp::read:
      s.read_pages += g.count;
      s.read_multi_commands += multi ? 1 : 0;
      s.read_multi_pages += multi ? g.count : 0;
      if (!g.item[0]->traits->counts_as_move) break;
      s.gc_read_pages += g.count;
      s.gc_read_multi_pages += multi ? g.count : 0;
      break;
    case FlashOp::program:
      s.program_pages += g.count;
      s.program_multi_commands += multi ? 1 : 0;
      s.program_multi_pages += multi ? g.count : 0;
      if (!g.item[0]->traits->counts_as_move) break;
      s.gc_program_pages += g.count;
      s.gc_program_multi_pages += multi ? g.count : 0;
      break;
    case FlashOp::erase:
      s.erase_blocks += g.count;
      s.erase_multi_commands += multi ? 1 : 0;
      s.erase_multi_blocks += multi ? g.count : 0;
      break;
    case FlashOp::reset:
    case FlashOp::read_id:
    case FlashOp::read_parameter_page:
    case FlashOp::get_features:
    case FlashOp::set_features:
    case FlashOp::copyback: // count_copyback()
      break;
  }
}

/// Writes of class c wait until the die has made space. Untimed writes may have left its planes short of it
/// and collection to the write that comes next, which is this one.
void Dispatcher::no_space(std::uint32_t die, std::uint32_t c) {
  if (board_->writes(c).empty()) return; // nobody was refused: all that waited do something else first
  board_->block_writes(die, c);
  for (std::uint32_t p = die * planes_per_die_; p < (die + 1) * planes_per_die_; ++p) {
    if (collector_->victim(p) == kNoBlock) collector_->consider(p);
  }
}

} // namespace twinplane::fw
