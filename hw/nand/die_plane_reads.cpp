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

/// Of one plane, or of several that were launched together.
void Die::start_plane_reads(const Launch& command, std::uint32_t planes, TimePs duration) {
  const FaceState& f = faces_[index(Face::bus)];
  const bool beside = busy(command.at);
  const TimePs end = command.at + duration;
  for (std::uint32_t i = 0; i < planes; ++i) {
    running_.planes[i] = f.queue[i];
    Running& own = plane_reads_->of[f.queue[i].plane];
    own.planes[0] = f.queue[i];
    own.count = 1;
    own.slc = command.slc;
    own.start = command.at;
    own.end = end;
  }
  running_.kind = ArrayKind::read;
  running_.count = planes;
  running_.slc = command.slc;
  running_.start = command.at;
  running_.end = end;

  const TimePs before = std::max(busy_until_, command.at);
  busy_until_ = array_until_ = plane_reads_->until = std::max(before, end);
  NandStatistics& s = context_.statistics;
  s.dies[lun_].busy += busy_until_ - before;
  s.dies[lun_].plane_busy += duration * planes;
  if (planes > 1) count_multiplane(ArrayKind::read, planes);
  if (!beside) {
    if (!context_.observers.empty()) announce(command.at);
    return;
  }
  ++s.independent_reads;
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
