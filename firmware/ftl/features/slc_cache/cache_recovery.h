// The tables of an SLC-mode cache once more, from the words of the pages that recovery reads, while all blocks are free.
//
// Of all words of a subpage the newest one says where it is (subpage_word.h). A page's words say how many of
// its slots and programs are used, and the level of its block; when its data were last accessed they do not
// say, so that its last program counts for it. Pages without a word cannot be read, are padding, or were
// filled in: they are used up, and belong to no logical page.
//
// Which blocks the cache has is known from their numbers, as at the drive's first boot, unless its size moves
// or worn blocks are exchanged: then recovery looks for the mode of each (features/slc_cache/found_subpages.cpp).
#pragma once

#include "firmware/ftl/features/slc_cache/cache_placement.h"

namespace twinplane::fw {

class CacheRecovery : public CachePart {
 public:
  void boot(const CacheContext& c, Units& units, CacheSpace& space);

  void begin(BootMemory& memory);
  /// Of the newest word of that subpage, whose number is lpn * subpages + subpage, if it has one.
  std::uint64_t sequence_of(std::uint32_t number) const { return sequences_[number]; }
  /// What the words of a page say of it; a page that cannot be read has none.
  struct FoundPage {
    bool any = false;         // it has words
    std::uint32_t own = 0;    // number of the page of metadata that it is, + 1
    std::uint64_t oldest = 0; // their sequences
    std::uint64_t newest = 0;
  };
  /// The scan has read t.ppn, which is not blank: notes whose its slots are.
  FoundPage found(const Transaction& t);
  /// All pages have been found. Opens the block and takes its first `pages` pages, in their order.
  void reopen(std::uint32_t plane, std::uint32_t block, std::uint32_t pages);
  /// What is left of it counts as used: nothing has been written there, and nothing ever will be.
  void give_up_rest(std::uint32_t plane, std::uint32_t block);
  /// Native blocks have the logical page in several pages. What it lost in one of them was newer, and has not
  /// been found: it had not been answered, or its page cannot be read.
  bool is_split(std::uint32_t lpn) const;
  /// All blocks are as they were; `sequence`: of the newest program.
  void recovered(std::uint64_t sequence);

 private:
  void note_word(Pun pun, std::uint64_t word);
  Ppn page_to_append(std::uint32_t plane) const;

  const UnitIo* io_ = nullptr;
  UnitPlacement* placement_ = nullptr;
  CacheSpace* space_ = nullptr;
  std::uint64_t* sequences_ = nullptr; // by logical subpage, of the program that counts
};

} // namespace twinplane::fw
