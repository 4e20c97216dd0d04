#include "firmware/ftl/block_allocation/superblock_table.h"

#include <algorithm>

namespace twinplane::fw {

/// Units that have no other one to go with are superblocks as well, so there may be more than a site has units; but no more
/// than there are numbers: a unit for which none is left is in none.
SuperblockTable::SuperblockTable(BootMemory& memory, const BlockTable& blocks, std::uint32_t span)
    : blocks_(blocks),
      span_(span),
      most_(std::min(2 * blocks.blocks_per_plane(), kNone)),
      units_(memory.array<std::uint16_t>(std::size_t{blocks.sites()} * most_)),
      of_(memory.array<std::uint16_t>(std::size_t{blocks.sites()} * blocks.blocks_per_plane())),
      superblocks_(memory.zeroed<Superblock>(std::size_t{blocks.sites()} / span * most_)),
      begun_(memory.zeroed<Begun>(std::size_t{blocks.sites()} / span * kOrders)),
      passed_(memory.zeroed<std::uint32_t>(std::size_t{blocks.sites()} * kOrders)) {
  free_.boot(memory, blocks.sites() / span, most_);
  if (memory.exhausted()) return;
  for (std::size_t i = 0; i < std::size_t{blocks.sites()} * most_; ++i) units_[i] = kNone;
  for (std::size_t i = 0; i < std::size_t{blocks.sites()} * blocks.blocks_per_plane(); ++i) of_[i] = kNone;
  for (std::uint32_t set = 0; set < blocks.sites() / span; ++set) {
    for (std::uint32_t n = 0; n < most_; ++n) free_.set(set, n);
  }
}

/// Where there is no number left the unit stays alone, and is in none.
void SuperblockTable::join(std::uint32_t site, std::uint32_t block, Order order) {
  if (joins(site, block, order)) return;
  const std::uint32_t set = set_of(site);
  const std::uint32_t number = free_.next(set, 0);
  if (number == most_) return;
  free_.clear(set, number);
  Begun& begun = begun_[set * kOrders + order];
  superblocks_[std::size_t{set} * most_ + number] = Superblock{begun.count, 0, order};
  begun.superblock[begun.count++ % kRemembered] = static_cast<std::uint16_t>(number);
  passed_[site * kOrders + order] = begun.count;
  add(site, block, number);
}

/// Found ones come in the order in which they were closed.
bool SuperblockTable::joins(std::uint32_t site, std::uint32_t block, Order order) {
  const std::uint32_t set = set_of(site);
  const Begun& begun = begun_[set * kOrders + order];
  std::uint32_t& passed = passed_[site * kOrders + order];
  const std::uint32_t reach = order == kFound ? 1 : kRemembered;
  if (begun.count - passed > reach) passed = begun.count - reach;
  while (passed != begun.count) {
    const std::uint32_t turn = passed++;
    const std::uint32_t number = begun.superblock[turn % kRemembered];
    const Superblock& s = superblocks_[std::size_t{set} * most_ + number];
    if (s.units == 0 || s.turn != turn || s.order != order) continue; // it has been collected since
    add(site, block, number);
    return true;
  }
  return false;
}

void SuperblockTable::add(std::uint32_t site, std::uint32_t block, std::uint32_t superblock) {
  units_[place(site, superblock)] = static_cast<std::uint16_t>(block);
  of_[at(site, block)] = static_cast<std::uint16_t>(superblock);
  ++superblocks_[std::size_t{set_of(site)} * most_ + superblock].units;
}

void SuperblockTable::left(std::uint32_t site, std::uint32_t block) {
  const std::uint32_t number = of(site, block);
  if (number == kNone) return;
  of_[at(site, block)] = kNone;
  units_[place(site, number)] = kNone;
  if (--superblocks_[std::size_t{set_of(site)} * most_ + number].units == 0) free_.set(set_of(site), number);
}

void SuperblockTable::serialise(StateVisitor& state) {
  const std::size_t sites = blocks_.sites();
  const std::size_t sets = sites / span_;
  const std::uint32_t most = most_;
  constexpr const char* kWhy = "it is damaged (a superblock that there is not)";
  state.table(units_, sites * most_, kWhy,
              [this](std::uint16_t b) { return b == kNone || b < blocks_.blocks_per_plane(); });
  state.table(of_, sites * blocks_.blocks_per_plane(), kWhy,
              [most](std::uint16_t n) { return n == kNone || n < most; });
  state.table(superblocks_, sets * most_, kWhy,
              [this](const Superblock& s) { return s.units <= span_ && s.order < kOrders; });
  state.table(begun_, sets * kOrders, kWhy, [most](const Begun& b) {
    for (const std::uint16_t n : b.superblock) {
      if (n >= most) return false;
    }
    return true;
  });
  state.table(passed_, sites * kOrders);
  free_.serialise(state);
  state.require(!state.loading() || holds(), kWhy);
}

/// Units and superblocks name each other, and as many as are counted.
bool SuperblockTable::holds() const {
  for (std::uint32_t site = 0; site < blocks_.sites(); ++site) {
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
      if (of(site, b) != kNone && unit(site, of(site, b)) != b) return false;
    }
    for (std::uint32_t o = 0; o < kOrders; ++o) {
      if (passed_[site * kOrders + o] > begun_[set_of(site) * kOrders + o].count) return false;
    }
  }
  for (std::uint32_t set = 0; set < blocks_.sites() / span_; ++set) {
    for (std::uint32_t n = 0; n < most_; ++n) {
      std::uint32_t units = 0;
      for (std::uint32_t site = set * span_; site < (set + 1) * span_; ++site) {
        const std::uint32_t block = unit(site, n);
        if (block == kNoBlock) continue;
        ++units;
        if (of(site, block) != n) return false;
      }
      if (units != superblocks_[std::size_t{set} * most_ + n].units || (units == 0) != free_.test(set, n))
        return false;
    }
  }
  return free_.hold();
}

} // namespace twinplane::fw
