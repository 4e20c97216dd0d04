// Recovery: a drive whose cells have been written in an earlier life finds its tables again.
//
// Nothing but the cells is left of a power cut (docs/power_loss.md). Beside each page lie its LPN and its
// stamp (FtlState::make_oob), so the map is: of all readable pages of an LPN the newest one. The steps:
//
//   blocks   With checkpoints only: first words of all blocks, and all words of blocks of metadata (scan.h).
//   scan     The words of all pages that are written. With a checkpoint this step follows that of metadata, and
//            blocks that are as they were then are not read.
//   metadata Pages of metadata: LPNs that are unmapped, lost sectors, the block table, the checkpoint
//            (found_metadata.h).
//   rebuild  Marks the pages that the map names valid (found_map.h), and opens and fills the units (units.h).
//   rescue   What can be read in copies of lower pages alone is written again as the host would, and lower pages
//            whose program had not been answered get a copy.
//
// A page that cannot be read and whose word cannot either was being programmed at the cut, or shares a wordline with
// one that was, or its program had failed: it is written and of no LPN. One whose word can be read has too many errors
// in its data: it is the LPN's page all the same, and reads of it fail. A block that has not been erased to the end has
// only pages of the first kind and so is a victim without a valid page.
#pragma once

#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"
#include "firmware/ftl/recovery/scan.h"

namespace twinplane::fw {

class Recovery final {
 public:
  /// Takes memory and begins only if the configuration says that the cells have been written. All else has booted.
  void boot(BootMemory& memory, const Pipeline& pipeline);

  /// The tables are not complete yet: nothing of the host may be begun.
  bool busy() const { return busy_; }
  /// Goes on as far as it can; whatever is queued waits for the dispatcher.
  void run();
  /// Nothing that it has begun is under way any more, and all that has been read is in the tables.
  bool rescued() const {
    return pass_ == Pass::rescue && state_->hooks.all_protected() && host_->rewriter.under_way() == 0 &&
           metadata_->settled();
  }
  const RecoveryCounters& counters() const { return counters_; }

 private:
  using Pass = RecoveryPass;

  void begin_pass(Pass pass);
  void end_pass();
  void end_step(std::uint64_t& step);
  void rebuild();
  [[nodiscard]] bool write_again();
  void end_rescue();

  FtlState* state_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  FoundBlocks* found_ = nullptr;
  FoundMap* map_ = nullptr;
  FoundUnits* units_ = nullptr;
  WordScan* scan_ = nullptr;
  FoundMetadata* metadata_ = nullptr;
  FoundMap::Rescued rescued_;
  Pass pass_ = Pass::all;
  std::uint64_t step_began_ps_ = 0;
  bool busy_ = false;
  RecoveryCounters counters_;
};

} // namespace twinplane::fw
