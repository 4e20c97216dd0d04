// Recovery of a drive with an SLC-mode cache: what words of subpages say.
#include "firmware/ftl/recovery/recovery.h"

namespace twinplane::fw {

/// Padding has no word, although it can be read.
void Recovery::take_words(const Transaction& t, const FlashCompletion& c, Found& f) {
  const CacheRecovery::FoundPage page = cache_->recovery.found(t);
  if (page.any || (c.result & flash_result::uncorrectable) == 0) f.look = Look::told;
  if (page.own != 0) f.copy = static_cast<std::uint8_t>((page.own - 1) % kJournalCopies + 1);
  if (page.any) take_marks(t.ppn, c.failed_sectors);
  if (page.any) {
    note_stamp(page.oldest, f);
    note_stamp(page.newest, f);
  } else if ((c.result & flash_result::uncorrectable) != 0) {
    note_torn(t.ppn, f);
  }
}

/// Of the subpages whose newest version is in the page.
void Recovery::take_marks(Ppn page, std::uint32_t lost) const {
  if (lost == 0 && !state_->lost.any()) return;
  const SubpageMap& map = cache_->map;
  const std::uint32_t sectors = cache_->io.sectors_per_subpage();
  for (std::uint32_t slot = 0; slot < map.page(page).used; ++slot) {
    const std::uint32_t lpn = map.owner_lpn(page, slot);
    const std::uint32_t subpage = map.owner_subpage(page, slot);
    if (map.at(lpn, subpage) != map.psn(page, slot)) continue;
    count_losses(lpn * map.subpages() + subpage, lost >> slot * sectors & low_mask(sectors));
  }
}

/// A logical page has one native page, or there would not be room for all of them. False: there are more than
/// can be written now.
bool Recovery::join_split() {
  for (; next_lpn_ != state_->exported_pages; ++next_lpn_) {
    if (!cache_->recovery.is_split(next_lpn_)) continue;
    if (!host_->rewriter.rewrite(next_lpn_, ProgramCause::backup)) return false;
    ++counters_.pages_rescued;
  }
  return true;
}

} // namespace twinplane::fw
