// Journal: what out-of-band words do not tell is written to the flash as well, before it is needed
// (docs/power_loss.md).
//
// A block that holds the newest version of a trimmed LPN is not erased before a page of the journal says that the
// LPN is unmapped (slice.h): an older version would be found after a power cut. The same page tells of lost sectors,
// and makes a write of zeroes durable, which is answered when it has been written. Every slice is written twice, to
// units of its own on different planes, one after the other, so that one copy is whole whatever a cut ruins. Only
// what has changed is written, and only when a command or an erase waits for it.
//
// A block that waits may be the one whose erase would make space for the journal, so a trim waits until there are
// pages for all that it may cause (ready()); collection goes further meanwhile. Drives with too few spare blocks go
// without, and say so; nothing is written by drives whose hosts never trim.
//
// The parts are the slices (slices.h), what a page says (contents.h, of items.h), the units that pages go to
// (units.h), who waits and when a checkpoint is due (epochs.h), and what writes it all (writer.h).
#pragma once

#include <cstdint>

#include "firmware/ftl/features/journal/writer.h"

namespace twinplane::fw {

class Journal final : public Feature, public Durability, public JournalParts {
 public:
  /// Takes memory if the drive keeps a journal.
  void boot(BootMemory& memory, const Pipeline& pipeline) override;
  std::uint32_t hooks() const override { return hook_set(Hook::unmapped, Hook::unreadable, Hook::may_erase); }
  bool step(bool admits) override;
  bool keeps_trims() const override { return kept(); }
  bool keeps_tables() const override { return keeps_blocks(); }
  bool keeps_map() const override { return checkpoints(); }

  // --- block table and checkpoints ---
  /// All tables that are kept are to be written; with `shut_down` the host has said that it is done. Returns
  /// what durable_up_to() tells the end by.
  std::uint32_t begin_checkpoint(bool shut_down) override;
  /// Blocks have gone bad, the drive is read-only, or what the front end counts must not be lost.
  void table_changed() override { writer.want_blocks(); }
  /// The longest that a checkpoint may take, when nothing is written but it; 0: none is written.
  std::uint64_t longest_checkpoint_ps() const override;
  /// A host is here, again perhaps.
  void opened() override;

  // --- what changes ---
  /// There are pages to write whatever a trim may ask for. False: they are being seen to.
  [[nodiscard]] bool ready() override { return writer.ready_for_trim(); }
  /// The LPN is unmapped; `newest` (or kNoPpn) holds its newest version, or some of it.
  void unmapped(std::uint32_t lpn, Ppn newest) override;
  void holds_unmapped(Ppn page) override {
    if (kept()) held.hold(page, epochs.now());
  }
  /// A version of the LPN that the host knows to be written has gone with a trim before it came to the flash:
  /// what lies there is older than a flush promises.
  void dropped(std::uint32_t lpn) override;
  /// Sectors of the LPN are lost. It is told at once: nothing else keeps older versions from being found.
  void unreadable(std::uint32_t lpn) override;

  // --- who waits ---
  /// The unit must not be erased yet; what it waits for is being written.
  [[nodiscard]] bool holds(std::uint32_t site, std::uint32_t block) override;
  bool may_erase(std::uint32_t site, std::uint32_t block) override { return !holds(site, block); }
  /// It need not wait: what has made its pages invalid has been written.
  bool has_told(std::uint32_t site, std::uint32_t block) const override {
    return kept() && held.since(site, block) <= epochs.durable();
  }
  /// All that has happened is to be written; durable_up_to() tells when it has been.
  [[nodiscard]] std::uint32_t begin_commit() override { return kept() ? want_all() : 0; }
  /// What a flush of the host has to wait for, too (durable_up_to); it is being written.
  [[nodiscard]] std::uint32_t begin_flush_of_host() override;
  bool durable_up_to(std::uint32_t epoch) const override { return epoch <= epochs.durable(); }
  /// A zeroed page (work unmap): given back by take_durable() once its LPN's slice has been written.
  void wait(Transaction& t) override;
  /// Nothing that has happened to the LPN has to be written.
  bool durable(std::uint32_t lpn) const override { return !kept() || slices.clean(items.of(lpn)); }
  /// The next one of those that have waited; nullptr: none is ready.
  Transaction* take_durable() override { return epochs.take_durable(); }

  bool write() override { return writer.run(); }
  bool may_write() const override { return writer.busy(); }
  bool all_written() const override { return writer.idle(); }
  bool waits_for_space() const override { return writer.waits_for_space(); }
  bool give_back() override { return writer.give_back(); }

  // --- recovery ---
  /// The tables are complete, from words and checkpoint; `record` is what the newest page of the block table
  /// says, or nullptr. The front end's counters go on from there.
  void recovered(const KeptRecord* record);
  /// What has been found in one copy alone is written before the host sees it: the next cut may ruin that
  /// one. Returns what durable_up_to() tells the end by.
  [[nodiscard]] std::uint32_t rewrite_single_copies() { return want_all(); }
  FoundMetadata* make_recovery(BootMemory& memory, const RecoveryPart& part,
                               const RecoveryStages& stages) override;
  std::uint32_t copy_of_word(std::uint64_t oob) const override;

  /// Nothing may be under way.
  void serialise(StateVisitor& visitor) override;

  JournalWriter writer;

 private:
  std::uint32_t want_all();

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  std::uint32_t turns_stuck_ = 0; // that a unit has been waited for while nothing was under way
};

} // namespace twinplane::fw
