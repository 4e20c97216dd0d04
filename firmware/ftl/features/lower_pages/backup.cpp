// Lower pages: a copy of each in SLC mode.
//
// When a lower page has been programmed its data, still in the buffer, are programmed in SLC mode, where a program
// endangers nothing but itself, into units of their own, with the same word. Only then the write is answered, or a
// move counts as done. Where the wordline has been completed by then there is no copy. A copy counts until the
// wordline is complete or the page's block is erased; what does is copied on before its unit is erased. What a
// copyback has moved is not in the buffer, and is read for its copy.
//
// Recovery maps an LPN to its copy where the page cannot be read, and before the host is let in has these
// pages written again (PageRewriter) and copies made of lower pages that have none: those that had not
// been answered. So an upper page is never programmed over the only copy of what has been promised, or seen.
#include <utility>

#include "firmware/ftl/features/lower_pages/lower_pages.h"

namespace twinplane::fw {

namespace {

class LowerPageCopies final : public LowerPages {
 public:
  const char* reserve(BootMemory& memory, FtlState& state) override {
    reserve_sites(memory, state);
    steps_ = memory.array<Copying>(site_count_);
    const std::uint32_t danger = WordlineProgress::most_in_danger(state.config, state.blocks.order());
    if (copies.reserve(memory, state, progress, danger * state.blocks.twins())) return nullptr;
    return "ftl.lower_pages: too few good blocks per plane for copies of lower pages: more "
           "geometry.blocks_per_plane, power.hold_up, or none";
  }
  void run() override;
  std::uint64_t begin_program(Transaction& t) override { return FtlState::oob_of(t.stamp, t.lpn); }
  void serialise(StateVisitor& visitor) override {
    LowerPages::serialise(visitor);
    copies.serialise(visitor);
  }

  bool owns(std::uint32_t site, std::uint32_t block) const override { return copies.is_ours(site, block); }
  void scanned(Ppn page, std::uint64_t oob) override { copies.found(page, oob); }
  void found_bad(std::uint32_t site, std::uint32_t block) override { copies.found_bad(site, block); }
  bool next_repair(std::size_t& at, Version& version) const override {
    CopyUnits::Copy copy;
    if (!copies.next(at, copy, version.page)) return false;
    version.lpn = copy.lpn;
    version.stamp = copy.stamp;
    return true;
  }
  void rebuilt(const std::uint32_t* stamp_of) override { copies.recovered(stamp_of); }
  std::uint32_t next_rescued(std::size_t& at) const override { return copies.next_rescued(at); }

 private:
  static const OpTraits kRead;
  static const OpTraits kCopy;
  static const OpTraits kErase;

  struct Copying {
    Transaction* parent = nullptr;             // whose copy is being programmed; none: it is copied on
    std::uint32_t victim = CopyUnits::kNoUnit; // whose copies are being copied on
    CopyUnits::Copy copy;                      // that is being programmed
    Ppn source = kNoPpn;                       // where it is read
  };

  bool next_step(std::uint32_t site) override;
  bool site_idle(std::uint32_t site) const override {
    return LowerPages::site_idle(site) && steps_[site].victim == CopyUnits::kNoUnit;
  }
  [[nodiscard]] bool choose_victim(std::uint32_t site) {
    steps_[site].victim = copies.choose_victim(site);
    const bool found = steps_[site].victim != CopyUnits::kNoUnit;
    lacks_space_ = lacks_space_ || (!found && !sites_[site].waiting.empty());
    return found;
  }
  void protect_no_more();
  void copy_on(std::uint32_t site);
  void read(std::uint32_t site, Ppn page, const CopyUnits::Copy& as);
  void program(std::uint32_t site, std::uint32_t buffer, std::uint32_t lost);
  void erase(std::uint32_t site);
  void read_done(Transaction& t, const FlashCompletion& c);
  void take_read(std::uint32_t site, Transaction& t, const FlashCompletion& c);
  void copy_done(Transaction& t, const FlashCompletion& c);
  void end_copy(std::uint32_t site, Transaction& t, bool good);
  void erase_done(Transaction& t, const FlashCompletion& c);
  void end_unit(std::uint32_t site, Transaction& t);

  Copying* steps_ = nullptr;     // by site
  bool waits_for_reads_ = false; // of a unit that is to be erased
  bool lacks_space_ = false;     // for a copy that a write waits for, at some site
};

constexpr OpTraits LowerPageCopies::kRead{"read of a lower page",
                                          ends_in<LowerPageCopies, &LowerPageCopies::read_done>};
constexpr OpTraits LowerPageCopies::kCopy =
    OpTraits{"copy of a lower page", ends_in<LowerPageCopies, &LowerPageCopies::copy_done>,
             FlashOp::program,       Lane::erase,
             WorkFor::upkeep,        WorkOrigin::collection,
             Stream::relocation,     ProgramCause::backup}
        .with(&OpTraits::own_page, &OpTraits::urgent);
constexpr OpTraits LowerPageCopies::kErase =
    OpTraits{"erase of copies", ends_in<LowerPageCopies, &LowerPageCopies::erase_done>, FlashOp::erase,
             Lane::erase}
        .with(&OpTraits::urgent);

/// Wherever a drive has become read-only, no site protects pages any more. Programs of copies that have failed may have
/// used up the units that are kept erased: then wordlines have to be complete before copies need not be copied on, and
/// nothing completes them when nothing is under way.
void LowerPageCopies::run() {
  if (!waits_for_reads_ && !lacks_space_ && !state_->read_only()) return;
  const bool lacked = lacks_space_;
  waits_for_reads_ = lacks_space_ = false;
  for (std::uint32_t site = 0; site < site_count_; ++site) {
    if (lacked || state_->read_only() || steps_[site].victim != CopyUnits::kNoUnit) advance(site);
  }
  if (!lacks_space_ || board_->anything_under_way()) return;
  for (std::uint32_t site = 0; site < site_count_; ++site) {
    if (sites_[site].busy) return;
  }
  protect_no_more();
  for (std::uint32_t site = 0; site < site_count_; ++site) advance(site);
}

void LowerPageCopies::protect_no_more() {
  state_->statistics.read_only = true;
  state_->sink->on_wear();
  state_->durability->table_changed();
}

bool LowerPageCopies::next_step(std::uint32_t site) {
  Site& s = sites_[site];
  end_complete(site);
  if (steps_[site].victim != CopyUnits::kNoUnit) {
    copy_on(site);
    return false;
  }
  if (s.waiting.empty() && !s.unprotected) return purges_ && choose_victim(site);
  if (!copies.has_head(site, 2)) return choose_victim(site);
  if (!s.waiting.empty()) {
    Transaction& t = s.waiting.pop();
    steps_[site].parent = &t;
    const CopyUnits::Copy copy = copies.copy_for(t.ppn, t.lpn, t.stamp);
    if (t.copies()) {
      read(site, t.ppn, copy);
      return false;
    }
    steps_[site].copy = copy;
    program(site, t.buffer, t.lost);
    return false;
  }
  const Ppn page = next_unprotected(site, Lacks::any);
  if (is_page(page)) {
    read(site, page, copies.copy_for(page, kNoLpn, 0));
    return false;
  }
  set_protected(site);
  return true;
}

/// The next copy of the victim that counts; behind the last one it is erased.
void LowerPageCopies::copy_on(std::uint32_t site) {
  std::uint32_t& victim = steps_[site].victim;
  const Ppn page = copies.next_counting(site, victim);
  if (!is_page(page)) {
    erase(site);
  } else if (copies.has_head(site, 1)) {
    read(site, page, copies.at(page));
  } else {
    victim = CopyUnits::kNoUnit;
    lacks_space_ = true;
  }
}

void LowerPageCopies::read(std::uint32_t site, Ppn page, const CopyUnits::Copy& as) {
  steps_[site].source = page;
  steps_[site].copy = as;
  send(site, kRead, page);
}

void LowerPageCopies::read_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = complete(t, c);
  take_read(site, t, c);
  advance(site);
}

/// A copy that cannot be read does not count: its page gets another one. Where there is none it is copied on,
/// and so is a page, with the sectors that cannot be read as lost ones.
void LowerPageCopies::take_read(std::uint32_t site, Transaction& t, const FlashCompletion& c) {
  CopyUnits::Copy& copy = steps_[site].copy;
  const bool ours = copies.is_ours(t.ppn);
  const bool again = ours && is_page(copy.page); // from the page
  if (c.result == 0 || (!again && oob_lpn(c.oob) < state_->exported_pages)) {
    copy.lpn = oob_lpn(c.oob);
    copy.stamp = static_cast<std::uint32_t>(c.oob >> 32);
    return program(site, t.buffer, failed_sectors(c, state_->full_mask));
  }
  if (!ours) return program(site, t.buffer, 0); // of no LPN, so that it is not looked at again
  if (again) {
    set_unprotected(site);
  } else if (state_->policy.mapping->lookup(copy.lpn) == t.ppn) {
    TouchedPlanes touched;
    state_->map.lose(copy.lpn, AddressMap::kWholePage, touched);
    state_->hooks.unreadable(copy.lpn);
  }
  copies.at(t.ppn) = CopyUnits::Copy();
}

void LowerPageCopies::program(std::uint32_t site, std::uint32_t buffer, std::uint32_t lost) {
  Transaction& t = send(site, kCopy, copies.take_page(site));
  t.buffer = buffer;
  t.lost = lost;
  t.lpn = steps_[site].copy.lpn;
  t.stamp = steps_[site].copy.stamp;
}

void LowerPageCopies::copy_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = complete(t, c);
  end_copy(site, t, c.result == 0);
  advance(site);
}

/// A program whose copy has failed waits for another one, and the unit is not written any more.
void LowerPageCopies::end_copy(std::uint32_t site, Transaction& t, bool good) {
  const Copying& s = steps_[site];
  Transaction* const parent = std::exchange(steps_[site].parent, nullptr);
  if (!good) {
    copies.close_head(site);
    if (parent != nullptr) sites_[site].waiting.push(*parent);
    return;
  }
  copies.at(t.ppn) = s.copy;
  if (parent != nullptr) return end(*parent);
  if (!copies.is_ours(s.source)) return;
  ++state_->statistics.backups_copied_on;
  if (state_->policy.mapping->lookup(s.copy.lpn) == s.source) state_->put_back(s.copy.lpn, t.ppn);
  state_->pool.inherit(s.source, t.ppn);
  copies.at(s.source) = CopyUnits::Copy();
}

void LowerPageCopies::erase(std::uint32_t site) {
  const Ppn block = copies.begin_erase(site, steps_[site].victim);
  if (is_page(block)) {
    send(site, kErase, block);
  } else {
    waits_for_reads_ = true;
  }
}

void LowerPageCopies::erase_done(Transaction& t, const FlashCompletion& c) {
  const std::uint32_t site = complete(t, c);
  end_unit(site, t);
  advance(site);
}

/// Its blocks one by one; behind the last one the unit may be written again, or is lost as a whole. With too few of
/// them lower pages cannot be protected any more: then nothing must be written.
void LowerPageCopies::end_unit(std::uint32_t site, Transaction& t) {
  const std::uint32_t u = steps_[site].victim;
  std::uint32_t block = 0;
  ++state_->statistics.backup_blocks_erased;
  if (!copies.block_erased(site, u, block)) return erase(site);
  steps_[site].victim = CopyUnits::kNoUnit;
  if (state_->hooks.unit_erased(site, block) == BlockState::free) {
    copies.set_aside(site, u);
  } else if (!copies.lose(site, u)) {
    protect_no_more();
  }
  board_->unblock_writes(t.die);
}

} // namespace

LowerPages* make_copies(BootMemory& memory) {
  return memory.make<LowerPageCopies>();
}

} // namespace twinplane::fw
