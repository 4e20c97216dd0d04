#include "firmware/ftl/features/journal/recovery.h"

namespace twinplane::fw {

constexpr OpTraits JournalRecovery::kRead =
    OpTraits{"read of metadata", ends_in<JournalRecovery, &JournalRecovery::page_read>}.with(
        &OpTraits::page_as_it_is);

JournalRecovery::JournalRecovery(BootMemory& memory, const RecoveryPart& part, Journal& journal,
                                 const RecoveryStages& stages)
    : RecoveryPart(part),
      board_(stages.board),
      journal_(journal),
      map_(stages.map),
      units_(stages.units),
      slices_(memory, journal_),
      trims_(part, journal_, map_, slices_),
      told_(memory, slices_.layout()),
      next_part_(slices_.layout().slices()) {}

FoundMetadata* Journal::make_recovery(BootMemory& memory, const RecoveryPart& part,
                                      const RecoveryStages& stages) {
  return memory.make<JournalRecovery>(memory, part, *this, stages);
}

std::uint32_t Journal::copy_of_word(std::uint64_t oob) const {
  return journal_copy(items.read_word(oob).number);
}

/// False: the pool has no transaction for it.
bool JournalRecovery::begin_read(Ppn page, std::uint32_t part) {
  Transaction* const t = state_.pool.take(PoolUser::firmware);
  if (t == nullptr) return false;
  state_.begin(*t, kRead, *this, page);
  t->slice = part;
  ++reading_;
  board_.enqueue(*t);
  return true;
}

/// Of a wordline that is programmed in one pass the first page alone: the others are its padding.
bool JournalRecovery::read() {
  const std::uint32_t pass = journal_.units.pass();
  for (; next_block_ < blocks_.geometry().blocks(); ++next_block_, next_page_ = 0) {
    const std::uint32_t plane = next_block_ / blocks_.blocks_per_plane();
    const std::uint32_t block = next_block_ % blocks_.blocks_per_plane();
    const FoundBlock& f = found_.at(plane, block);
    for (; f.copy != 0 && next_page_ < f.pages(); next_page_ += pass) {
      if (!begin_read(blocks_.ppn(plane, block, next_page_), kNoPart)) return true;
    }
  }
  return reading_ != 0;
}

bool JournalRecovery::read_parts() {
  for (; next_part_ < slices_.layout().with_parts(); ++next_part_) {
    if (slices_.counts(next_part_) && !begin_read(slices_.part_page(next_part_), next_part_)) return true;
  }
  return reading_ != 0;
}

void JournalRecovery::page_read(Transaction& t, const FlashCompletion& c) {
  --reading_;
  ++counters_.pages_read;
  SliceHeader header;
  const bool kept = journal_.kept();
  const std::uint8_t* const page = kept && c.result == 0 ? journal_.contents.open(t, c.oob, header) : nullptr;
  const std::uint32_t copy = found_.at(t.ppn).copy - 1u;
  if (page == nullptr && kept) {
    const JournalWord word = journal_.items.read_word(c.oob);
    const std::uint32_t slice = (word.number - 1) / kJournalCopies;
    if (word.number == 0) {
      told_.wordless(copy);
    } else if (slice < slices_.layout().with_parts()) {
      told_.unreadable(slice, (word.number - 1) % kJournalCopies, word.stamp);
    }
  }
  if (t.slice != kNoPart) return take_part(t, page);
  if (page != nullptr) {
    ++counters_.metadata_pages;
    told_.read(header.slice, copy, header.stamp);
    slices_.take(header, copy, t.ppn, page);
  }
  state_.charge(1, state_.config.cost.map_lookup);
  state_.pool.release(t);
}

/// A page that has been good before. If it is not any more the one before it counts, or none of them.
void JournalRecovery::take_part(Transaction& t, const std::uint8_t* page) {
  if (page != nullptr) trims_.apply(page);
  const Ppn before = page == nullptr ? slices_.page_before(t.slice) : kNoPpn;
  if (!is_page(before)) return state_.pool.release(t);
  state_.begin(t, kRead, *this, before);
  ++reading_;
  board_.enqueue(t);
}

/// False: there is none, or not all of its map has been read.
bool JournalRecovery::load_checkpoint() {
  const SliceLayout& layout = slices_.layout();
  const std::uint32_t begin = layout.begin(SliceKind::map);
  const std::uint32_t end = layout.begin(SliceKind::blocks);
  if (!journal_.checkpoints()) return false;
  std::uint32_t stamp = 0;
  for (std::uint32_t s = begin; s < end; ++s) {
    if (!slices_.has(s)) return false;
    const std::uint32_t scan_from = header_of(slices_.page(s)).scan_from;
    if (s == begin || kPageStamps.newer(stamp, scan_from)) stamp = scan_from;
  }
  map_.begin_checkpoint(stamp);
  for (std::uint32_t s = begin; s < end; ++s) {
    for (std::uint32_t n = 0; n < layout.items(s); ++n)
      map_.load_entry(layout.first(s) + n, layout.word(slices_.page(s), s, n));
  }
  return true;
}

RecoveryPass JournalRecovery::load() {
  slices_.newest_copies_first();
  const bool from_checkpoint = load_checkpoint();
  const SliceLayout& layout = slices_.layout();
  for (std::uint32_t s = layout.begin(SliceKind::blocks); s < layout.slices(); ++s) {
    for (std::uint32_t n = 0; slices_.has(s) && n < layout.items(s); ++n)
      load_block(layout.first(s) + n, layout.word(slices_.page(s), s, n), slices_.stamp(s));
  }
  if (!journal_.checkpoints()) return RecoveryPass::parts;
  return from_checkpoint ? RecoveryPass::last : RecoveryPass::rest;
}

/// As the page with this stamp says: how often the number has been erased, and whether the die's block is bad.
void JournalRecovery::load_block(std::uint32_t number, std::uint32_t entry, std::uint32_t stamp) {
  const std::uint32_t plane = number / blocks_.blocks_per_plane();
  const std::uint32_t block = number % blocks_.blocks_per_plane();
  const std::uint32_t site = blocks_.site_of(plane);
  const FoundBlock& f = found_.at(plane, block);
  const bool again = f.stamped && kPageStamps.newer(f.oldest, stamp);
  const std::uint32_t erases = (entry & kBlockErases) + (again ? 1 : 0);
  if (erases > blocks_.unit(site, block).erases) blocks_.recall(site, block, erases);
  const std::uint32_t now = blocks_.number_of(plane, block);
  if ((entry & (kBlockHasFailed | kBlockIsBad)) != 0) blocks_.mark_grown_bad(blocks_.ppn(plane, now, 0));
  if ((entry & kBlockIsBad) == 0) return;
  units_.found_bad(plane, now, (entry & kBlockIsFirst) != 0 ? 0 : 1);
}

/// Its blocks are written one behind the other. Where a page has been torn it is as if the unit were full:
/// the next one might share its wordline with the only page left that holds some slice. The same where blocks
/// have been erased already.
std::uint32_t JournalRecovery::written(std::uint32_t site, std::uint32_t block) const {
  const std::uint32_t first = blocks_.first_plane_of(site);
  std::uint32_t sum = 0;
  bool whole = true;
  found_.for_each_block(site, block, [&](std::uint32_t plane, const FoundBlock& f) {
    const std::uint32_t pages = f.pages();
    whole = whole && !f.torn && (pages == 0 || sum == (plane - first) * blocks_.pages_per_block());
    sum += pages;
  });
  const std::uint32_t pass = journal_.units.pass();
  return whole && sum % pass == 0 ? sum / pass : journal_.units.pages();
}

void JournalRecovery::hand_over() {
  for (std::uint32_t site = 0; site < blocks_.sites(); ++site) {
    for (std::uint32_t block = 0; block < blocks_.blocks_per_plane(); ++block) {
      const std::uint32_t copy = found_.copy_of(site, block);
      if (copy == 0) continue;
      units_.reserve_for_metadata(site, block);
      journal_.units.found(site, block, copy - 1, written(site, block));
    }
  }
  if (!journal_.kept()) return;
  const SliceLayout& layout = slices_.layout();
  for (std::uint32_t s = 0; s < layout.with_parts(); ++s) {
    if (s < layout.slices() ? !slices_.has(s) : !slices_.counts(s)) continue;
    if (s < layout.begin(SliceKind::blocks)) trims_.apply(slices_.page(s));
    journal_.slices.known(s);
  }
  state_.charge(state_.exported_pages / 32, state_.config.cost.map_lookup);
  counters_.metadata_gone =
      told_.for_each_gone([&](SliceKind kind, std::uint32_t first, std::uint32_t items) {
        kind == SliceKind::blocks ? void(blocks_gone_ = true) : trims_.gone(first, items);
      });
  trims_.lose_taken();
  trims_.keep_losses();
}

/// Metadata must not write before the tables are complete.
void JournalRecovery::recovered() {
  journal_.recovered(slices_.newest_record());
  if (DriveRecord* const counted = state_.sink->record()) counted->media_errors += counters_.metadata_gone;
  const bool blocks = journal_.keeps_blocks() && (blocks_gone_ || !blocks_told_twice());
  if (blocks) journal_.table_changed();
  if (blocks || trims_.needs_settling()) settled_ = journal_.rewrite_single_copies();
}

/// Both copies say the same of blocks that have gone bad, and that the drive is read-only.
bool JournalRecovery::blocks_told_twice() const {
  constexpr std::uint32_t kBad = kBlockIsBad | kBlockHasFailed;
  const SliceLayout& layout = slices_.layout();
  for (std::uint32_t s = layout.begin(SliceKind::blocks); s < layout.slices(); ++s) {
    if (!slices_.has(s)) continue;
    const std::uint8_t* const page = slices_.page(s);
    const std::uint8_t* const other = slices_.other_page(s);
    const auto other_read_only = other == nullptr ? 0 : layout.record(other)->read_only;
    if (layout.record(page)->read_only != other_read_only) return false;
    for (std::uint32_t n = 0; n < layout.items(s); ++n) {
      const std::uint32_t told = other == nullptr ? 0 : layout.word(other, s, n);
      if (((layout.word(page, s, n) ^ told) & kBad) != 0) return false;
    }
  }
  return true;
}

} // namespace twinplane::fw
