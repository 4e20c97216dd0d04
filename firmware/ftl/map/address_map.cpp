#include "firmware/ftl/map/address_map.h"

#include "firmware/ftl/state.h"

namespace twinplane::fw {

Ppn AddressMap::unmap(std::uint32_t lpn) {
  if (state_.lost.any()) state_.lost.set(lpn, 0);
  return state_.unlink_old(state_.policy.mapping->exchange(lpn, kNoPpn));
}

Ppn AddressMap::lose(std::uint32_t lpn) {
  lose_sectors(lpn, state_.full_mask);
  return state_.unlink_old(state_.policy.mapping->exchange(lpn, kNoPpn));
}

void AddressMap::lose(std::uint32_t lpn, std::uint32_t units, TouchedPlanes& touched) {
  if (units == 0) return;
  lose_sectors(lpn, state_.units->io.sectors_of(units));
  state_.units->placement.unmap(lpn, units, touched);
}

/// If the write buffer has a copy, it is the only one now.
void AddressMap::lose_sectors(std::uint32_t lpn, std::uint32_t sectors) {
  state_.lost.set(lpn, state_.lost.of(lpn) | sectors);
  BufferSlot* const copy = state_.buffer == nullptr ? nullptr : state_.buffer->newest(lpn);
  if (copy != nullptr && copy->state == SlotState::clean) state_.buffer->set_state(*copy, SlotState::dirty);
}

const Transaction* AddressMap::read_from_writer(const Transaction& t) {
  const Transaction* const writer = state_.pool.writer_of(t.ppn);
  if (writer != nullptr) copy_sectors(*state_.hal, state_.payload, t.buffer, writer->buffer, t.flash_mask);
  return writer;
}

bool AddressMap::abandoned(const Transaction& t) const {
  return state_.policy.mapping->lookup(t.lpn) != t.ppn || state_.pool.copied_to(t.ppn);
}

const Transaction* AddressMap::writer_of(Ppn page, const LogicalUnit& l) const {
  const Units& units = *state_.units;
  const Pun now = units.map.at(l.lpn, l.unit);
  if (now == kNoPun || units.map.page_of(now) != page) return nullptr;
  return state_.pool.find([&](const Transaction& t) { return units.io.place_in(t, l) != UnitIo::kNoPlace; });
}

/// As read_from_writer(), of the units that t reads. Returns the sectors that t's buffer has got, in the
/// order of the logical page.
std::uint32_t AddressMap::take_from_writers(Transaction& t) {
  Units& units = *state_.units;
  std::uint32_t got = 0;
  for (std::uint32_t left = units.io.work(t).reading; left != 0; left &= left - 1) {
    const std::uint32_t unit = lowest_bit(left);
    const LogicalUnit l = units.io.logical(t, unit);
    const Transaction* const writer = writer_of(t.ppn, l);
    if (writer == nullptr) continue;
    const std::uint32_t sectors = units.io.unit_sectors(unit) & t.flash_mask;
    units.io.copy_unit(*writer, units.io.place_in(*writer, l), t, unit, sectors);
    got |= sectors;
  }
  return got;
}

std::uint32_t AddressMap::take_read_units(Transaction& t, const FlashCompletion& c) {
  Units& units = *state_.units;
  const std::uint32_t failed = units.io.failed_sectors(t, c);
  units.io.arrived(t, t.flash_mask & ~failed);
  if (c.result == 0) return failed;
  state_.note_failure(t);
  units.placement.spoilt(t.ppn);
  return failed & ~take_from_writers(t);
}

std::uint32_t AddressMap::go_back(const Transaction& failed, std::uint32_t units, TouchedPlanes& touched) {
  Units& of_drive = *state_.units;
  std::uint32_t gone = 0;
  for (; units != 0; units &= units - 1) {
    const std::uint32_t u = lowest_bit(units);
    const LogicalUnit l = of_drive.io.logical(failed, u);
    const Pun before = of_drive.placement.version_before(failed, u);
    if (before != kNoPun) {
      of_drive.map.link(l.lpn, l.unit, before, touched);
      state_.policy.allocation->revoke(state_.blocks.plane_of(of_drive.map.page_of(before)));
    } else if (of_drive.io.replaced(failed, u) == kNoPpn) {
      of_drive.map.unlink(l.lpn, l.unit, touched);
    } else {
      gone |= 1u << u;
    }
  }
  return gone;
}

void AddressMap::inherit_units(const Transaction& failed) {
  Units& units = *state_.units;
  state_.pool.for_each([&](const Transaction& t) {
    if (&t == &failed || !t.traits->by_unit) return;
    for (std::uint32_t left = units.io.in_hand(t); left != 0; left &= left - 1) {
      const std::uint32_t u = lowest_bit(left);
      if (units.io.replaced(t, u) != failed.ppn) continue;
      const std::uint32_t in_failed = units.io.part_of(failed, units.io.logical(t, u));
      if (in_failed != UnitIo::kNoPlace) units.io.set_replaced(t, u, units.io.replaced(failed, in_failed));
    }
  });
}

} // namespace twinplane::fw
