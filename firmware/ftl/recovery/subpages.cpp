// Recovery of a drive with an SLC-mode cache: what words of subpages, and pages of metadata about them, say.
#include <algorithm>
#include <cstring>

#include "firmware/ftl/recovery/recovery.h"

namespace twinplane::fw {

/// Padding has no word, although it can be read.
void Recovery::take_words(const Transaction& t, const FlashCompletion& c, Found& f) {
  const SlcCache::FoundPage page = cache_->found(t);
  if (page.any || (c.result & flash_result::uncorrectable) == 0) f.look = Look::told;
  if (page.own != 0) f.copy = static_cast<std::uint8_t>(page.own);
  if (page.any) {
    note_stamp(page.oldest, f);
    note_stamp(page.newest, f);
  } else if ((c.result & flash_result::uncorrectable) != 0) {
    ++counters_.pages_unreadable;
    f.torn = true;
  }
}

/// As apply_slice(), by subpage. Pages of metadata have as much of the sequence as a stamp.
void Recovery::apply_subpage_slice(std::uint32_t slice) {
  const SliceLayout& layout = metadata_->layout();
  const std::uint8_t* const page = slice_page(slice);
  SubpageMap& map = cache_->map;
  const std::uint32_t stamp = slice_stamp_[slice];
  const auto found = [&](std::uint32_t item) {
    return map.at(item / map.subpages(), item % map.subpages()) != kNoPsn;
  };
  const auto newer = [&](std::uint32_t item, std::uint32_t than) {
    const std::uint64_t sequence = cache_->sequence_of(item);
    return found(item) && kPageStamps.newer(sequence, than);
  };
  SliceHeader header;
  std::memcpy(&header, page, sizeof header);
  for (std::uint32_t i = 0; i < header.losses; ++i) {
    SliceLoss loss;
    std::memcpy(&loss, page + layout.entry_at(header.programs + i), sizeof loss);
    const std::uint32_t lpn = loss.lpn / map.subpages();
    if (lpn < state_->exported_pages && !newer(loss.lpn, stamp))
      state_->lost.set(lpn, state_->lost.of(lpn) | loss.sectors);
  }
  const auto was_under_way = [&](std::uint32_t item) {
    for (std::uint32_t i = 0; i < header.programs; ++i) {
      SliceProgram program;
      std::memcpy(&program, page + layout.entry_at(i), sizeof program);
      if (program.lpn == item && !kPageStamps.newer(program.stamp, cache_->sequence_of(item))) return true;
    }
    return false;
  };
  for (std::uint32_t n = 0; n < header.items; ++n) {
    const std::uint32_t item = layout.first(slice) + n;
    if (!layout.unmapped(page, SliceKind::trims, n) || !found(item) || newer(item, stamp)) continue;
    if (was_under_way(item)) continue;
    map.forget(item / map.subpages(), item % map.subpages());
    ++counters_.lpns_unmapped;
  }
}

/// A logical page has one native page, or there would not be room for all of them.
bool Recovery::join_split() {
  for (; next_lpn_ != state_->exported_pages; ++next_lpn_) {
    if (!cache_->is_split(next_lpn_)) continue;
    if (!host_->rewrite(next_lpn_, ProgramCause::backup)) return false;
    ++counters_.pages_rescued;
  }
  return host_->rewrites() == 0;
}

} // namespace twinplane::fw
