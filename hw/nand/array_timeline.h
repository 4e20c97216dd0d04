// When a die's array works, on what, and when R/B# is low: the operations of the bus, suspended ones, and reads
// of planes for themselves. Counts array time and tells the observers.
//
// R/B# (SR6) and the array (SR5) part company in cache operations: RDY rises when the cache register is
// free, while the array still reads the next page or programs the last one.
//
// Suspended programs and erases keep their remaining time. Facts: ONFI vendor commands 84h/13h and 61h/D2h
// (Micron L06B).
//
// Independent plane reads (NandConfig), a vendor feature (AIPR): every plane has its own tR and its own ready
// (ONFI byte 114 bit 0). While planes read, 00h-30h of a plane that does not is taken. What R/B# and 70h show is
// assumed: the AND of the planes.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "hw/nand/cell_array.h"
#include "hw/nand/die_access.h"
#include "hw/nand/die_announcer.h"

namespace twinplane::hw {

class ArrayTimeline {
 public:
  ArrayTimeline(PackageContext& context, std::uint32_t lun);

  TimePs busy_until() const { return busy_until_; }
  bool busy(TimePs at) const { return at < busy_until_; }
  /// When the array is idle (SR5 rises); later than R/B# only in cache operations.
  TimePs array_busy_until() const { return std::max(busy_until_, array_until_); }
  bool array_busy(TimePs at) const { return at < array_busy_until(); }
  /// End of the array operation that was launched last.
  TimePs array_until() const { return array_until_; }
  ArrayKind running_kind() const { return running_.kind; }

  bool has_plane_reads() const { return plane_reads_ != nullptr; }
  /// Planes read independently at this time, and nothing else goes on.
  bool reads_by_plane(TimePs at) const { return plane_reads_ != nullptr && at < plane_reads_->until; }
  /// One of the planes still reads; only while reads_by_plane().
  bool planes_read(std::uint32_t planes, TimePs at) const;
  /// The plane's registers cannot be used: differs from busy() while planes read independently.
  bool plane_busy(std::uint32_t plane, TimePs at) const {
    return busy(at) && (!reads_by_plane(at) || at < plane_reads_->of[plane].end);
  }
  /// The end of plane_busy(); only with has_plane_reads().
  TimePs plane_busy_until(std::uint32_t plane) const;

  /// Of what has been counted as array time, the part behind `at`; of a suspended operation what remains.
  DieStatistics still_to_do(TimePs at) const;

  /// R/B# is low for `duration` from `at` on, without the array (features, parameter page, tDBSY).
  void occupy(TimePs at, TimePs duration);
  /// The first `planes` of the queue run.
  void start(const PlaneQueue& queue, const ArrayCommand& command, std::uint32_t planes, TimePs duration);
  /// 3Fh.
  void end_read_ahead(TimePs at);

  bool suspended() const { return suspended_.active; }
  /// Something of this kind is suspended.
  bool suspended(ArrayKind kind) const { return suspended_.active && suspended_.group.kind == kind; }
  /// What is suspended; null: nothing.
  const ArrayGroup* suspended_group() const { return suspended_.active ? &suspended_.group : nullptr; }
  /// 84h, 61h: `address` is of a plane of the running operation. Finds nothing to suspend when that
  /// has ended, or will have ended before it can be suspended; the status register tells.
  RuleResult suspend(DieAccess& bus, ArrayKind kind, const PlaneAddress& address, TimePs at);
  /// 13h, D2h.
  RuleResult resume(DieAccess& bus, ArrayKind kind, TimePs at);

  /// Aborts what runs, whose cells become corrupt, and is busy for tRST.
  void reset(TimePs at, CellArray& cells);
  void cut_power(TimePs at, CellArray& cells);

 private:
  struct Suspended {
    bool active = false;
    ArrayGroup group;
    TimePs remaining = 0;
    std::uint32_t failed_planes = 0; // its result, to be shown at its end
  };
  /// What each plane read last, and until when nothing but such reads goes on.
  struct PlaneReads {
    std::array<ArrayGroup, kMaxPlanesPerDie> of;
    TimePs until = 0;
  };

  RuleResult check_suspend(const DieAccess& bus, ArrayKind kind, const PlaneAddress& address,
                           TimePs at) const;
  void set_running(const PlaneQueue& queue, const ArrayCommand& command, std::uint32_t planes, TimePs start,
                   TimePs duration);
  void free_cache_register(const ArrayCommand& command);
  void start_plane_reads(const PlaneQueue& queue, const ArrayCommand& command, std::uint32_t planes,
                         TimePs duration);
  void abort(TimePs at, CellArray& cells);
  void abort_group(const ArrayGroup& group, TimePs at, CellArray& cells);
  void abort_plane_reads(TimePs at);
  DieStatistics& die_statistics() { return context_.statistics.dies[lun_]; }

  PackageContext& context_;
  std::uint32_t lun_;
  DieAnnouncer announcer_;
  TimePs busy_until_ = 0;
  TimePs array_until_ = 0;
  ArrayGroup running_;
  ArrayGroup before_; // cache operations: what the array does until `running_.start`
  Suspended suspended_;
  std::unique_ptr<PlaneReads> plane_reads_; // null: the part has no such feature
};

constexpr PlaneState plane_state(ArrayKind kind) {
  return kind == ArrayKind::read      ? PlaneState::reading
         : kind == ArrayKind::program ? PlaneState::programming
                                      : PlaneState::erasing;
}

/// `pages`: that a pass programs in each plane.
inline void count_multiplane(NandStatistics& s, ArrayKind kind, std::uint32_t planes, std::uint32_t pages) {
  MultiplaneStatistics& m = kind == ArrayKind::read      ? s.multiplane_read
                            : kind == ArrayKind::program ? s.multiplane_program
                                                         : s.multiplane_erase;
  ++m.commands;
  m.units += std::uint64_t{planes} * pages;
  m.planes += planes;
}

inline void ArrayTimeline::set_running(const PlaneQueue& queue, const ArrayCommand& command,
                                       std::uint32_t planes, TimePs start, TimePs duration) {
  for (std::uint32_t i = 0; i < planes; ++i) running_.planes[i] = queue.planes[i];
  running_.kind = command.kind;
  running_.slc = command.slc;
  running_.state = plane_state(command.kind);
  running_.planes_in_group = planes;
  running_.pages = command.pages;
  running_.request_tag = context_.request_tag;
  running_.start = start;
  running_.end = start + duration;
  announcer_.locate(running_, running_, 0);
  die_statistics().plane_busy += duration * planes;
  if (planes > 1) count_multiplane(context_.statistics, command.kind, planes, command.pages);
}

// 25 instructions a page
inline void ArrayTimeline::start(const PlaneQueue& queue, const ArrayCommand& command, std::uint32_t planes,
                                 TimePs duration) {
  if (plane_reads_ != nullptr && command.kind == ArrayKind::read && !command.cache && !command.copyback) {
    start_plane_reads(queue, command, planes, duration);
    return;
  }
  // The array may still be busy with the page before.
  if (command.at < array_until_) before_ = running_;
  set_running(queue, command, planes, std::max(command.at, array_until_), duration);
  busy_until_ = array_until_ = running_.end;
  die_statistics().busy += duration;
  if (command.cache) free_cache_register(command);
  if (!announcer_.observed()) return;
  announcer_.ready_edge(false, command.at);
  announcer_.start(running_);
  announcer_.ready_edge(true, busy_until_);
}

inline void ArrayTimeline::occupy(TimePs at, TimePs duration) {
  const TimePs until = std::max(busy_until_, at + duration);
  if (until > at) announcer_.busy(at, until);
  busy_until_ = until;
}

} // namespace twinplane::hw
