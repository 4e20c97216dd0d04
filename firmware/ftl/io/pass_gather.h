// Writes that are programmed together, as a page takes units of several of them, as the pages of a wordline are
// programmed in one pass (nand.one_pass), or as the planes of a die are to work at once (ftl.program_unit): those that
// may go to the same pages (an allocation class) wait here until there are as many as that takes, and then for their
// places.
//
// Fewer of them go on, and the rest of their page or wordline is padded, when nothing is under way that others could come
// behind, when something waits for all programs to be done, or when they have waited for ftl.pack_timeout: so reads
// without end, or writes to other classes, hold nothing up.
#pragma once

#include "firmware/ftl/die_queues.h"

namespace twinplane::fw {

class PassGather {
 public:
  void boot(BootMemory& memory, FtlState& state, DieQueues& board);
  /// The drive programs so.
  bool on() const { return classes_ != nullptr; }

  /// t has all but its place.
  void add(Transaction& t);
  /// Lets those go that need not wait any more, all of them if `pressing`; `coming`: other writes will be here soon.
  /// False: all go on waiting.
  [[nodiscard]] bool run(bool pressing, bool coming);

 private:
  struct Class {
    TransactionList writes;
    std::uint32_t count;
    std::uint32_t units; // of them
  };
  std::uint32_t units_of(const Transaction& t) const;
  void release(Class& c);
  void release_overdue(std::uint64_t now_ps);
  void wake_when_due();

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  Class* classes_ = nullptr;
  std::uint32_t wanted_ = 1; // units that go on together
  bool fills_pages_ = false;
  std::uint32_t count_ = 0;   // of all that wait
  std::uint64_t due_ps_ = 0;  // until then none has waited too long
  std::uint64_t wake_ps_ = 0; // of the alarm
  Alarm alarm_;
};

} // namespace twinplane::fw
