// Recovery of a drive with an SLC-mode cache: what words of subpages say.
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
    note_torn(t.ppn, f);
  }
}

/// A logical page has one native page, or there would not be room for all of them. False: there are more than
/// can be written now.
bool Recovery::join_split() {
  for (; next_lpn_ != state_->exported_pages; ++next_lpn_) {
    if (!cache_->is_split(next_lpn_)) continue;
    if (!host_->rewrite(next_lpn_, ProgramCause::backup)) return false;
    ++counters_.pages_rescued;
  }
  return true;
}

} // namespace twinplane::fw
