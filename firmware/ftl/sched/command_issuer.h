// A formed group becomes flash descriptors in the ring of its channel.
#pragma once

#include <cstdint>

#include "firmware/ftl/issue_observer.h"
#include "firmware/ftl/sched/map_commit.h"
#include "firmware/hal/flash_port.h"
#include "firmware/hal/probe_point.h"

namespace twinplane::fw {

class CommandIssuer {
 public:
  void boot(FtlState& state, DieQueues& board, const GroupRules& rules, FlashPort* ports);
  void attach(IssueObserver& observer) { observer_ = &observer; }

  /// What is issued from now on has waited until then.
  void begin_round(std::uint64_t now_ps) { now_ps_ = now_ps; }
  void issue(CommandGroup& g);
  /// Rings the doorbell of each channel that got descriptors since the last call.
  void kick();
  /// Instead of kick(): the channels, as bits.
  std::uint64_t take_posted() {
    const std::uint64_t posted = posted_;
    posted_ = 0;
    return posted;
  }

  MapCommit map;

 private:
  void describe(Transaction& t, FlashOp op, std::uint32_t row_base, FlashDescriptor& f);
  void describe_units(const Transaction& t, FlashDescriptor& f);
  void append(const CommandGroup& g);
  void append_pass(const CommandGroup& g);
  FlashDescriptor& append(const DieQueue& d, FlashOp op, std::uint8_t flags);
  void append_page(const CommandGroup& g, const DieQueue& d, std::uint32_t i, std::uint8_t flags);
  void append_padding(const CommandGroup& g, std::uint32_t last, std::uint32_t behind, std::uint8_t flags);
  void posted(const CommandGroup& g, std::uint32_t operations);
  // --- what the probes are told ---
  [[gnu::cold]] static void show(const CommandIssuer& issuer, const CommandGroup& g);
  [[gnu::cold]] static void tell(const CommandIssuer& issuer, const CommandGroup& g);
  [[gnu::cold]] static void tell_doorbells(const CommandIssuer& issuer, const FtlState& state);

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  const GroupRules* rules_ = nullptr;
  FlashPort* ports_ = nullptr;
  Units* units_ = nullptr;            // null in drives that are mapped by page
  IssueObserver* observer_ = nullptr; // null: none is attached
  bool passes_ = false;               // wordlines are programmed in one pass
  std::uint64_t posted_ = 0;          // channels with descriptors behind the doorbell
  std::uint64_t now_ps_ = 0;
};

} // namespace twinplane::fw
