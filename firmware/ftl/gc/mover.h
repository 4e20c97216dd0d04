// What is valid in a victim leaves it: pages as a whole, or subpages of a drive with an SLC-mode cache.
#pragma once

#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/gc/gc_jobs.h"

namespace twinplane::fw {

class Mover : public OpOwner {
 public:
  /// Begins moves out of the site's victim. False when the pool is empty and the job has to try again.
  [[nodiscard]] virtual bool move(std::uint32_t site) = 0;
  /// A write under way replaces a page of the site's victim. One whose program has failed may wait for the space of
  /// this very block: it counts as long as anything is under way that may make some.
  [[nodiscard]] virtual bool holds_old_versions(std::uint32_t site, bool under_way) const = 0;
  /// No move is added any more to those that wait for each other.
  virtual void stop_waiting() {}
  /// Pages that no move has found a place for are written by the host's path instead (StrandedPages).
  [[nodiscard]] virtual bool names_stranded() const { return true; }
  virtual void serialise(StateVisitor&) {}

 protected:
  ~Mover() = default;
};

} // namespace twinplane::fw
