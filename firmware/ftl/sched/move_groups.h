// Groups of the collector's moves: which of those that wait for a die are programmed together.
#pragma once

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/sched/command_group.h"

namespace twinplane::fw {

class MoveGroups {
 public:
  /// Forms a group of the moves in the lane. False when there is none: those that were looked at have ended.
  [[nodiscard]] virtual bool form(TransactionList& lane, CommandGroup& g) = 0;
  /// Nothing but moves and reads may come next on that die: the pages of a set go to one stripe.
  [[nodiscard]] virtual bool set_under_way(std::uint32_t) const { return false; }
  /// Nothing may be queued or in flight.
  virtual void serialise(StateVisitor&) {}

 protected:
  ~MoveGroups() = default;
};

struct MoveContext {
  FtlState& state;
  DieQueues& board;
  Collector& collector;
  const GroupRules& rules;
};

} // namespace twinplane::fw
