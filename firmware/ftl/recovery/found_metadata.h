// What a recovery asks of what the drive wrote to the flash beside the words of pages: trims, lost sectors, the block
// table, a checkpoint. A drive whose features write none has found nothing; what the journal has found is
// features/journal/recovery.h.
#pragma once

#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/recovery/units.h"

namespace twinplane::fw {

/// What a recovery reads: the words of all blocks (without checkpoints); else first words, then those of blocks of
/// metadata, then, behind the pages of metadata, last words of what was begun before the checkpoint, then the rest.
/// Before the tables are rebuilt parts of slices are read once more. Behind all these, what has to be is written.
enum class RecoveryPass : std::uint8_t { all, first, own, metadata, last, rest, rescue, parts };

/// The stages of a recovery that read and rebuild.
struct RecoveryStages {
  DieQueues& board;
  FoundMap& map;
  FoundUnits& units;
};

class FoundMetadata {
 public:
  /// What is read first.
  [[nodiscard]] virtual RecoveryPass first_pass() const { return RecoveryPass::all; }
  /// Begins reads of pages in the blocks that the scan has found; false: all have been read.
  [[nodiscard]] virtual bool read() { return false; }
  /// Takes the map of the checkpoint and the block table, while all blocks are free yet. Returns what is read next.
  virtual RecoveryPass load() { return RecoveryPass::parts; }
  /// Pages that are read later are named by the die's blocks from now on (&BlockTable::in_die), or by numbers again.
  virtual void rename_pages(Ppn (BlockTable::* /*to*/)(Ppn) const) {}
  /// As read(), when all words are known.
  [[nodiscard]] virtual bool read_parts() { return false; }
  /// Gives metadata their units, and the tables what has been read.
  virtual void hand_over() {}
  /// The tables are complete. What has to be settled is being written from now on.
  virtual void recovered() {}
  [[nodiscard]] virtual bool settled() const { return true; }
  /// The drive has become read-only in an earlier life.
  [[nodiscard]] virtual bool read_only() const { return false; }

 protected:
  ~FoundMetadata() = default;
};

/// Of a drive that writes none.
class NoMetadata final : public FoundMetadata {};

} // namespace twinplane::fw
