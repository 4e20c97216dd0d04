// Pages that commands program enter the map when they are handed out, not when they have been programmed: what reads
// the LPN from now on queues for the same die and so behind this program.
#pragma once

#include "firmware/ftl/io/write_path.h"
#include "firmware/ftl/sched/command_group.h"

namespace twinplane::fw {

class MapCommit {
 public:
  void boot(FtlState& state, GcJobs& jobs, WritePath& writes);

  void commit(const CommandGroup& g) {
    if (g.kind().own_page) return count_own(*g.item[0]);
    g.kind().by_unit ? enter<true>(g) : enter<false>(g);
  }

 private:
  [[gnu::cold]] void count_own(const Transaction& t);
  /// The same for both kinds of maps; a template, as it is the path of every page.
  template <bool kByUnit>
  void enter(const CommandGroup& g);
  void enter_units(Transaction& t, const PageSlot& slot);
  void riders_placed(const Transaction& t);
  void take_losses(Transaction& t);
  void count_in_region(const Transaction& t, std::uint32_t block);
  template <bool kByUnit>
  void count_host_page(const Transaction& t);
  void count_moves(const CommandGroup& g);
  void count_copyback(const Transaction& t);
  void count_left_out(const Transaction& t, ProgramCause cause);

  FtlState* state_ = nullptr;
  GcJobs* jobs_ = nullptr;
  WritePath* writes_ = nullptr;
  bool in_regions_ = false; // there are several
  bool parts_hot_ = false;  // hot pages of the host have a stream of their own
};

} // namespace twinplane::fw
