// The recovery of metadata: reads the journal's pages, and brings back what they tell. What one copy alone tells is
// written again before the host sees it (Journal::rewrite_single_copies): that copy may be what the next cut ruins.
#pragma once

#include "firmware/ftl/features/journal/told_slices.h"
#include "firmware/ftl/features/journal/trim_replay.h"
#include "firmware/ftl/recovery/found_metadata.h"

namespace twinplane::fw {

class JournalRecovery final : public FoundMetadata, public OpOwner, private RecoveryPart {
 public:
  JournalRecovery(BootMemory& memory, const RecoveryPart& part, Journal& journal,
                  const RecoveryStages& stages);

  RecoveryPass first_pass() const override {
    return journal_.checkpoints() ? RecoveryPass::first : RecoveryPass::all;
  }
  bool read() override;
  RecoveryPass load() override;
  void rename_pages(Ppn (BlockTable::*to)(Ppn) const) override {
    slices_.rename_pages([&](Ppn page) { return (blocks_.*to)(page); });
  }
  bool read_parts() override;
  void hand_over() override;
  void recovered() override;
  bool settled() const override { return journal_.durable_up_to(settled_); }
  bool read_only() const override {
    const KeptRecord* const record = slices_.newest_record();
    return record != nullptr && record->read_only != 0;
  }

 private:
  static const OpTraits kRead;
  static constexpr std::uint32_t kNoPart = 0xFFFFFFFFu;

  [[nodiscard]] bool begin_read(Ppn page, std::uint32_t part);
  void page_read(Transaction& t, const FlashCompletion& c);
  void take_part(Transaction& t, const std::uint8_t* page);
  [[nodiscard]] bool load_checkpoint();
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
