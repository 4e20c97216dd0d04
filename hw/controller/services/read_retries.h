// Pages that could not be corrected, and what becomes of them: they are read again at one read level (feature
// 89h) after the other, until their codewords can be corrected or no level is left. First come levels with other
// thresholds, each decoded for itself, then senses for soft decisions, which are decoded together.
//
// The controller does this and not the firmware: it has the die's order of commands in hand, so no other read can
// come between a level and the read that it is meant for, and no time of the core is lost. The firmware sees one
// completion.
//
// What is read again is a group like any other, of the pages that failed and their sectors that failed. It
// stands in its die's FIFO behind what runs when its last decoding has failed; the die goes on with other
// commands until then. sequences/retry.cpp reads it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>

#include "hw/controller/flash_group.h"
#include "hw/controller/rings.h"
#include "hw/core/onfi_tenure.h"

namespace twinplane::hw {

/// What a group that is read again keeps of its pages.
struct ReadRetry {
  /// A page that could not be corrected so far.
  struct Page {
    FlashCompletion completion; // of its first read
    TimePs known = 0;           // ... when its decoding had failed
    std::uint32_t plane = 0;    // its place in FlashGroup::planes
    std::uint32_t failed = 0;   // sectors
    std::uint8_t kind = 0;      // RawErrors::kind
    bool counted = false;       // by a model of bit errors
  };
  std::array<Page, kMaxPlanesPerDie> pages;
  std::uint32_t failing = 0; // pages that the sense under way leaves behind
  std::uint32_t level = 0;   // read level of that sense; 0: nothing is left to be read
  TimePs due = 0;            // the decodings of that sense, or of the first reads, have ended
  ReadRetry* next = nullptr; // not in use
};

class ReadRetries {
 public:
  ReadRetries(Rings& rings, FlashControllerStatistics& statistics) : rings_(rings), statistics_(statistics) {}
  /// `thresholds`: read levels with other thresholds. `soft`: further senses for soft decisions.
  void set_levels(std::uint32_t thresholds, std::uint32_t soft);

  /// Whether a page that could not be corrected is to be read again.
  bool tries() const { return levels_ != 0; }
  /// Further senses for soft decisions that the group's pages have had, the one under way among them.
  std::uint32_t soft_senses(const FlashGroup& group) const {
    const std::uint32_t level = group.retry == nullptr ? 0 : group.retry->level;
    return level > thresholds_ ? level - thresholds_ : 0;
  }
  /// The group's page `next_out` was read for the first time, and could not be corrected.
  void keep(FlashGroup& group, const RawErrors& errors, const FlashCompletion& completion, TimePs known);
  /// It was read again. `lost`: sectors of it that no sense brings back.
  void judge(FlashGroup& group, const FlashCompletion& latest, std::uint32_t lost, TimePs known);
  /// The group has left its die: it comes back when its decodings have ended.
  void defer(FlashGroup& group);
  /// The last data of a sense have left the die: their decodings tell what comes next.
  void end_sense(FlashGroup& group) const;
  void forget(FlashGroup& group);

  bool waiting() const { return deferred_ != nullptr; }
  /// When the first deferred group is to join its die; there must be one.
  TimePs due() const { return deferred_->retry->due; }
  FlashGroup& take() { return *std::exchange(deferred_, deferred_->next); }

 private:
  Rings& rings_;
  FlashControllerStatistics& statistics_;
  std::uint32_t thresholds_ = 0;
  std::uint32_t levels_ = 0;       // with those for soft decisions
  FlashGroup* deferred_ = nullptr; // their decodings are still under way; by the time of their end
  std::deque<ReadRetry> retries_;  // all that were ever needed at the same time
  ReadRetry* free_ = nullptr;
};

/// The outcome of a page that was read with a model of bit errors.
inline void count_outcome(ReadErrorStatistics& statistics, const FlashCompletion& completion) {
  if ((completion.result & flash_result::uncorrectable) != 0) {
    ++statistics.uncorrectable;
  } else if (completion.corrected_bits != 0) {
    ++statistics.corrected;
  }
}

} // namespace twinplane::hw
