// Sectors whose data the flash has lost: reads of them must fail until they are written again or trimmed.
//
// One bit per logical sector, part of the map's metadata: it stays true whatever page the map names, so
// collection moves a page of which some sectors, or all, are lost like any other. A page that is programmed
// without them says so itself (flash_flag::loses): reads of these sectors fail, in this life and in the next
// one. Where the map names no page only this table tells, and metadata. The memory is touched only around
// sectors that have been lost.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/boot_memory.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class LostSectors {
 public:
  /// 1 << `sectors_shift` sectors per page, 32 at most.
  void boot(BootMemory& memory, std::uint32_t exported_pages, std::uint32_t sectors_shift) {
    shift_ = sectors_shift;
    words_ = ((std::uint64_t{exported_pages} << sectors_shift) + 31) / 32;
    bits_ = memory.zeroed<std::uint32_t>(words_);
  }

  void serialise(StateVisitor& state) {
    state.value(count_);
    if (count_ != 0) state.table(bits_, words_);
  }

  /// False nearly always; then the table need not be looked at.
  bool any() const { return count_ != 0; }
  std::uint64_t count() const { return count_; }

  /// The lost sectors of a page.
  std::uint32_t of(std::uint32_t lpn) const {
    if (count_ == 0) return 0;
    const std::uint64_t first = std::uint64_t{lpn} << shift_;
    return bits_[first / 32] >> first % 32 & low_mask(1u << shift_);
  }

  /// From now on exactly these sectors of the page are lost.
  void set(std::uint32_t lpn, std::uint32_t sectors) {
    const std::uint32_t before = of(lpn);
    if (sectors == before) return;
    const std::uint64_t first = std::uint64_t{lpn} << shift_;
    bits_[first / 32] ^= (before ^ sectors) << first % 32;
    count_ += bits_set(sectors);
    count_ -= bits_set(before);
  }

 private:
  std::uint32_t* bits_ = nullptr;
  std::uint64_t words_ = 0; // of the bits
  std::uint64_t count_ = 0;
  std::uint32_t shift_ = 0;
};

} // namespace twinplane::fw
