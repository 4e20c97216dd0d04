// Lower pages: wordlines that are completed with padding.
//
// A write to the block of a page whose wordline is incomplete completes it. So padding waits with the erases of
// its die, behind all that is to be programmed there (Dispatcher::before_padding), and gets its page only
// when its turn has come. It is never in the way of collection: what a victim's pages need is there whatever
// the host's frontier loses (padding_pages(), torn_reserve_pages()).
//
// What a write buffer writes back lingers on its wordline until something waits: a flush, a request for a slot of
// the buffer, a trim of the same page, or a block that is not erased because of the pages that it replaces.
//
// After a cut a page on an incomplete wordline is what the host will see, though it was not promised. So recovery
// completes wordlines as well before the host is let in, and nothing is erased until then.
#include <utility>

#include "firmware/ftl/features/lower_pages/lower_pages.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

namespace {

class WordlinePadding final : public LowerPages {
 public:
  const char* reserve(BootMemory& memory, FtlState& state) override {
    const BlockTable& blocks = state.blocks;
    reserve_sites(memory, state);
    most_waiting_ =
        WordlineProgress::most_in_danger(state.config, blocks.order()) * blocks.geometry().planes();
    orphans_ = memory.zeroed<std::uint8_t>(std::size_t{blocks.sites()} * blocks.blocks_per_plane());
    refused_ = memory.zeroed<std::uint8_t>(site_count_);
    return nullptr;
  }
  void run() override {
    for (std::uint32_t site = 0; site < site_count_; ++site) advance(site);
  }
  bool may_erase(std::uint32_t, std::uint32_t) override { return all_protected(); }
  bool adopt(std::uint32_t site, std::uint32_t block) override {
    if (state_->blocks.mode(state_->blocks.unit(site, block).region) != PageMode::all) return false;
    orphans_[site * state_->blocks.blocks_per_plane() + block] = 1;
    return true;
  }
  bool place(Transaction& padding) override;
  /// Of units: none.
  std::uint64_t begin_program(Transaction& t) override {
    return state_->units == nullptr ? state_->stamp_word(t) : kNoWord;
  }

 private:
  static const OpTraits kPadding;

  void begins_to_wait(Transaction& t) override {
    if (moves(t)) collector_->waits_for_wordline(t);
    set_programmed(t, true);
  }
  void has_waited(Transaction& t) override {
    if (moves(t)) collector_->wordline_complete(t);
  }
  /// Any program of the site may have completed a wordline, also while padding waits for its turn.
  void advance(std::uint32_t site) override {
    end_complete(site);
    LowerPages::advance(site);
  }
  bool next_step(std::uint32_t site) override;
  Ppn next_to_complete(std::uint32_t site);
  /// Sectors that the host makes unreadable go around the write buffer.
  bool answers_requests(const Transaction& t) const {
    bool any = t.request != nullptr;
    if (state_->units == nullptr) return any;
    for (const Transaction* r = state_->units->io.rider(t); r != nullptr; r = state_->units->io.rider(*r))
      any = any || r->request != nullptr;
    return any;
  }
  static bool moves(const Transaction& t) { return t.traits->stream == Stream::relocation; }
  bool may_linger(const Transaction& t) const {
    return !moves(t) && !answers_requests(t) && !resting_ && !host_->waits_for_programs() &&
           !collector_->erase_waits_for_writes();
  }
  /// Other moves of its collection are under way, and will complete its wordline or end. Padding between them would
  /// take more than the collection gains.
  bool goes_on(const Transaction& t) const {
    return moves(t) && collector_->jobs.of_page(t.home).moving != 0;
  }
  void use_up_orphans(std::uint32_t site);
  [[nodiscard]] bool orphan_page(std::uint32_t site, std::uint32_t block, Placement& where,
                                 PageSlot& slot) const;
  [[nodiscard]] bool open_page(std::uint32_t site, std::uint32_t block, Placement& where,
                               PageSlot& slot) const;
  void pad_done(Transaction& t, const FlashCompletion& c);

  std::uint8_t* orphans_ = nullptr; // by site and block: adopt()
  std::uint8_t* refused_ = nullptr; // by site: padding has been, by the space rule
};

constexpr OpTraits WordlinePadding::kPadding =
    OpTraits{"padding of a wordline", ends_in<WordlinePadding, &WordlinePadding::pad_done>,
             FlashOp::program,        Lane::erase,
             WorkFor::upkeep,         WorkOrigin::collection,
             Stream::relocation,      ProgramCause::padding}
        .with(&OpTraits::own_page, &OpTraits::late_page, &OpTraits::page_as_it_is);

bool WordlinePadding::next_step(std::uint32_t site) {
  const Ppn page = next_to_complete(site);
  if (!is_page(page)) return false;
  if (refused_[site] != 0 && board_->anything_under_way()) return false; // run() looks again
  send(site, kPadding, page);
  return false;
}

/// A page whose wordline is to be completed now. Where the rest of it has been handed out that is being done.
Ppn WordlinePadding::next_to_complete(std::uint32_t site) {
  for (const Transaction* t = sites_[site].waiting.front(); t != nullptr; t = t->next) {
    if (progress.lacks_pages(t->ppn) && !may_linger(*t) && !goes_on(*t)) return t->ppn;
  }
  if (!sites_[site].unprotected) return kNoPpn;
  const Ppn page = next_unprotected(site, Lacks::pages);
  if (is_page(page)) return page;
  if (is_page(next_unprotected(site, Lacks::any))) return kNoPpn;
  use_up_orphans(site);
  set_protected(site);
  return kNoPpn;
}

/// What is left of them counts as invalid pages.
void WordlinePadding::use_up_orphans(std::uint32_t site) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t first = blocks.first_plane_of(site);
  for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
    if (std::exchange(orphans_[site * blocks.blocks_per_plane() + block], std::uint8_t{0}) == 0) continue;
    for (std::uint32_t plane = first; plane < first + blocks.twins(); ++plane) {
      for (std::uint32_t n = blocks.block(plane, block).written; n < blocks.pages_per_block(); ++n)
        blocks.take_page(plane, block, n);
      progress.complete_up_to(plane, block, blocks.order().wordlines());
    }
  }
}

/// The next page of a block that a frontier goes on in.
bool WordlinePadding::open_page(std::uint32_t site, std::uint32_t block, Placement& where,
                                PageSlot& slot) const {
  BlockAllocation& allocation = *state_->policy.allocation;
  const BlockTable& blocks = state_->blocks;
  for (const Placement& frontier :
       {Placement{0, Stream::relocation, kAnyPage}, Placement{0, Stream::host, kAnyPage},
        Placement{0, Stream::host, kHotPage}}) {
    where = frontier;
    where.plane = blocks.first_plane_of(site);
    if (blocks.twins() != 1) where.plane += allocation.next_plane(site, where.stream, where.hint);
    if (allocation.goes_on(where, slot) && slot.block == block) return true;
  }
  return false;
}

/// The next page of a block in which no writes go on, on the plane that has written least of the unit.
bool WordlinePadding::orphan_page(std::uint32_t site, std::uint32_t block, Placement& where,
                                  PageSlot& slot) const {
  const BlockTable& blocks = state_->blocks;
  if (orphans_[site * blocks.blocks_per_plane() + block] == 0) return false;
  const std::uint32_t first = blocks.first_plane_of(site);
  where.plane = first;
  for (std::uint32_t plane = first; plane < first + blocks.twins(); ++plane) {
    if (blocks.block(plane, block).written < blocks.block(where.plane, block).written) where.plane = plane;
  }
  slot = PageSlot{block, blocks.block(where.plane, block).written};
  return slot.page != blocks.pages_per_block();
}

/// False: it is not needed any more, or has to wait.
bool WordlinePadding::place(Transaction& padding) {
  const std::uint32_t site = state_->blocks.site_of(padding.plane);
  sites_[site].busy = false;
  refused_[site] = 0;
  const Ppn page = next_to_complete(site);
  if (!is_page(page)) return false;
  const std::uint32_t block = state_->blocks.block_of(page);
  Placement where;
  PageSlot slot;
  if (open_page(site, block, where, slot)) {
    PageSlot named;
    // where nothing is under way nothing makes space
    if (where.stream == Stream::host && !sites_[site].unprotected && board_->anything_under_way() &&
        !(state_->policy.allocation->peek(where, collector_->jobs.victim(where.plane), named) &&
          named.block == block)) {
      refused_[site] = 1;
      return false;
    }
    state_->consume_page_unmapped(where, slot);
  } else if (orphan_page(site, block, where, slot)) {
    state_->blocks.take_page(where.plane, slot.block, slot.page);
  } else {
    state_->hal->panic("a wordline that cannot be completed");
  }
  sites_[site].busy = true;
  padding.plane = where.plane;
  padding.ppn = state_->blocks.ppn(where.plane, slot.block, slot.page);
  padding.page_type = state_->blocks.order().type(slot.page);
  return true;
}

void WordlinePadding::pad_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = complete(t, c);
  progress.programmed(t.ppn);
  if (c.result != 0) state_->policy.allocation->revoke(t.plane);
  advance(site);
}

} // namespace

LowerPages* make_padding(BootMemory& memory) {
  return memory.make<WordlinePadding>();
}

} // namespace twinplane::fw
