#include "firmware/ftl/map/address_map.h"

#include "firmware/ftl/io/buffer_path.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

bool AddressMap::was_trimmed(const Transaction& t) const {
  if (state_.units == nullptr) return !is_page(state_.policy.mapping->lookup(t.lpn));
  if (state_.config.map_units == 1) return state_.units->map.mapped(t.lpn) == 0; // of a cache: pages are
  const UnitIo& io = state_.units->io;
  std::uint32_t units = io.cover(t.mask);
  if (t.traits->by_unit) units |= io.superseded(t); // which write_again() has taken out of the mask
  return (units & ~state_.units->map.mapped(t.lpn)) != 0;
}

bool AddressMap::lies_in(std::uint32_t lpn, std::uint32_t site, std::uint32_t block) const {
  if (state_.units == nullptr) return lies_in(state_.policy.mapping->lookup(lpn), site, block);
  const UnitMap& map = state_.units->map;
  bool lies = false;
  for (std::uint32_t unit = 0; unit < map.units(); ++unit) {
    const Pun place = map.at(lpn, unit);
    lies = lies || (place != kNoPun && lies_in(map.page_of(place), site, block));
  }
  return lies;
}

/// The locks of a cache, which has units as well, are of pages.
std::uint32_t AddressMap::whole(std::uint32_t sectors) const {
  if (sectors == state_.full_mask) return sectors;
  if (state_.config.map_units == 1) return 0;
  const UnitIo& io = state_.units->io;
  std::uint32_t whole = 0;
  for (std::uint32_t unit = 0; unit < state_.units->map.units(); ++unit) {
    const std::uint32_t its = io.unit_sectors(unit);
    whole |= (its & ~sectors) == 0 ? its : 0;
  }
  return whole;
}

AddressMap::Pages AddressMap::unmap(std::uint32_t lpn, std::uint32_t sectors, TouchedPlanes& touched) {
  Pages had;
  if (state_.units == nullptr) {
    const Ppn old = state_.unlink_old(state_.policy.mapping->exchange(lpn, kNoPpn));
    if (!is_page(old)) return had;
    touched.plane[touched.count++] = state_.blocks.plane_of(old);
    had.page[had.count++] = old;
    return had;
  }
  UnitMap& map = state_.units->map;
  const std::uint32_t mapped = map.mapped(lpn) & state_.units->io.cover(sectors);
  for (std::uint32_t left = mapped; left != 0; left &= left - 1)
    had.page[had.count++] = map.page_of(map.at(lpn, lowest_bit(left)));
  state_.units->placement.unmap(lpn, mapped, touched);
  return had;
}

// --- reads ---

std::uint32_t AddressMap::set_read_target(Transaction& t, std::uint32_t sectors) {
  UnitIo& io = state_.units->io;
  const UnitIo::Run run = io.run_of(t.lpn, io.cover(sectors));
  state_.set_read_target(t, run.ppn);
  io.set_read_target(t, run, sectors);
  return sectors & ~t.flash_mask;
}

AddressMap::Delivery AddressMap::take_read(Transaction& t, const FlashCompletion& c) {
  if (state_.units != nullptr) {
    const std::uint32_t failed = take_read_units(t, c);
    const UnitIo& io = state_.units->io;
    const std::uint32_t here = failed == 0 ? 0 : failed & io.sectors_of(io.reading_there(t));
    return {t.flash_mask & ~failed, here, failed & ~here};
  }
  if (c.result == 0) return {t.flash_mask, 0, 0};
  state_.note_failure(t);
  // A page that is abandoned is not, or soon will not be, what the map names for the LPN: its program has failed, or is a
  // copyback whose failure is known already to the die alone.
  const bool abandoned = state_.policy.mapping->lookup(t.lpn) != t.ppn || state_.pool.copied_to(t.ppn);
  if (abandoned) return {0, 0, t.flash_mask};
  const std::uint32_t lost = writers.read_page(t) != nullptr ? 0 : failed_sectors(c, t.flash_mask);
  return {t.flash_mask & ~lost, lost, 0};
}

std::uint32_t AddressMap::take_read_units(Transaction& t, const FlashCompletion& c) {
  Units& units = *state_.units;
  const std::uint32_t failed = units.io.failed_sectors(t, c);
  units.io.arrived(t, t.flash_mask & ~failed);
  if (c.result == 0) return failed;
  state_.note_failure(t);
  units.placement.spoilt(t.ppn);
  return failed & ~writers.read_units(t);
}

// --- writes ---

AddressMap::Gap AddressMap::gap_of(const Transaction& t, std::uint32_t read) const {
  Gap gap;
  if (state_.units == nullptr) {
    gap.missing = state_.full_mask & ~t.mask & ~read;
    gap.lost = state_.full_mask & ~t.mask & state_.lost.of(t.lpn);
    if ((gap.missing & ~gap.lost) == 0) return gap;
    gap.page = state_.policy.mapping->lookup(t.lpn);
    if (is_page(gap.page)) gap.there = gap.missing;
    return gap;
  }
  const UnitIo& io = state_.units->io;
  const UnitWork& w = io.work(t);
  gap.missing = io.sectors_of(w.todo) & ~t.mask & ~w.have;
  gap.lost = gap.missing & state_.lost.of(t.lpn);
  gap.there = gap.missing & ~gap.lost & io.sectors_of(state_.units->map.mapped(t.lpn));
  return gap;
}

void AddressMap::aim_at_gap(Transaction& t, const Gap& gap) {
  if (state_.units != nullptr) {
    (void)set_read_target(t, gap.there);
  } else {
    state_.set_read_target(t, gap.page);
    t.flash_mask = gap.there;
  }
}

void AddressMap::fill_gap(Transaction& t, const Gap& gap) {
  clear_sectors(*state_.hal, state_.payload, t.buffer, gap.missing);
  t.lost |= gap.lost; // those that the host has made unreadable are marked already
  t.ppn = kNoPpn;
  t.flash_mask = state_.full_mask;
  if (state_.units != nullptr) state_.units->io.work(t).have |= gap.missing;
}

// --- programs ---

bool AddressMap::has_failed(const Transaction& t, const FlashCompletion& c) {
  if (state_.units != nullptr) return state_.units->placement.has_failed(t, c);
  if (c.result != 0) state_.note_failure(t);
  return c.result != 0;
}

std::uint32_t AddressMap::failed_at(const Transaction& t) const {
  if (state_.units != nullptr) return state_.units->placement.failed_at(t);
  return state_.policy.mapping->lookup(t.lpn) == t.ppn ? kWholePage : 0;
}

std::uint32_t AddressMap::left_to_write(const Transaction& t) const {
  return state_.units == nullptr ? 0 : state_.units->io.work(t).todo;
}

bool AddressMap::is_superseded(const Transaction& t) const {
  return state_.units != nullptr && state_.units->io.superseded(t) != 0;
}

bool AddressMap::newer_under_way(const Transaction& t) const {
  if (state_.units == nullptr) {
    const Ppn now = state_.policy.mapping->lookup(t.lpn);
    const Transaction* const writer = is_page(now) ? state_.pool.writer_of(now) : nullptr;
    return writer != nullptr && writer != &t; // a move that has failed leads back to its page
  }
  const Units& units = *state_.units;
  for (std::uint32_t left = units.io.written(t) | units.io.superseded(t); left != 0; left &= left - 1) {
    const std::uint32_t unit = lowest_bit(left);
    const Pun now = units.map.at(t.lpn, unit);
    const Transaction* const writer =
        now == kNoPun ? nullptr : writers.writer_of(units.map.page_of(now), LogicalUnit{t.lpn, unit});
    if (writer != nullptr && writer != &t) return true;
  }
  return false;
}

/// What is lost changes with the place, also of a part: from now on reads go there.
bool AddressMap::note_losses(Transaction& t) {
  LostSectors& lost = state_.lost;
  const std::uint32_t before = lost.of(t.lpn);
  if (state_.units == nullptr) {
    if (!is_page(t.replaced()) && before != 0) t.set_replaced(kErasedPpn);
    lost.set(t.lpn, t.lost);
    return t.lost != 0;
  }
  Units& units = *state_.units;
  const std::uint32_t written = units.io.sectors_of(units.io.written(t));
  const std::uint32_t now = (before & ~written) | (t.lost & written);
  if (now != before) {
    units.placement.note_replaced_losses(t, before);
    lost.set(t.lpn, now);
  }
  units.placement.place_losses(t, lost);
  const bool all_written = units.io.work(t).todo == 0;
  if (all_written) t.lost = now;
  return (now & (all_written ? state_.full_mask : written)) != 0;
}

void AddressMap::write_again(Transaction& t) {
  if (state_.units != nullptr) state_.units->placement.write_again(t);
}

void AddressMap::inherit(const Transaction& failed) {
  if (state_.units == nullptr) {
    if (is_page(failed.ppn)) state_.pool.inherit(failed.ppn, failed.replaced());
    return;
  }
  Units& units = *state_.units;
  state_.pool.for_each([&](const Transaction& t) {
    if (&t == &failed || !t.traits->by_unit) return;
    for (std::uint32_t left = units.io.in_hand(t); left != 0; left &= left - 1) {
      const std::uint32_t u = lowest_bit(left);
      const std::uint32_t in_failed = units.io.part_of(failed, units.io.logical(t, u));
      if (in_failed == UnitIo::kNoPlace) continue;
      if (units.io.place_replaced(t, u) != units.io.work(failed).at[in_failed]) continue;
      units.io.set_replaced(t, u, units.io.place_replaced(failed, in_failed));
    }
  });
}

std::uint32_t AddressMap::go_back(const Transaction& failed, std::uint32_t units, TouchedPlanes& touched) {
  if (units == 0) return 0;
  if (state_.units == nullptr) return go_back_to_page(failed, touched);
  Units& of_drive = *state_.units;
  std::uint32_t gone = 0;
  for (; units != 0; units &= units - 1) {
    const std::uint32_t u = lowest_bit(units);
    const LogicalUnit l = of_drive.io.logical(failed, u);
    const Pun before = of_drive.placement.version_before(failed, u);
    if (before != kNoPun) {
      const std::uint32_t plane = state_.blocks.plane_of(of_drive.map.page_of(before));
      of_drive.map.link(l.lpn, l.unit, before, touched);
      state_.policy.allocation->revoke(plane);
      touched.plane[touched.count++] = plane;
    } else if (of_drive.io.replaced(failed, u) == kNoPpn) {
      of_drive.map.unlink(l.lpn, l.unit, touched);
    } else {
      gone |= 1u << u;
    }
  }
  return gone;
}

std::uint32_t AddressMap::go_back_to_page(const Transaction& failed, TouchedPlanes& touched) {
  const Ppn before = failed.replaced();
  if (before == kErasedPpn) return kWholePage;
  if (!is_page(before)) {
    if (state_.lost.any()) state_.lost.set(failed.lpn, 0);
    (void)unmap(failed.lpn, state_.full_mask, touched);
    return 0;
  }
  go_back(failed.lpn, before);
  touched.plane[touched.count++] = state_.blocks.plane_of(before);
  return 0;
}

void AddressMap::go_back(std::uint32_t lpn, Ppn page) {
  state_.put_back(lpn, page);
  state_.policy.allocation->revoke(state_.blocks.plane_of(page));
}

bool AddressMap::lies_in(Ppn page, std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_.blocks;
  return is_page(page) && blocks.block_of(page) == block && blocks.site_of(blocks.plane_of(page)) == site;
}

namespace {

/// One of the pages that t's program replaces, under way or to be repeated, is such a page.
template <typename Is>
bool any_replaced(const FtlState& state, const Transaction& t, const Is& is) {
  if (t.is_host_page()) return is(t.replaced());
  if (state.units == nullptr || !t.traits->by_unit) return false;
  const UnitIo& io = state.units->io;
  for (std::uint32_t left = io.in_hand(t); left != 0; left &= left - 1) {
    if (is(io.replaced(t, lowest_bit(left)))) return true;
  }
  return false;
}

} // namespace

bool AddressMap::replaces_in(const Transaction& t, std::uint32_t site, std::uint32_t block) const {
  return any_replaced(state_, t, [&](Ppn page) { return lies_in(page, site, block); });
}

bool AddressMap::replaces_erased(const Transaction& t) const {
  return any_replaced(state_, t, [](Ppn page) { return page == kErasedPpn; });
}

void AddressMap::forget_replaced(Transaction& t, std::uint32_t site, std::uint32_t block) {
  if (t.is_host_page() && lies_in(t.replaced(), site, block)) t.set_replaced(kErasedPpn);
  if (state_.units == nullptr || !t.traits->by_unit) return;
  UnitIo& io = state_.units->io;
  for (std::uint32_t left = io.in_hand(t); left != 0; left &= left - 1) {
    const std::uint32_t unit = lowest_bit(left);
    if (lies_in(io.replaced(t, unit), site, block)) io.set_replaced(t, unit, kErasedPun);
  }
}

void AddressMap::forget_replaced(std::uint32_t site, std::uint32_t block) {
  const bool by_unit = state_.units != nullptr;
  state_.pool.for_each([&](Transaction& t) {
    if (by_unit || t.is_host_page()) forget_replaced(t, site, block); // nearly all are reads and moves
  });
}

// --- losses ---

void AddressMap::lose(std::uint32_t lpn, std::uint32_t units, TouchedPlanes& touched) {
  if (units == 0) return;
  if (state_.units != nullptr) {
    lose_sectors(lpn, state_.units->io.sectors_of(units));
    state_.units->placement.unmap(lpn, units, touched);
  } else {
    lose_sectors(lpn, state_.full_mask);
    (void)unmap(lpn, state_.full_mask, touched);
  }
}

/// If the write buffer has a copy, it is the only one now.
void AddressMap::lose_sectors(std::uint32_t lpn, std::uint32_t sectors) {
  state_.lost.set(lpn, state_.lost.of(lpn) | sectors);
  if (state_.buffer != nullptr) state_.buffer->flash_has_lost(lpn);
}

} // namespace twinplane::fw
