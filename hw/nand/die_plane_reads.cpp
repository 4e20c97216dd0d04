// Independent plane reads: every plane has its own tR and its own ready. A vendor feature (AIPR); facts: ONFI
// byte 114 bit 0, "each plane has its own ready". What R/B# and 70h show is assumed: the AND of the planes.
#include <algorithm>

#include "hw/nand/die.h"

namespace twinplane::hw {

TimePs Die::plane_busy_until(std::uint32_t plane) const {
  return busy_until_ == plane_reads_->until ? plane_reads_->of[plane].end : busy_until_;
}

/// One of the planes still reads; only while reads_by_plane().
bool Die::planes_read(std::uint32_t planes, TimePs at) const {
  for (std::uint32_t p = 0; p < registers_; ++p) {
    if ((planes >> p & 1u) != 0 && at < plane_reads_->of[p].end) return true;
  }
  return false;
}

/// Of reads that have begun beside others, which end at `before`.
void Die::announce_beside(TimePs before) const {
  for (NandObserver* observer : context_.edge_observers) {
    if (busy_until_ == before) break; // R/B# rises when it would have
    observer->on_ready_busy(context_.config.channel, context_.config.chip, lun_, true, busy_until_);
  }
  announce_running();
}

void Die::abort_plane_reads(TimePs at) {
  NandStatistics& s = context_.statistics;
  s.dies[lun_].busy -= plane_reads_->until - at;
  for (std::uint32_t p = 0; p < registers_; ++p) {
    Running& read = plane_reads_->of[p];
    if (read.end <= at) continue;
    ++s.aborted;
    s.dies[lun_].plane_busy -= read.end - at;
    announce_change(ArrayChange::aborted, read, at, at);
    read.end = at;
  }
  plane_reads_->until = 0;
}

} // namespace twinplane::hw
