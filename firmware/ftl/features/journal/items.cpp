#include "firmware/ftl/features/journal/items.h"

namespace twinplane::fw {

void JournalItems::boot(FtlState& state) {
  state_ = &state;
  units_ = state.units;
  map_ = &state.items;
  losses = ItemLosses(state.items, state.lost, state.config.geometry.sectors_per_page());
}

bool JournalItems::alone_tell_losses() const {
  if (!state_->lost.any()) return false;
  for (std::uint32_t item = 0; item < map_->count(); ++item) {
    if (map_->at(item) == kNoPun && losses.of(item) != 0) return true;
  }
  return false;
}

void JournalItems::mark_unmapped(std::uint8_t* page, std::uint32_t first, std::uint32_t items) const {
  for_runs(first, items, [&](std::uint32_t n, std::uint32_t count, const Pun* places) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (places[i] == kNoPun) SliceLayout::set_unmapped(page, n + i);
    }
  });
}

/// The host overwrites what is being moved, or written.
const Transaction& JournalItems::first_under_way(const Transaction& t) const {
  const Transaction* first = &t;
  const Transaction* next = first;
  while (next != nullptr) {
    first = next;
    const Ppn page = before(*first);
    next = is_page(page) ? state_->pool.find([page](const Transaction& p) { return p.programs(page); })
                         : nullptr;
  }
  return *first;
}

/// The same of a unit.
Pun JournalItems::settled(const Transaction& t, std::uint32_t unit) const {
  const UnitIo& io = units_->io;
  const LogicalUnit l = io.logical(t, unit);
  Pun before = io.place_replaced(t, unit);
  for (;;) {
    if (before == kErasedPun || before == kNoPun) return kNoPun;
    const Transaction* const writer = state_->pool.find(
        [&](const Transaction& other) { return io.place_in(other, l, before) != UnitIo::kNoPlace; });
    if (writer == nullptr) return before;
    before = io.place_replaced(*writer, io.place_in(*writer, l, before));
  }
}

std::uint32_t JournalItems::all_ended_up_to() const {
  const auto now = static_cast<std::uint32_t>(state_->write_sequence);
  std::uint32_t behind = 0;
  state_->pool.for_each([&](const Transaction& t) {
    const bool under_way = units_ == nullptr ? programs(t) : t.traits->by_unit && units_->io.in_hand(t) != 0;
    if (under_way && now - t.stamp + 1 > behind) behind = now - t.stamp + 1;
  });
  return now - behind;
}

bool JournalItems::number_pages(std::uint32_t numbers) {
  if (units_ != nullptr) units_->io.number_own_pages(numbers);
  return numbers < (kNoLpn - state_->exported_pages) / 0x100;
}

std::uint64_t JournalItems::word_of(std::uint32_t lpn, std::uint64_t sequence) const {
  if (units_ == nullptr) return FtlState::oob_of(static_cast<std::uint32_t>(sequence), lpn);
  return units_->io.own_word(sequence, journal_number_in(lpn, state_->exported_pages) - 1);
}

JournalWord JournalItems::read_word(std::uint64_t oob) const {
  if (oob == kNoWord) return {};
  if (units_ == nullptr)
    return {journal_number_in(oob_lpn(oob), state_->exported_pages), static_cast<std::uint32_t>(oob >> 32)};
  return {units_->io.own_number(oob), static_cast<std::uint32_t>(units_->io.words().sequence(oob))};
}

} // namespace twinplane::fw
