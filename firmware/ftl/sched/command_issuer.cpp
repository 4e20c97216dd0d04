#include "firmware/ftl/sched/command_issuer.h"

#include "firmware/ftl/sched/issue_probe.h"

namespace twinplane::fw {

namespace {

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
  passes_ = state.config.pass_pages != 1;
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
  program&& g.slot[0].pass != 1 ? append_pass(g) : append(g);
  probe_point<Watch::issues, &CommandIssuer::show>(observer_ != nullptr, *this, g);
}

inline FlashDescriptor& CommandIssuer::append(const DieQueue& d, FlashOp op, std::uint8_t flags) {
  FlashDescriptor& f = ports_[d.channel].append();
  f.op = static_cast<std::uint8_t>(op);
  f.flags = flags;
  f.chip = d.chip;
  return f;
}

/// A descriptor for each page.
inline void CommandIssuer::append(const CommandGroup& g) {
  const DieQueue& d = board_->die(g.die);
  for (std::uint32_t i = 0; i < g.count; ++i) {
    if (passes_) g.item[i]->follows = false;
    append_page(g, d, i, i + 1 < g.count ? flash_flag::more : 0);
  }
  posted(g, g.count);
  count(state_->statistics, g);
}

inline void CommandIssuer::append_page(const CommandGroup& g, const DieQueue& d, std::uint32_t i,
                                       std::uint8_t flags) {
  state_->pool.expect_used(*g.item[i]);
  describe(*g.item[i], g.op, d.row_base, append(d, g.op, flags));
}

/// The pages of a wordline of each plane: those of one type, then those of the next. What the group leaves of them is
/// padding.
[[gnu::noinline]] void CommandIssuer::append_pass(const CommandGroup& g) {
  std::uint32_t first[kMaxPlanesPerDie + 1]; // items, by plane
  std::uint32_t planes = 0;
  for (std::uint32_t i = 0; i < g.count; ++i) {
    g.item[i]->follows = i != 0 && g.item[i]->plane == g.item[i - 1]->plane;
    if (!g.item[i]->follows) first[planes++] = i;
  }
  first[planes] = g.count;
  const std::uint32_t pages = g.slot[0].pass - g.slot[0].page % g.slot[0].pass;
  for (std::uint32_t page = 0; page < pages; ++page) {
    for (std::uint32_t p = 0; p < planes; ++p) {
      const std::uint32_t count = first[p + 1] - first[p];
      const auto flags = static_cast<std::uint8_t>((page + 1 < pages ? flash_flag::load : 0) |
                                                   (p + 1 < planes ? flash_flag::more : 0));
      if (page < count) {
        append_page(g, board_->die(g.die), first[p] + page, flags);
      } else {
        append_padding(g, first[p + 1] - 1, page + 1 - count, flags);
      }
    }
  }
  FtlStatistics& s = state_->statistics;
  if (g.kind().counts_as_move) {
    s.gc_program_pages += g.count;
    s.gc_program_multi_pages += planes > 1 ? g.count : 0;
  }
  s.padded_pages += planes * pages - g.count;
  s.wordline_passes += planes;
  s.program_pages += planes * pages;
  s.program_multi_commands += planes > 1 ? 1 : 0;
  s.program_multi_pages += planes > 1 ? planes * pages : 0;
  posted(g, planes);
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

/// A page of the wordline of item `last`, so many pages behind that: its data once more, which no map names.
void CommandIssuer::append_padding(const CommandGroup& g, std::uint32_t last, std::uint32_t behind,
                                   std::uint8_t flags) {
  FtlStatistics& s = state_->statistics;
  const DieQueue& d = board_->die(g.die);
  const Transaction& t = *g.item[last];
  PageSlot slot = g.slot[last];
  slot.page += behind;
  if (!t.traits->own_page)
    state_->consume_page_unmapped(Placement{t.plane, t.traits->stream, kAnyPage}, slot);
  FlashDescriptor& f = append(d, g.op, flags);
  f.row = d.row_base | state_->blocks.row_in_lun(state_->blocks.ppn(t.plane, slot.block, slot.page));
  f.buffer = t.buffer;
  f.sector_mask = t.flash_mask;
  if (units_ != nullptr) units_->io.describe(t, f);
  f.fence = t.fence;
  f.cookie = state_->pool.padding_of(g.die);
  f.oob = units_ != nullptr ? kNoWord : state_->make_oob(kNoLpn);
  ++s.programs_by_type[state_->blocks.order().type(slot.page)];
  ++s.pages_programmed[static_cast<std::uint32_t>(ProgramCause::padding)];
  state_->charge(1, state_->config.cost.flash_submit);
}

} // namespace twinplane::fw
