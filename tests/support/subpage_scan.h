// Where subpages are, by the flash alone: out-of-band words in whatever order they are found. Of two words of
// a subpage the newer one holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "firmware/ftl/features/slc_cache/slc_cache.h"

namespace twinplane::test {

class SubpageScan {
 public:
  SubpageScan(const fw::SlcCache& cache, std::uint32_t logical_pages)
      : cache_(cache), newest_(std::size_t{logical_pages} * cache.units->map.units()) {}

  /// A page with a word in each slot.
  struct Page {
    std::uint32_t used = 0;      // slots with a word
    std::uint32_t programs = 0;  // that these came with
    std::uint32_t level = 0;     // of the last one
    std::uint32_t strangers = 0; // words of subpages that the drive does not have
  };
  Page add(Ppn ppn, const std::uint64_t* words) {
    Page page;
    std::set<std::uint64_t> sequences;
    for (std::uint32_t slot = 0; slot < cache_.units->map.units(); ++slot) {
      if (words[slot] == fw::kNoWord) continue;
      const std::uint32_t number = cache_.units->io.words().number(words[slot]);
      const std::uint64_t sequence = cache_.units->io.words().sequence(words[slot]);
      ++page.used;
      page.level = cache_.units->io.words().level(words[slot]);
      sequences.insert(sequence);
      if (number >= newest_.size()) {
        ++page.strangers;
      } else if (sequence > newest_[number].sequence) {
        newest_[number] = Found{sequence, cache_.units->map.pun(ppn, slot)};
      }
    }
    page.programs = static_cast<std::uint32_t>(sequences.size());
    return page;
  }

  /// kNoPun: no word of it was found.
  fw::Pun at(std::uint32_t lpn, std::uint32_t subpage) const {
    return newest_[std::size_t{lpn} * cache_.units->map.units() + subpage].pun;
  }

 private:
  struct Found {
    std::uint64_t sequence = 0; // the first program's is 1
    fw::Pun pun = fw::kNoPun;
  };

  const fw::SlcCache& cache_;
  std::vector<Found> newest_;
};

} // namespace twinplane::test
