// The recovery of metadata (metadata/): reads their pages, and brings back what they tell. What one copy alone tells is
// written again before the host sees it (Journal::rewrite_single_copies): that copy may be what the next cut ruins.
#pragma once

#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/recovery/scan.h"
#include "firmware/ftl/recovery/told_slices.h"
#include "firmware/ftl/recovery/trims.h"
#include "firmware/ftl/recovery/units.h"

namespace twinplane::fw {

class MetadataRecovery final : public OpOwner, private RecoveryPart {
 public:
  struct Parts {
    DieQueues& board;
    Journal& journal;
    FoundMap& map;
    FoundUnits& units;
  };
  MetadataRecovery(BootMemory& memory, const RecoveryPart& part, const Parts& parts);

  /// What is read first.
  RecoveryPass first_pass() const { return journal_.checkpoints() ? RecoveryPass::first : RecoveryPass::all; }
  /// Begins reads of pages in the blocks that the scan has found; false: all have been read.
  [[nodiscard]] bool read();
  /// Takes the map of the checkpoint and the block table, while all blocks are free yet. Returns what is read next.
  RecoveryPass load();
  FoundSlices& slices() { return slices_; }
  /// As read(): parts of slices, when all words are known.
  [[nodiscard]] bool read_parts();
  /// Gives metadata their units and what is known of slices, and the tables what these tell.
  void hand_over();
  /// The tables are complete. What has to be settled is being written from now on.
  void recovered();
  bool settled() const { return journal_.durable_up_to(settled_); }
  /// The drive has become read-only in an earlier life.
  bool read_only() const {
    const KeptRecord* const record = slices_.newest_record();
    return record != nullptr && record->read_only != 0;
  }

 private:
  static const OpTraits kRead;
  static constexpr std::uint32_t kNoPart = 0xFFFFFFFFu;

  [[nodiscard]] bool begin_read(Ppn page, std::uint32_t part);
  void page_read(Transaction& t, const FlashCompletion& c);
  void take_part(Transaction& t, const std::uint8_t* page);
  void load_block(std::uint32_t number, std::uint32_t entry, std::uint32_t stamp);
  bool blocks_told_twice() const;
  std::uint32_t written(std::uint32_t site, std::uint32_t block) const;

  DieQueues& board_;
  Journal& journal_;
  FoundMap& map_;
  FoundUnits& units_;
  FoundSlices slices_;
  TrimReplay trims_;
  ToldSlices told_;
  bool blocks_gone_ = false;     // what both copies have told of the block table, and neither does any more
  std::uint32_t settled_ = 0;    // epoch of metadata
  std::uint32_t reading_ = 0;    // pages
  std::uint32_t next_block_ = 0; // of the drive: where pages are read next
  std::uint32_t next_page_ = 0;
  std::uint32_t next_part_; // slice number
};

} // namespace twinplane::fw
