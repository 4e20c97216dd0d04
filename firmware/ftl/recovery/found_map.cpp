#include "firmware/ftl/recovery/found_map.h"

namespace twinplane::fw {

FoundMap::FoundMap(BootMemory& memory, const RecoveryPart& part)
    : RecoveryPart(part),
      losses_(state_.items, state_.lost, state_.config.geometry.sectors_per_page()),
      words_(words_of_drive(state_)),
      stamps_(memory, items_.count(), units_ != nullptr) {
  if (state_.durability->keeps_map()) confirmed_ = memory.zeroed<std::uint32_t>(items_.count() / 32 + 1);
}

// --- words ---

/// Of units smaller than a page padding has no word, although it can be read.
void FoundMap::take_page(const Transaction& t, const FlashCompletion& c) {
  const Words words = words_of(t, c);
  const std::uint32_t sectors = losses_.sectors();
  FoundBlock& f = found_.at(t.ppn);
  bool any = false;
  for (std::uint32_t slot = 0; slot < words.count; ++slot) {
    const std::uint64_t word = words.word[slot];
    if (word == kNoWord) continue;
    any = true;
    found_.note_stamp(f, words_.sequence(word));
    const std::uint32_t copy = state_.durability->copy_of_word(word);
    if (copy != 0) f.copy = static_cast<std::uint8_t>(copy);
    map_word(items_.place(t.ppn, slot), word, c.failed_sectors >> slot * sectors & low_mask(sectors));
  }
  const bool unreadable = (c.result & flash_result::uncorrectable) != 0;
  if (units_ != nullptr) note_use(t.ppn, words);
  if (any || !unreadable) f.mode = ModeProbe::told;
  if (!any && unreadable) note_torn(t.ppn);
}

FoundMap::LastWord FoundMap::last_word(const Transaction& t, const FlashCompletion& c) const {
  const Words words = words_of(t, c);
  for (std::uint32_t slot = 0; slot < words.count; ++slot) {
    if (words.word[slot] != kNoWord) return {words_.sequence(words.word[slot]), true};
  }
  return {0, false};
}

/// The newest word of an item names its place, and its page tells what of it is lost. With a checkpoint its entries are
/// as old as that: words that are older do not count.
void FoundMap::map_word(Pun place, std::uint64_t word, std::uint32_t lost) {
  const std::uint32_t item = words_.number(word);
  const Ppn page = items_.page_of(place);
  if (item >= items_.count()) return; // written without being of an item
  if (Feature* const owner =
          state_.hooks.owner(blocks_.site_of(blocks_.plane_of(page)), blocks_.block_of(page)))
    return owner->scanned(page, word);
  if (units_ != nullptr) units_->map.found(place, items_.lpn_of(item), items_.unit_of(item));
  if (units_ != nullptr) units_->map.found_level(page, words_.level(word));
  const std::uint64_t stamp = words_.sequence(word);
  const Pun named = items_.at(item);
  if (from_checkpoint_ && named == place) {
    confirm(item);
    stamps_.set(item, stamp);
    return set_losses(item, lost);
  }
  if ((from_checkpoint_ || named != kNoPun) && !order_.newer(stamp, stamps_.of(item))) return;
  name(item, place, stamp, lost);
}

void FoundMap::name(std::uint32_t item, Pun place, std::uint64_t stamp, std::uint32_t lost) {
  items_.set(item, place);
  stamps_.set(item, stamp);
  set_losses(item, lost);
}

/// A page's words say how many of its slots and programs are used; when its data were last accessed they do not say, so
/// that its last program counts for it. Pages without a word cannot be read, or are padding: they are used up.
void FoundMap::note_use(Ppn page, const Words& words) {
  PageRecord record{0, 0, 0, 0, 0};
  std::uint64_t last = 0;
  std::uint64_t newest = 0;
  for (std::uint32_t slot = 0; slot < words.count; ++slot) {
    if (words.word[slot] == kNoWord) continue;
    const std::uint64_t sequence = words_.sequence(words.word[slot]);
    if (record.used == 0 || order_.newer(sequence, newest)) newest = sequence;
    if (record.used == 0 || sequence != last) ++record.programs; // slots of a program lie side by side
    last = sequence;
    ++record.used;
  }
  const bool any = record.used != 0;
  record.stamp = static_cast<std::uint32_t>(newest);
  if (any) units_->policy->found(record);
  if (any != blocks_.in_slc_cache(page)) record.used = words.count & 0x7F; // but of padding
  if (!any) record.programs = kUsedUp;
  units_->map.found(page, record);
}

/// The page was being programmed at the cut; or it was complete, and one of the upper pages of its wordline was being
/// programmed, or more of its own units, of a page in SLC mode.
void FoundMap::note_torn(Ppn page) {
  ++counters_.pages_unreadable;
  FoundBlock& f = found_.at(page);
  f.torn = true;
  const bool last = blocks_.order().type(blocks_.page_of(page)) + 1u == blocks_.order().types();
  if (blocks_.in_slc_cache(page) ? units_ != nullptr : !last) ++f.taken;
}

/// Garbage has counted as used up.
void FoundMap::read_again(std::uint32_t plane, std::uint32_t block, bool slc) {
  for (std::uint32_t page = 0; units_ != nullptr && page < blocks_.pages_per_block(); ++page)
    units_->map.found(blocks_.ppn(plane, block, page), PageRecord{0, 0, 0, 0, 0});
  blocks_.read_in_slc_mode(plane, block, slc);
}

// --- checkpoint ---

/// Words of blocks that had to be read before win as all do: if they are newer than the checkpoint.
void FoundMap::begin_checkpoint(std::uint32_t stamp) {
  const std::uint64_t newest = found_.newest(); // words may have wider stamps than pages of metadata
  checkpoint_ = order_.stamp(newest - (static_cast<std::uint32_t>(newest) - stamp));
  from_checkpoint_ = true;
  state_.charge(items_.count(), state_.config.cost.map_lookup);
}

void FoundMap::load_entry(std::uint32_t item, Pun entry) {
  const Pun named = items_.at(item);
  entry = items_.renamed(entry, [&](Ppn page) { return blocks_.numbered(page); });
  if (named != kNoPun && order_.newer(stamps_.of(item), checkpoint_)) return;
  if (named != kNoPun && named == entry) return confirm(item);
  name(item, entry, checkpoint_, 0);
}

/// Its pages have been programmed as a whole. Which of their units count the map says, and of the others no word has been
/// read.
void FoundMap::know_block(std::uint32_t plane, std::uint32_t block) {
  if (units_ == nullptr) return;
  const auto stamp = static_cast<std::uint32_t>(found_.at(plane, block).newest);
  for (std::uint32_t page = 0; page < blocks_.pages_per_block(); ++page)
    units_->map.found_whole(blocks_.ppn(plane, block, page), stamp);
}

void FoundMap::find_owners() {
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    const Pun place = items_.at(item);
    if (place != kNoPun && found_.at(items_.page_of(place)).known)
      units_->map.found(place, items_.lpn_of(item), items_.unit_of(item));
  }
}

/// Entries of pages that are not there any more, which nothing newer has replaced: what was lost behind the
/// checkpoint. That they were there is noted: they may have copies.
void FoundMap::drop_stale_entries() {
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    const Pun named = items_.at(item);
    if (named == kNoPun || stamps_.of(item) != checkpoint_ || found_.at(items_.page_of(named)).known ||
        is_confirmed(item))
      continue;
    items_.set(item, kNoPun);
    confirm(item);
  }
}

void FoundMap::told_unmapped(std::uint32_t item, std::uint32_t stamp) {
  if (from_checkpoint_ && kPageStamps.newer(stamp, static_cast<std::uint32_t>(checkpoint_)))
    confirmed_[item / 32] &= ~(1u << item % 32); // trimmed behind it
}

// --- later steps ---

/// An LPN's newest page may be one that can be read in its copy alone, and is read when it is written again.
/// Where the checkpoint calls an LPN unmapped copies that are older are void; where it names a page that is not
/// there any more they are not.
void FoundMap::words_known() {
  if (from_checkpoint_) drop_stale_entries();
  if (from_checkpoint_ && units_ != nullptr) find_owners();
  state_.hooks.for_each([this](const Feature& f) {
    Feature::Version copy;
    for (std::size_t at = 0; f.next_repair(at, copy);) take_repair(copy);
  });
}

void FoundMap::take_repair(const Feature::Version& copy) {
  if (copy.lpn >= items_.count()) return;
  const bool any = items_.at(copy.lpn) != kNoPun || (from_checkpoint_ && !dropped(copy.lpn));
  if (!any || kPageStamps.newer(copy.stamp, static_cast<std::uint32_t>(stamps_.of(copy.lpn))))
    name(copy.lpn, items_.place(copy.page, 0), copy.stamp, 0);
}

/// What blocks gain when they are closed follows from their valid pages.
void FoundMap::complete() {
  for (std::uint32_t item = 0; item < items_.count(); ++item) {
    const Pun place = items_.at(item);
    if (place == kNoPun || (units_ != nullptr && !units_->map.found_valid(place))) continue;
    const Ppn page = items_.page_of(place);
    blocks_.make_valid(blocks_.plane_of(page), blocks_.block_of(page), blocks_.page_of(page));
  }
  if (units_ == nullptr) state_.charge(state_.exported_pages, state_.config.cost.map_lookup);
}

void FoundMap::recovered() {
  if (units_ != nullptr) units_->placement.set_clock(static_cast<std::uint32_t>(found_.newest()));
  state_.hooks.for_each([this](Feature& f) { f.rebuilt(stamps_.low()); });
}

std::uint32_t FoundMap::next_to_rescue(Rescued& at) const {
  const std::uint32_t copied = state_.hooks.next_rescued(at.copies);
  if (copied != kNoLpn || units_ == nullptr || units_->map.packs()) return copied;
  while (at.lpns < state_.exported_pages) {
    if (is_split(at.lpns++)) return at.lpns - 1;
  }
  return kNoLpn;
}

/// Where native pages are not packed a logical page has one, or there would not be room for all of them. If it lies in
/// several, what it lost in one of them was newer, and has not been found: it had not been answered, or its page cannot
/// be read.
bool FoundMap::is_split(std::uint32_t lpn) const {
  const std::uint32_t native = units_->map.in_native(lpn);
  return native != 0 && units_->io.run_of(lpn, native).units != native;
}

} // namespace twinplane::fw
