// What a recovery has found in the blocks: how far they are written, and when they were.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/map/write_stamp.h"
#include "firmware/ftl/recovery/recovery_counters.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

/// Whether the mode of a block is known, or how the block is being read to find out (features/slc_cache/cache_recovery.cpp).
enum class ModeProbe : std::uint8_t { told, first, native, slc };

struct FoundBlock {
  std::uint64_t oldest; // stamps; of the first and the last page that has one
  std::uint64_t newest;
  std::uint16_t written[kMaxPageTypes];
  bool stamped; // one has
  bool torn;    // one has a word that cannot be read
  bool known;   // the checkpoint tells of its pages: they have not been read
  bool own;     // it may hold metadata: its first page does, or cannot be read
  ModeProbe mode;
  std::uint8_t copy;   // of metadata, + 1; 0: it holds none
  std::uint16_t taken; // pages that a cut may have ruined when they were complete
  /// The same where no mode has shown a word, and it was read as a native one before.
  std::uint16_t taken_as_native;
  bool named; // the map names pages of it; where bad blocks are replaced

  std::uint32_t pages() const { return std::accumulate(written, written + kMaxPageTypes, 0u); }
  /// At most.
  std::uint32_t pages_taken() const {
    return mode == ModeProbe::told ? taken : std::max(taken, taken_as_native);
  }
  /// All pages of so many types are written.
  void fill(std::uint32_t types, std::uint32_t wordlines) {
    std::fill_n(written, types, static_cast<std::uint16_t>(wordlines));
  }
};

class FoundBlocks {
 public:
  FoundBlocks(BootMemory& memory, const BlockTable& table, StampOrder order)
      : table_(table), order_(order), found_(memory.zeroed<FoundBlock>(table.geometry().blocks())) {}

  FoundBlock& at(std::uint32_t plane, std::uint32_t block) const {
    return found_[plane * table_.blocks_per_plane() + block];
  }
  FoundBlock* begin() const { return found_; }
  FoundBlock* end() const { return found_ + table_.geometry().blocks(); }
  FoundBlock& at(Ppn page) const { return at(table_.plane_of(page), table_.block_of(page)); }

  /// Calls each(plane, block) for the blocks of a unit.
  template <typename Each>
  void for_each_block(std::uint32_t site, std::uint32_t block, const Each& each) const {
    const std::uint32_t first = table_.first_plane_of(site);
    for (std::uint32_t plane = first; plane < first + table_.twins(); ++plane) each(plane, at(plane, block));
  }
  std::uint32_t pages_of(std::uint32_t site, std::uint32_t block) const {
    std::uint32_t sum = 0;
    for_each_block(site, block, [&](std::uint32_t, const FoundBlock& f) { sum += f.pages(); });
    return sum;
  }
  /// All pages of the unit are written that its region uses.
  bool is_full(std::uint32_t site, std::uint32_t block) const {
    return pages_of(site, block) == table_.region_pages(table_.unit(site, block).region) * table_.twins();
  }
  /// Copy of metadata that the unit holds, + 1; 0: none.
  std::uint32_t copy_of(std::uint32_t site, std::uint32_t block) const {
    std::uint32_t copy = 0;
    for_each_block(site, block, [&](std::uint32_t, const FoundBlock& f) { copy = f.copy ? f.copy : copy; });
    return copy;
  }
  void note_stamp(FoundBlock& f, std::uint64_t stamp) {
    if (!f.stamped || order_.newer(f.oldest, stamp)) f.oldest = stamp;
    if (!f.stamped || order_.newer(stamp, f.newest)) f.newest = stamp;
    f.stamped = true;
    if (!any_stamp_ || order_.newer(stamp, newest_)) newest_ = stamp;
    any_stamp_ = true;
  }
  /// Stamp of the drive's last program.
  std::uint64_t newest() const { return newest_; }
  /// Programs since that stamp.
  std::uint64_t age(std::uint64_t stamp) const { return order_.behind(stamp, newest_); }

 private:
  const BlockTable& table_;
  StampOrder order_;
  FoundBlock* found_; // per plane and block
  std::uint64_t newest_ = 0;
  bool any_stamp_ = false;
};

/// The words of the drive's pages.
inline UnitWords words_of_drive(const FtlState& state) {
  return state.units == nullptr ? kPageWords : state.units->io.words();
}

/// Of each item that of the version which the map names; as wide as the stamps of the drive's words are.
class FoundStamps {
 public:
  FoundStamps(BootMemory& memory, std::uint32_t items, bool wide)
      : low_(memory.zeroed<std::uint32_t>(items)),
        high_(wide ? memory.zeroed<std::uint32_t>(items) : nullptr) {}
  std::uint64_t of(std::uint32_t item) const {
    return high_ == nullptr ? low_[item] : std::uint64_t{high_[item]} << 32 | low_[item];
  }
  void set(std::uint32_t item, std::uint64_t stamp) {
    low_[item] = static_cast<std::uint32_t>(stamp);
    if (high_ != nullptr) high_[item] = static_cast<std::uint32_t>(stamp >> 32);
  }
  /// As much of them as metadata have.
  const std::uint32_t* low() const { return low_; }

 private:
  std::uint32_t* low_;
  std::uint32_t* high_;
};

/// What all parts of a recovery work on.
struct RecoveryPart {
  FtlState& state_;
  FoundBlocks& found_;
  RecoveryCounters& counters_;
  BlockTable& blocks_ = state_.blocks;
};

} // namespace twinplane::fw
