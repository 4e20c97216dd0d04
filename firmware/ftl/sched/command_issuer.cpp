#include "firmware/ftl/sched/command_issuer.h"

#include "firmware/ftl/sched/issue_probe.h"

namespace twinplane::fw {

namespace {

/// Of a page that is programmed together with others: the last one of the pass begins the program.
std::uint8_t load_flag(const PageSlot& slot) {
  return (slot.page + 1) % slot.pass == 0 ? 0 : flash_flag::load;
}

/// Of every command but copybacks, which MapCommit counts, and passes.
void count(FtlStatistics& s, const CommandGroup& g) {
  const bool multi = g.count > 1;
  const bool moves = g.kind().counts_as_move;
  if (g.op == FlashOp::read) {
    s.read_pages += g.count;
    s.read_multi_commands += multi ? 1 : 0;
    s.read_multi_pages += multi ? g.count : 0;
    if (!moves) return;
    s.gc_read_pages += g.count;
    s.gc_read_multi_pages += multi ? g.count : 0;
  } else if (g.op == FlashOp::program) {
    s.program_pages += g.count;
    s.program_multi_commands += multi ? 1 : 0;
    s.program_multi_pages += multi ? g.count : 0;
    if (!moves) return;
    s.gc_program_pages += g.count;
    s.gc_program_multi_pages += multi ? g.count : 0;
  } else if (g.op == FlashOp::erase) {
    s.erase_blocks += g.count;
    s.erase_multi_commands += multi ? 1 : 0;
    s.erase_multi_blocks += multi ? g.count : 0;
  }
}

} // namespace

void CommandIssuer::boot(FtlState& state, DieQueues& board, const GroupRules& rules, FlashPort* ports) {
  state_ = &state;
  board_ = &board;
  rules_ = &rules;
  ports_ = ports;
  units_ = state.units;
}

void CommandIssuer::kick() {
  if (posted_ != 0)
    probe_point<Watch::planes, &CommandIssuer::tell_doorbells>(state_->probe != nullptr, *this, *state_);
  for (; posted_ != 0; posted_ &= posted_ - 1) ports_[lowest_bit(posted_)].kick();
}

void CommandIssuer::tell_doorbells(const CommandIssuer& issuer, const FtlState& state) {
  state.probe->on_doorbells(issuer.posted_, state.hal->now_ps());
}
void CommandIssuer::tell(const CommandIssuer& issuer, const CommandGroup& g) {
  const FtlState& state = *issuer.state_;
  state.probe->on_issue(issued_work(state, *issuer.board_, *issuer.rules_, g));
}
void CommandIssuer::show(const CommandIssuer& issuer, const CommandGroup& g) {
  for (std::uint32_t i = 0; i < g.count; ++i) issuer.observer_->on_issue(*g.item[i], issuer.now_ps_);
}

void CommandIssuer::issue(CommandGroup& g) {
  const WorkMark mark(g.kind().account);
  probe_point<Watch::planes, &CommandIssuer::tell>(state_->probe != nullptr, *this, g);
  const CostTable& cost = state_->config.cost;
  const bool program = g.op == FlashOp::program || g.op == FlashOp::copyback;
  state_->charge(g.count, cost.flash_submit + (program ? cost.allocate : 0));
  if (program) map.commit(g);
  program&& g.slot[0].pass != 1 ? append<true>(g) : append<false>(g);
  probe_point<Watch::issues, &CommandIssuer::show>(observer_ != nullptr, *this, g);
}

/// A descriptor for each page; `kPass`: of pages of a block that are programmed together. A template, as it is the path
/// of every page.
template <bool kPass>
inline void CommandIssuer::append(const CommandGroup& g) {
  const DieQueue& d = board_->die(g.die);
  FlashPort& port = ports_[d.channel];
  for (std::uint32_t i = 0; i < g.count; ++i) {
    FlashDescriptor& f = port.append();
    f.op = static_cast<std::uint8_t>(g.op);
    f.flags = kPass ? load_flag(g.slot[i]) : i + 1 < g.count ? flash_flag::more : 0;
    f.chip = d.chip;
    state_->pool.expect_used(*g.item[i]);
    describe(*g.item[i], g.op, d.row_base, f);
  }
  if (kPass) return pad_pass(g);
  posted(g, g.count);
  count(state_->statistics, g);
}

inline void CommandIssuer::posted(const CommandGroup& g, std::uint32_t operations) {
  DieQueue& d = board_->die(g.die);
  posted_ |= std::uint64_t{1} << d.channel;
  board_->set_busy(d, operations, g.op);
}

/// What one page's descriptor says that its group's does not.
inline void CommandIssuer::describe(Transaction& t, FlashOp op, std::uint32_t row_base, FlashDescriptor& f) {
  const BlockTable& blocks = state_->blocks;
  if (blocks.slc_mode(t.ppn)) f.flags |= flash_flag::slc_mode;
  f.row = row_base | blocks.row_in_lun(t.ppn);
  f.buffer = t.buffer;
  f.sector_mask = t.flash_mask;
  f.cookie = t.index;
  if (op == FlashOp::program) {
    f.fence = t.fence;
    if (t.lost != 0 && units_ == nullptr) mark_lost(f, t.lost);
    if (t.traits->own_page) {
      f.oob = t.owner->begin_program(t);
    } else if (units_ != nullptr) {
      units_->io.describe_words(t, f);
    } else {
      f.oob = state_->stamp_word(t);
    }
  } else {
    if (t.traits->to_host) f.flags |= flash_flag::for_host;
    f.fence = 0;
    f.oob = 0;
    if (op == FlashOp::copyback) {
      f.buffer = row_base | blocks.row_in_lun(t.source);
      f.oob = state_->stamp_word(t);
    }
  }
  if (units_ != nullptr) describe_units(t, f);
  if (now_ps_ > t.queued_ps) t.die_wait_ps += now_ps_ - t.queued_ps;
}

/// The page waits for the data of all that is programmed there.
void CommandIssuer::describe_units(const Transaction& t, FlashDescriptor& f) {
  units_->io.describe(t, f);
  if (!t.traits->by_unit) return;
  for (Transaction* rider = units_->io.rider(t); rider != nullptr; rider = units_->io.rider(*rider)) {
    const bool later = rider->fence != 0 && (f.fence == 0 || HostPort::reached(rider->fence, f.fence));
    if (later) f.fence = rider->fence;
    if (now_ps_ > rider->queued_ps) rider->die_wait_ps += now_ps_ - rider->queued_ps;
  }
}

/// What the group leaves of its pass is padding: the last page's data once more, which no map names.
void CommandIssuer::pad_pass(const CommandGroup& g) {
  FtlStatistics& s = state_->statistics;
  const DieQueue& d = board_->die(g.die);
  const Transaction& last = *g.item[g.count - 1];
  PageSlot slot = g.slot[g.count - 1];
  std::uint32_t pages = g.count;
  const bool cached = state_->blocks.regions() != 1 && units_ != nullptr;
  const ProgramCause cause = cached ? ProgramCause::gc : ProgramCause::padding;
  for (; load_flag(slot) != 0; ++pages) {
    ++slot.page;
    if (!last.traits->own_page)
      state_->consume_page_unmapped(Placement{last.plane, last.traits->stream, kAnyPage}, slot);
    FlashDescriptor& f = ports_[d.channel].append();
    f.op = static_cast<std::uint8_t>(g.op);
    f.flags = load_flag(slot);
    f.chip = d.chip;
    f.row = d.row_base | state_->blocks.row_in_lun(state_->blocks.ppn(last.plane, slot.block, slot.page));
    f.buffer = last.buffer;
    f.sector_mask = last.flash_mask;
    if (units_ != nullptr) units_->io.describe(last, f);
    f.fence = last.fence;
    f.cookie = state_->pool.padding_of(g.die);
    f.oob = units_ != nullptr ? kNoWord : state_->make_oob(kNoLpn);
    ++s.programs_by_type[state_->blocks.order().type(slot.page)];
    ++s.pages_programmed[static_cast<std::uint32_t>(cause)];
    state_->charge(1, state_->config.cost.flash_submit);
  }
  if (last.is_move()) s.gc_program_pages += g.count;
  s.padded_pages += pages - g.count;
  ++s.wordline_passes;
  s.program_pages += pages;
  posted(g, pages);
}

} // namespace twinplane::fw
