// Resets: what they cut off and what is left of it.
#include <algorithm>

#include "hw/nand/die.h"

namespace twinplane::hw {

void Die::reset(Face face, TimePs at) {
  FaceState& f = faces_[index(face)];
  f.queued = 0;
  f.failed_planes = f.failed_previous = 0;
  f.stream = Stream::none;
  f.last_count = 0;
  f.ahead_planes = 0;
  for (PageRegister& r : f.registers) r.clear();
  if (face == Face::debug) return;
  close_pass();

  const ArrayTiming& t = context_.config.array;
  const bool suspended = suspended_.active;
  TimePs duration = t.tRST_idle;
  if (at < running_.end || reads_by_plane(at) || suspended) {
    const ArrayKind kind = suspended ? suspended_.operation.kind : running_.kind;
    duration = kind == ArrayKind::read      ? t.tRST_read
               : kind == ArrayKind::program ? t.tRST_program
                                            : t.tRST_erase;
    abort(at);
  }
  busy_until_ = array_until_ = at + duration;
  announce_ready_busy(at, busy_until_);
}

/// What runs, what waits behind it in a stream, and what is suspended.
void Die::abort(TimePs at) {
  if (at < running_.start && at < before_.end) {
    abort(before_, at);
    before_.end = at;
  }
  if (reads_by_plane(at)) {
    abort_plane_reads(at);
  } else if (at < running_.end) {
    abort(running_, at);
  }
  running_.end = at;
  if (!suspended_.active) return;
  suspended_.active = false;
  restrict_operations();
  suspended_.operation.end = at + suspended_.remaining;
  abort(suspended_.operation, at);
}

void Die::abort(const Running& group, TimePs at) {
  ruin_cells(group);
  NandStatistics& s = context_.statistics;
  ++s.aborted;
  const TimePs lost = group.end - std::max(at, group.start);
  s.dies[lun_].busy -= lost;
  s.dies[lun_].plane_busy -= lost * group.planes_in_group;
  announce_change(ArrayChange::aborted, group, at, at);
}

} // namespace twinplane::hw
