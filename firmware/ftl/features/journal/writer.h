// Writes the journal: slice by slice, one copy behind the other, and erases the units that are not needed.
#pragma once

#include <cstdint>

#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/features/journal/contents.h"
#include "firmware/ftl/features/journal/epochs.h"
#include "firmware/ftl/features/journal/slices.h"
#include "firmware/ftl/features/journal/units.h"

namespace twinplane::fw {

/// What a journal consists of.
struct JournalParts {
  JournalItems items;
  JournalSlices slices;
  JournalContents contents;
  JournalUnits units;
  JournalEpochs epochs;
  HeldBlocks held;
  Checkpoints checkpoint;

  /// The drive has spare blocks for a journal; for the block table in it; and for the map.
  bool kept() const { return units.kept(); }
  bool keeps_blocks() const { return kept() && slices.layout().keeps_blocks(); }
  bool checkpoints() const { return kept() && slices.layout().checkpoints(); }
};

class JournalWriter final : public OpOwner {
 public:
  void boot(FtlState& state, DieQueues& board, JournalParts& parts, const Feature& journal) {
    state_ = &state;
    journal_ = &journal;
    board_ = &board;
    parts_ = &parts;
  }
  /// All up to this epoch is to be written.
  void want(std::uint32_t epoch) {
    parts_->epochs.want(epoch);
    look();
  }
  /// The block table is to be written, if it is kept.
  void want_blocks();
  /// All tables that are kept are to be, and all have been, or will not be.
  void want_checkpoint();
  void end_checkpoint();
  /// There are pages to write whatever a trim may ask for. False: they are being seen to.
  [[nodiscard]] bool ready_for_trim();
  bool trim_waits() const { return trim_waits_; }

  /// There may be something to do.
  bool busy() const { return busy_ || parts_->checkpoint.due(); }
  void look() {
    busy_ = true;
    state_->hooks.wake(*journal_);
  }
  bool idle() const { return step_ == Step::idle && !work_waits(); }
  bool at_rest() const { return step_ == Step::idle && !parts_->epochs.flushing(); }
  /// True when what is waited for has become durable, or pages have been found for a trim that waits.
  bool run();
  /// Collection should make space for a unit; until then nothing can be written.
  bool waits_for_unit() const { return waits_for_unit_; }
  /// ... or programs must end, for the next page has no room for more of them.
  bool waits_for_space() const;
  /// There will be none, for nothing is under way: what waits goes on without. What has been written stays.
  void give_up();
  /// The drive is out of space: the units go back to it, for good. False: there are none.
  [[nodiscard]] bool give_back();
  std::uint64_t begin_program(Transaction& t) override;

 private:
  static const OpTraits kPage;
  static const OpTraits kErase;
  enum class Step : std::uint8_t { idle, writing, erasing };

  /// Twice all slices: a flush that is going on may write each of them, and so may the next one.
  std::uint32_t room_wanted() const { return 2 * parts_->slices.most() + 2; }
  bool work_waits() const {
    return parts_->epochs.flushing() || parts_->epochs.wanted() || trim_waits_ || parts_->units.erases_wait();
  }
  [[nodiscard]] bool advance();
  [[nodiscard]] bool begin_flush();
  void end_flush();
  [[nodiscard]] bool make_room();
  [[nodiscard]] bool take_units();
  [[nodiscard]] bool write();
  [[nodiscard]] bool begin_erase();
  void page_done(Transaction& t, const FlashCompletion& c);
  void erase_done(Transaction& t, const FlashCompletion& c);

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  JournalParts* parts_ = nullptr;
  const Feature* journal_ = nullptr;
  std::uint32_t slice_ = 0; // that is being written
  std::uint32_t copy_ = 0;
  Step step_ = Step::idle;
  bool busy_ = false;
  bool waits_for_unit_ = false;
  bool trim_waits_ = false;
  bool discard_current_page_ = false; // it had not enough room
};

} // namespace twinplane::fw
