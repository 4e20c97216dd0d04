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

/// Whether the mode of a block is known, or how the block is being read to find out (found_subpages.cpp).
enum class ModeProbe : std::uint8_t { told, first, native, slc };

struct FoundBlock {
  std::uint64_t first_word;
  std::uint32_t first_lost; // sectors of the first page that are marked as lost
  std::uint64_t oldest;     // stamps; of the first and the last page that has one
  std::uint64_t newest;
  std::uint16_t written[kMaxPageTypes];
  bool stamped; // one has
  bool torn;    // one has a word that cannot be read
  bool known;   // the checkpoint tells of its pages: they have not been read
  ModeProbe mode;
  std::uint8_t copy;        // of metadata, + 1; 0: it holds none
  std::uint16_t taken;      // pages that a cut may have ruined when they were complete
  std::uint16_t duplicates; // pages that the map names and of which there is another one
  std::uint16_t named;      // pages that the map names; where bad blocks are replaced

  std::uint32_t pages() const { return std::accumulate(written, written + kMaxPageTypes, 0u); }
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

/// What all parts of a recovery work on.
struct RecoveryPart {
  FtlState& state_;
  FoundBlocks& found_;
  RecoveryCounters& counters_;
  BlockTable& blocks_ = state_.blocks;
};

} // namespace twinplane::fw
