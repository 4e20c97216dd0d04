#include "hw/nand/array_timeline.h"

namespace twinplane::hw {

namespace {

constexpr Fault kOtherKind{Rule::suspend, "expected the suspend command of the operation that runs"};
constexpr Fault kOtherPlace{Rule::suspend, "expected the block of the operation that runs"};
constexpr Fault kInStream{Rule::suspend, "expected no cache program to be suspended"};
constexpr Fault kTwice{Rule::suspend, "expected no second operation to be suspended"};
constexpr Fault kNothing{Rule::suspend, "expected a suspended operation to resume"};
constexpr Fault kBusyResume{Rule::busy, "expected a ready LUN to resume on"};

} // namespace

ArrayTimeline::ArrayTimeline(PackageContext& context, std::uint32_t lun)
    : context_(context),
      lun_(lun),
      announcer_(context, lun),
      plane_reads_(context.config.independent_plane_reads ? std::make_unique<PlaneReads>() : nullptr) {
  running_.chip = context.config.chip;
  running_.lun = lun;
}

TimePs ArrayTimeline::plane_busy_until(std::uint32_t plane) const {
  return busy_until_ == plane_reads_->until ? plane_reads_->of[plane].end : busy_until_;
}

bool ArrayTimeline::planes_read(std::uint32_t planes, TimePs at) const {
  for (; planes != 0; planes &= planes - 1) {
    if (at < plane_reads_->of[static_cast<std::size_t>(__builtin_ctz(planes))].end) return true;
  }
  return false;
}

DieStatistics ArrayTimeline::still_to_do(TimePs at) const {
  DieStatistics rest;
  const auto add = [&](const ArrayGroup& group) {
    if (group.end <= at) return;
    const TimePs left = group.end - std::max(at, group.start);
    rest.busy += left;
    rest.plane_busy += left * group.planes_in_group;
  };
  if (reads_by_plane(at)) {
    for (const ArrayGroup& read : plane_reads_->of) add(read);
    rest.busy = plane_reads_->until - at;
  } else {
    if (at < running_.start) add(before_);
    add(running_);
  }
  if (suspended_.active) {
    rest.busy += suspended_.remaining;
    rest.plane_busy += suspended_.remaining * suspended_.group.planes_in_group;
  }
  return rest;
}

// --- cache operations ---

/// RDY of a cache operation that was just launched: as soon as the cache register is free, or has the
/// page before.
void ArrayTimeline::free_cache_register(const ArrayCommand& command) {
  const ArrayTiming& t = context_.config.array;
  const bool read = command.kind == ArrayKind::read;
  busy_until_ = read ? running_.start + t.tRCBSY : std::max(command.at + t.tCBSY, running_.start);
  array_until_ = std::max(running_.end, busy_until_);
  ++(read ? context_.statistics.cache_reads : context_.statistics.cache_programs);
}

void ArrayTimeline::end_read_ahead(TimePs at) {
  busy_until_ = std::max(at, array_until_) + context_.config.array.tRCBSY;
  array_until_ = busy_until_;
  announcer_.busy(at, busy_until_);
}

// --- independent plane reads ---

/// Of one plane, or of several that were launched together.
void ArrayTimeline::start_plane_reads(const PlaneQueue& queue, const ArrayCommand& command,
                                      std::uint32_t planes, TimePs duration) {
  const bool beside = busy(command.at);
  set_running(queue, command, planes, command.at, duration);
  for (std::uint32_t i = 0; i < planes; ++i) {
    ArrayGroup& own = plane_reads_->of[running_.planes[i].plane];
    own = running_;
    own.planes[0] = running_.planes[i];
    own.planes_in_group = 1;
  }
  const TimePs before = std::max(busy_until_, command.at);
  busy_until_ = array_until_ = plane_reads_->until = std::max(before, running_.end);
  die_statistics().busy += busy_until_ - before;
  if (beside) ++context_.statistics.independent_reads;
  if (!announcer_.observed()) return;
  if (!beside) announcer_.ready_edge(false, command.at);
  if (beside && busy_until_ != before)
    announcer_.ready_edge(true, busy_until_); // else it rises as it would have
  announcer_.start(running_);
  if (!beside) announcer_.ready_edge(true, busy_until_);
}

void ArrayTimeline::abort_plane_reads(TimePs at) {
  die_statistics().busy -= plane_reads_->until - at;
  for (ArrayGroup& read : plane_reads_->of) {
    if (read.end <= at) continue;
    ++context_.statistics.aborted;
    die_statistics().plane_busy -= read.end - at;
    announcer_.change(ArrayChange::aborted, read, at, at);
    read.end = at;
  }
  plane_reads_->until = 0;
}

// --- suspension ---

RuleResult ArrayTimeline::check_suspend(const DieAccess& bus, ArrayKind kind, const PlaneAddress& address,
                                        TimePs at) const {
  if (at >= running_.end || running_.kind != kind) return &kOtherKind;
  if (bus.stream != DieAccess::Stream::none || at < running_.start) return &kInStream;
  if (suspended_.active) return &kTwice;
  return running_.holds_block(address) ? nullptr : &kOtherPlace;
}

RuleResult ArrayTimeline::suspend(DieAccess& bus, ArrayKind kind, const PlaneAddress& address, TimePs at) {
  const ArrayTiming& t = context_.config.array;
  if (!array_busy(at)) {
    occupy(at, t.tSPD_idle);
    return nullptr;
  }
  if (const RuleResult fault = check_suspend(bus, kind, address, at)) return fault;
  const TimePs from = at + (kind == ArrayKind::program ? t.tPSPD : t.tESPD);
  if (running_.end <= from) return nullptr; // it ends first
  suspended_ = {true, running_, running_.end - from, bus.failed_planes};
  bus.failed_planes = 0;
  running_.end = busy_until_ = array_until_ = from;
  ++context_.statistics.suspends;
  announcer_.change(ArrayChange::suspended, suspended_.group, from, kNever);
  announcer_.ready_edge(true, from);
  return nullptr;
}

RuleResult ArrayTimeline::resume(DieAccess& bus, ArrayKind kind, TimePs at) {
  if (!suspended(kind)) return &kNothing;
  if (array_busy(at)) return &kBusyResume;
  suspended_.active = false;
  running_ = suspended_.group;
  running_.start = at;
  running_.end = busy_until_ = array_until_ = at + suspended_.remaining;
  bus.failed_planes = suspended_.failed_planes;
  bus.end_stream();
  bus.last.planes = 0;
  ++context_.statistics.resumes;
  announcer_.busy(at, running_.end);
  announcer_.change(ArrayChange::resumed, running_, at, running_.end);
  return nullptr;
}

// --- resets and power cuts ---

void ArrayTimeline::reset(TimePs at, CellArray& cells) {
  const ArrayTiming& t = context_.config.array;
  TimePs duration = t.tRST_idle;
  if (at < running_.end || reads_by_plane(at) || suspended_.active) {
    const ArrayKind kind = suspended_.active ? suspended_.group.kind : running_.kind;
    duration = kind == ArrayKind::read      ? t.tRST_read
               : kind == ArrayKind::program ? t.tRST_program
                                            : t.tRST_erase;
    abort(at, cells);
  }
  busy_until_ = array_until_ = at + duration;
  announcer_.busy(at, busy_until_);
}

/// What runs, what waits behind it in a stream, and what is suspended.
void ArrayTimeline::abort(TimePs at, CellArray& cells) {
  if (at < running_.start && at < before_.end) {
    abort_group(before_, at, cells);
    before_.end = at;
  }
  if (reads_by_plane(at)) {
    abort_plane_reads(at);
  } else if (at < running_.end) {
    abort_group(running_, at, cells);
  }
  running_.end = at;
  if (!suspended_.active) return;
  suspended_.active = false;
  suspended_.group.end = at + suspended_.remaining;
  abort_group(suspended_.group, at, cells);
}

void ArrayTimeline::abort_group(const ArrayGroup& group, TimePs at, CellArray& cells) {
  cells.corrupt_cells(group);
  ++context_.statistics.aborted;
  const TimePs lost = group.end - std::max(at, group.start);
  die_statistics().busy -= lost;
  die_statistics().plane_busy -= lost * group.planes_in_group;
  announcer_.change(ArrayChange::aborted, group, at, at);
}

void ArrayTimeline::cut_power(TimePs at, CellArray& cells) {
  abort(at, cells);
  if (plane_reads_ != nullptr) *plane_reads_ = {};
  running_ = before_ = {};
  running_.chip = context_.config.chip;
  running_.lun = lun_;
  busy_until_ = array_until_ = 0;
}

} // namespace twinplane::hw
