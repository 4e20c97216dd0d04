// Superblocks of several dies (ftl.erase_unit): which units are one.
//
// A superblock has a unit of each site of a set at most, whatever their numbers are. Sites open units by themselves: the
// first one that has filled its unit of a stream begins the next superblock, and the others join it when they have filled
// theirs. They do not wait for each other, so one may be a few superblocks ahead of another. Bad blocks take units from a
// site, and so it is missing from a superblock now and then.
//
// Nothing in the flash tells which units were one. Behind a power cut those are that were closed one after the other.
#pragma once

#include <cstdint>

#include "firmware/ftl/bit_rows.h"
#include "firmware/ftl/block_table.h"
#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/transaction.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class SuperblockTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF;
  /// How superblocks come to be, each in an order of its own: opened by a stream, or found by recovery.
  enum Order : std::uint8_t { kHost, kHot, kMoves, kFound, kOrders };

  /// `span`: sites of a set, which follow each other. Check BootMemory::exhausted() behind it.
  SuperblockTable(BootMemory& memory, const BlockTable& blocks, std::uint32_t span);

  std::uint32_t span() const { return span_; }
  std::uint32_t set_of(std::uint32_t site) const { return site / span_; }
  /// Superblocks of a set are numbered below that, not all of which there are.
  std::uint32_t most() const { return most_; }
  /// The superblock's unit of the site; kNoBlock: it has none.
  std::uint32_t unit(std::uint32_t site, std::uint32_t superblock) const {
    const std::uint16_t block = units_[place(site, superblock)];
    return block == kNone ? kNoBlock : block;
  }
  /// Of the unit; kNone: it is in none.
  std::uint32_t of(std::uint32_t site, std::uint32_t block) const { return of_[at(site, block)]; }

  /// The stream goes on in the unit.
  void opened(std::uint32_t site, std::uint32_t block, Order stream) { join(site, block, stream); }
  /// The unit is full. It joins a superblock if recovery has found it.
  void closed(std::uint32_t site, std::uint32_t block) {
    if (of(site, block) == kNone) join(site, block, kFound);
  }
  /// It is collected.
  void left(std::uint32_t site, std::uint32_t block);

  void serialise(StateVisitor& state);

 private:
  static constexpr std::uint32_t kRemembered = 8;

  struct Begun {
    std::uint32_t count;                   // that have been begun
    std::uint16_t superblock[kRemembered]; // the last ones, by their turn modulo that
  };
  struct Superblock {
    std::uint32_t turn;  // in its order
    std::uint16_t units; // that it has
    std::uint16_t order;
  };

  std::uint32_t at(std::uint32_t site, std::uint32_t block) const {
    return site * blocks_.blocks_per_plane() + block;
  }
  std::size_t place(std::uint32_t site, std::uint32_t superblock) const {
    return std::size_t{site} * most_ + superblock;
  }
  void join(std::uint32_t site, std::uint32_t block, Order order);
  [[nodiscard]] bool joins(std::uint32_t site, std::uint32_t block, Order order);
  void add(std::uint32_t site, std::uint32_t block, std::uint32_t superblock);
  [[nodiscard]] bool holds() const;

  const BlockTable& blocks_;
  std::uint32_t span_;
  std::uint32_t most_;
  std::uint16_t* units_;    // by site and superblock
  std::uint16_t* of_;       // by site and unit
  Superblock* superblocks_; // by set and number
  Begun* begun_;            // by set and order
  std::uint32_t* passed_;   // by site and order: turns that it does not join any more
  BitRows free_;            // by set: numbers
};

} // namespace twinplane::fw
