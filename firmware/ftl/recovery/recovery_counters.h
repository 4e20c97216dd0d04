// What a recovery of the tables has read and found (recovery.h).
#pragma once

#include <cstdint>

namespace twinplane::fw {

struct RecoveryCounters {
  std::uint64_t pages_read = 0;       // blank ones included
  std::uint64_t pages_found = 0;      // written
  std::uint64_t pages_unreadable = 0; // of them, without a word
  std::uint64_t pages_taken = 0;    // of these, that may have been complete before a cut ruined them: at most
  std::uint64_t blocks_known = 0;   // from a checkpoint: not read but for their ends
  std::uint64_t metadata_pages = 0; // read, and of this drive
  std::uint64_t metadata_gone = 0;  // the newest of their slices, and no copy can be read: at most so many
  std::uint64_t sectors_untold = 0; // that these told of: trims of theirs may be undone, losses forgotten
  std::uint64_t lpns_unmapped = 0;  // by what they say
  std::uint64_t units_found = 0;    // with a written page
  std::uint64_t units_resumed = 0;  // partly written, and going on
  std::uint64_t units_closed = 0;   // partly written, and given up
  std::uint64_t blocks_ps = 0;      // first words, and words of metadata
  std::uint64_t scan_ps = 0;        // from the first read to the last completion
  std::uint64_t metadata_ps = 0;    // the same of pages of metadata
  std::uint64_t rebuild_ps = 0;     // of the core
  std::uint64_t pages_rescued = 0;  // found in copies of lower pages alone, and written again
  std::uint64_t rescue_ps = 0;      // until they are, and all lower pages have copies
};

} // namespace twinplane::fw
