// Pages that commands program enter the map when they are handed out, not when they have been programmed: what reads
// the LPN from now on queues for the same die and so behind this program.
#pragma once

#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/io/write_path.h"
#include "firmware/ftl/sched/command_group.h"

namespace twinplane::fw {

class MapCommit {
 public:
  void boot(FtlState& state, GcJobs& jobs, Journal& journal, WritePath& writes);

  void commit(const CommandGroup& g);

 private:
  [[gnu::cold]] void count_own(const Transaction& t);
  void enter_page(Transaction& t, const PageSlot& slot);
  void enter_units(Transaction& t, const PageSlot& slot);
  void take_losses(Transaction& t);
  void count_in_region(const Transaction& t, std::uint32_t block);
  void count_host_page(const Transaction& t);
  void count_moves(const CommandGroup& g);
  void count_copyback(const Transaction& t);
  void count_left_out(const Transaction& t, ProgramCause cause);

  FtlState* state_ = nullptr;
  GcJobs* jobs_ = nullptr;
  Journal* journal_ = nullptr;
  WritePath* writes_ = nullptr;
  bool in_regions_ = false; // there are several
};

} // namespace twinplane::fw
