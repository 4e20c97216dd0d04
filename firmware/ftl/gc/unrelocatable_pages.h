// Valid pages of victims for which collection has found no place in their own die, as failed programs or power cuts
// have used up the reserve. Nothing but the map tells whose they are: they are named one after the other, and
// written wherever pages of the host are (PageRewriter). A job that ends meanwhile has no page left.
#pragma once

#include "firmware/ftl/gc/gc_jobs.h"

namespace twinplane::fw {

class UnrelocatablePages {
 public:
  void boot(FtlState& state, GcJobs& jobs) {
    state_ = &state;
    jobs_ = &jobs;
  }

  bool any() const { return any_; }
  /// The job has pages to be named.
  void add(GcJob& job) { job.unrelocatable = any_ = true; }
  /// The next LPN; kNoLpn: there is none left. Each is named once, and counts as being written until done().
  std::uint32_t next();
  void done() { --rewriting_; }
  /// Pages that have been named are being written.
  bool any_rewritten() const { return rewriting_ != 0; }

  /// The program of such a page has failed. True when its victim has not been erased ...
  [[nodiscard]] bool can_take_back(const Transaction& t) const;
  /// ... then the LPN's page is the one there again, and will be moved or named once more.
  void take_back(const Transaction& t);
  /// Pages of the site's victim, if there is one, may be valid again that the job has passed.
  void valid_again(std::uint32_t site);
  /// Nothing can be written anywhere: they are named again when a block has been erased.
  void defer();
  void block_erased() {
    if (put_off_) name_all();
  }
  /// Looks for jobs with pages to be named.
  void name_all();

 private:
  FtlState* state_ = nullptr;
  GcJobs* jobs_ = nullptr;
  std::uint32_t rewriting_ = 0; // have been named and are not done
  std::uint32_t site_ = 0;      // next() goes on there
  std::uint32_t lpn_ = 0;
  bool put_off_ = false;
  bool any_ = false; // some are to be named now
};

/// The job has passed this page of its victim, which is valid again.
void look_again(FtlState& state, GcJobs& jobs, Ppn page);

} // namespace twinplane::fw
