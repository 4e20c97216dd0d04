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

  void commit(const CommandGroup& g) { g.kind().by_unit ? commit_subpages(g) : commit_pages(g); }

 private:
  void commit_pages(const CommandGroup& g);
  [[gnu::cold]] void count_own(const Transaction& t);
  void take_losses(Transaction& t);
  void count_in_region(const Transaction& t, std::uint32_t block);
  void count_host_page(const Transaction& t);
  void count_moves(const CommandGroup& g, bool for_wear);
  void count_copyback(const Transaction& t);
  void commit_subpages(const CommandGroup& g);
  void commit_moved_subpages(Transaction& t);
  void commit_host_subpages(Transaction& t);
  void tell_losses(const Transaction& t);

  FtlState* state_ = nullptr;
  GcJobs* jobs_ = nullptr;
  Journal* journal_ = nullptr;
  WritePath* writes_ = nullptr;
  bool in_regions_ = false; // there are several
};

} // namespace twinplane::fw
