// The map of a drive whose words are of pages: LPN and stamp. With a checkpoint it begins with the checkpoint's
// map, and copies of lower pages stand in for pages that cannot be read.
#include "firmware/ftl/recovery/found_map.h"
#include "firmware/ftl/recovery/slices.h"

namespace twinplane::fw {
namespace {

/// Pages of equal content that a copyback has made. Of two the map has to name the copy, or collection that was under
/// way would not find the space that it had: what it had moved would lie in the victim again. Which of two full
/// blocks the victim is cannot be seen from their pages. But the victim's other valid pages are as many at most as
/// there are free pages for them, so whichever block has fewer of its own may be taken for it. A block that is not
/// full holds the copies, for it could not be collected (but by page-type allocation).
class DuplicateCopies : private RecoveryPart {
 public:
  /// A victim of each site may have been moved in part.
  DuplicateCopies(BootMemory& memory, const RecoveryPart& part)
      : RecoveryPart(part),
        most_(state_.config.copybacks == 0 ? 0 : blocks_.sites() * blocks_.unit_pages()),
        copies_(most_ == 0 ? nullptr : memory.zeroed<DuplicateCopy>(most_)) {}

  /// `other` has the LPN and the stamp of a page that the map names.
  void note(std::uint32_t lpn, std::uint32_t stamp, Ppn other) {
    if (count_ != most_) copies_[count_++] = {lpn, stamp, other};
  }
  /// All valid pages are known. `stamps`: by LPN, of the page that the map names.
  void choose(const std::uint32_t* stamps) {
    Mapping& mapping = *state_.policy.mapping;
    const auto is_duplicate = [&](const DuplicateCopy& d) {
      const Ppn named = mapping.lookup(d.lpn);
      return is_page(named) && named != d.other && d.stamp == stamps[d.lpn];
    };
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (is_duplicate(copies_[i])) ++found_.at(mapping.lookup(copies_[i].lpn)).duplicates;
    }
    for (std::uint32_t i = 0; i < count_; ++i) {
      const DuplicateCopy& d = copies_[i];
      const Ppn named = mapping.lookup(d.lpn);
      if (!is_duplicate(d) || own_pages(named) > own_pages(d.other)) continue;
      mapping.exchange(d.lpn, d.other);
      blocks_.invalidate(named);
      blocks_.make_valid(blocks_.plane_of(d.other), blocks_.block_of(d.other), blocks_.page_of(d.other));
      --found_.at(named).duplicates;
      ++found_.at(d.other).duplicates;
    }
  }

 private:
  struct DuplicateCopy {
    std::uint32_t lpn;
    std::uint32_t stamp;
    Ppn other;
  };

  /// Valid pages of its block that have no duplicate; of a block that is not full more than of any other.
  std::uint32_t own_pages(Ppn page) const {
    const std::uint32_t plane = blocks_.plane_of(page);
    const std::uint32_t block = blocks_.block_of(page);
    const bool full = found_.is_full(blocks_.site_of(plane), block);
    return blocks_.block(plane, block).valid - found_.at(page).duplicates +
           (full ? 0 : blocks_.pages_per_block());
  }
  std::uint32_t most_;
  DuplicateCopy* copies_;
  std::uint32_t count_ = 0;
};

class FoundPages final : public FoundMap {
 public:
  FoundPages(BootMemory& memory, const RecoveryPart& part, Journal& journal)
      : FoundMap(part, journal),
        stamps_(memory.zeroed<std::uint32_t>(state_.exported_pages)),
        duplicates_(memory, part) {
    if (journal.checkpoints()) confirmed_ = memory.zeroed<std::uint32_t>(state_.exported_pages / 32 + 1);
  }
  void take_page(const Transaction& t, const FlashCompletion& c) override {
    if (note_word(t.ppn, c.oob)) map_word(t.ppn, c.oob, c.failed_sectors);
  }
  bool note_word(Ppn page, std::uint64_t oob) override {
    if (oob == kNoPageWord) {
      note_torn(page, false);
      return false;
    }
    FoundBlock& f = found_.at(page);
    found_.note_stamp(f, oob >> 32);
    const std::uint32_t copy = journal_copy_in(oob_lpn(oob), state_.exported_pages);
    if (copy != 0) f.copy = static_cast<std::uint8_t>(copy);
    return true;
  }
  /// The newest word of an LPN names its page, which tells what of it is lost. Of equal stamps one page is a copy
  /// of the other, made by copyback. With a checkpoint its entries are as old as that: words that are older do
  /// not count.
  void map_word(Ppn ppn, std::uint64_t oob, std::uint32_t lost) override {
    const auto stamp = static_cast<std::uint32_t>(oob >> 32);
    const std::uint32_t lpn = oob_lpn(oob);
    if (oob == kNoPageWord || lpn >= state_.exported_pages) return; // written without being of an LPN
    if (Feature* const owner =
            state_.hooks.owner(blocks_.site_of(blocks_.plane_of(ppn)), blocks_.block_of(ppn)))
      return owner->scanned(ppn, oob);
    const Ppn named = mapping_.lookup(lpn);
    if (from_checkpoint_ && named == ppn) {
      confirm(lpn);
      stamps_[lpn] = stamp;
      return set_losses(lpn, lost);
    }
    if ((from_checkpoint_ || is_page(named)) && !kPageStamps.newer(stamp, stamps_[lpn])) {
      if (stamp == stamps_[lpn]) duplicates_.note(lpn, stamp, ppn);
      return;
    }
    name(lpn, ppn, stamp, lost);
  }
  /// Words of blocks that had to be read before win as all do: if they are newer than the checkpoint.
  bool load_checkpoint(const FoundSlices& slices) override {
    const SliceLayout& layout = slices.layout();
    const std::uint32_t begin = layout.begin(SliceKind::map);
    const std::uint32_t end = layout.begin(SliceKind::blocks);
    if (confirmed_ == nullptr) return false;
    for (std::uint32_t s = begin; s < end; ++s) {
      if (!slices.has(s)) return false;
      const std::uint32_t scan_from = header_of(slices.page(s)).scan_from;
      if (s == begin || kPageStamps.newer(checkpoint_, scan_from)) checkpoint_ = scan_from;
    }
    for (std::uint32_t s = begin; s < end; ++s) {
      for (std::uint32_t n = 0; n < layout.items(s); ++n)
        load_entry(layout.first(s) + n, static_cast<Ppn>(layout.word(slices.page(s), s, n)));
    }
    state_.charge(state_.exported_pages, state_.config.cost.map_lookup);
    return from_checkpoint_ = true;
  }
  bool dropped(std::uint32_t lpn) const override {
    return from_checkpoint_ && !is_page(mapping_.lookup(lpn)) && is_confirmed(lpn);
  }
  Place locate(std::uint32_t item) const override { return {item, mapping_.lookup(item)}; }
  std::uint64_t stamp_of(std::uint32_t item) const override { return stamps_[item]; }
  void forget(std::uint32_t item) override { mapping_.exchange(item, kNoPpn); }
  void told_unmapped(std::uint32_t item, std::uint32_t stamp) override {
    if (from_checkpoint_ && kPageStamps.newer(stamp, checkpoint_))
      confirmed_[item / 32] &= ~(1u << item % 32); // trimmed behind it
  }
  /// An LPN's newest page may be one that can be read in its copy alone, and is read when it is written again.
  /// Where the checkpoint calls an LPN unmapped copies that are older are void; where it names a page that is not
  /// there any more they are not.
  void words_known() override {
    if (from_checkpoint_) drop_stale_entries();
    state_.hooks.for_each([this](const Feature& f) {
      Feature::Version copy;
      for (std::size_t at = 0; f.next_repair(at, copy);) take_repair(copy);
    });
  }
  /// What blocks gain when they are closed follows from their valid pages.
  void complete() override {
    for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
      const Ppn ppn = mapping_.lookup(lpn);
      if (is_page(ppn))
        blocks_.make_valid(blocks_.plane_of(ppn), blocks_.block_of(ppn), blocks_.page_of(ppn));
    }
    state_.charge(state_.exported_pages, state_.config.cost.map_lookup);
    duplicates_.choose(stamps_);
  }
  void recovered() override {
    state_.hooks.for_each([this](Feature& f) { f.rebuilt(stamps_); });
  }
  std::uint32_t next_to_rescue(std::size_t& at) const override { return state_.hooks.next_rescued(at); }

 private:
  void take_repair(const Feature::Version& copy) {
    if (copy.lpn >= state_.exported_pages) return;
    const bool any = is_page(mapping_.lookup(copy.lpn)) || (from_checkpoint_ && !dropped(copy.lpn));
    if (!any || kPageStamps.newer(copy.stamp, stamps_[copy.lpn])) name(copy.lpn, copy.page, copy.stamp, 0);
  }
  void name(std::uint32_t lpn, Ppn ppn, std::uint32_t stamp, std::uint32_t lost) {
    mapping_.exchange(lpn, ppn);
    stamps_[lpn] = stamp;
    set_losses(lpn, lost);
  }
  bool is_confirmed(std::uint32_t lpn) const { return (confirmed_[lpn / 32] >> lpn % 32 & 1) != 0; }
  void confirm(std::uint32_t lpn) { confirmed_[lpn / 32] |= 1u << lpn % 32; }
  void load_entry(std::uint32_t lpn, Ppn entry) {
    const Ppn named = mapping_.lookup(lpn);
    if (is_page(entry)) entry = blocks_.numbered(entry);
    if (is_page(named) && kPageStamps.newer(stamps_[lpn], checkpoint_)) return;
    if (is_page(named) && named == entry) return confirm(lpn);
    name(lpn, entry, checkpoint_, 0);
  }
  /// Entries of pages that are not there any more, which nothing newer has replaced: what was lost behind the
  /// checkpoint. That they were there is noted: they may have copies.
  void drop_stale_entries() {
    for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
      const Ppn named = mapping_.lookup(lpn);
      if (!is_page(named) || stamps_[lpn] != checkpoint_ || found_.at(named).known || is_confirmed(lpn))
        continue;
      mapping_.exchange(lpn, kNoPpn);
      confirm(lpn);
    }
  }
  Mapping& mapping_ = *state_.policy.mapping;
  std::uint32_t* stamps_; // per LPN: of the page that the map names
  DuplicateCopies duplicates_;
  std::uint32_t* confirmed_ = nullptr; // a bit per LPN: its entry in the map has been found by its word
};

} // namespace

FoundMap* make_found_pages(BootMemory& memory, const RecoveryPart& part, Journal& journal) {
  return memory.make<FoundPages>(memory, part, journal);
}

} // namespace twinplane::fw
