// The scan of a recovery: which page each plane reads next for its out-of-band word.
#pragma once

#include "firmware/ftl/recovery/found_metadata.h"

namespace twinplane::fw {

class WordScan final : public OpOwner, private RecoveryPart {
 public:
  WordScan(BootMemory& memory, const RecoveryPart& part, DieQueues& board, FoundMap& map);

  void begin(RecoveryPass pass);
  /// Begins what can be read now; false: all of the pass has been read.
  [[nodiscard]] bool run();

 private:
  static const OpTraits kScan;

  /// How far a plane has been read. Pages follow each other in runs: the block's, or those of each type.
  struct Cursor {
    std::uint32_t plane = 0;
    std::uint32_t block = 0;
    std::uint16_t page = 0; // of the run
    std::uint8_t run = 0;
    bool reading = false;
  };

  bool wanted(std::uint32_t plane, std::uint32_t block) const;
  /// Blocks whose first word has been read are read from the second one on.
  std::uint16_t first_page() const {
    return pass_ == RecoveryPass::own || pass_ == RecoveryPass::rest ? 1 : 0;
  }
  /// Of a drive all of whose blocks are, the pages are as those of any other drive.
  bool in_slc_mode(std::uint32_t plane, std::uint32_t block) const {
    return blocks_.block(plane, block).slc_mode != 0 && !state_.config.slc_mode;
  }
  bool in_slc_mode(const Cursor& c) const { return in_slc_mode(c.plane, c.block); }
  bool at_end(const Cursor& c) const { return c.block == blocks_.blocks_per_plane(); }
  void read_next(Cursor& c);
  std::uint32_t page_at(const Cursor& c) const;
  void advance(Cursor& c, bool blank) const;
  void go_to(Cursor& c, std::uint32_t block) const { c = Cursor{c.plane, block, first_page(), 0, c.reading}; }
  void scanned(Transaction& t, const FlashCompletion& c);
  void take_last_word(Cursor& cursor, const FoundMap::LastWord& word, bool blank);
  void know_block(FoundBlock& f, std::uint32_t types);
  void read_again(Cursor& c, std::uint32_t block, ModeProbe mode);

  DieQueues& board_;
  FoundMap& map_;
  Cursor* cursors_; // per plane
  RecoveryPass pass_ = RecoveryPass::all;
  std::uint32_t reading_ = 0;
  std::uint32_t fast_pages_before_first_slow_; // of two partitions (units.h)
  std::uint32_t runs_;                         // per block
};

} // namespace twinplane::fw
