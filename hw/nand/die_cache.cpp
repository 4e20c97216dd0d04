// Cache operations: a second register per plane lets the array work on one page while the bus moves
// another. Facts: ONFI Read Cache, Page Cache Program; status register bits SR6, SR5, FAILC.
#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

constexpr Fault kStillReading{Rule::busy, "expected 31h or 3Fh while a page is read ahead"};
constexpr Fault kNoCacheRead{Rule::suspend, "expected no cache read while a program is suspended"};
constexpr Fault kOtherErase{Rule::suspend, "expected no other erase while one is suspended"};

} // namespace

/// True when the status of the page before must stay: it becomes FAILC when the next one is launched.
bool Die::continue_stream(FaceState& face, ArrayKind kind) {
  if (face.stream == Stream::program && kind == ArrayKind::program) return true;
  if (face.stream == Stream::read && kind == ArrayKind::read) return false; // the confirm decides
  face.stream = Stream::none;
  face.ahead_planes = 0;
  return false;
}

/// A launch that is a cache operation, comes inside a stream of them, or while something is suspended.
Die::Verdict Die::enter_stream(FaceState& face, const Launch& command) {
  const bool suspended = face.timed && suspended_.active;
  if (command.kind == ArrayKind::erase) {
    if (!suspended) return nullptr;
    if (!resumes(command.address)) return &kOtherErase;
    face.queued = 0;
    resume(ArrayKind::erase, command.at);
    return nullptr;
  }
  if (command.kind == ArrayKind::program) {
    if (face.timed && array_until_ >= context_.power_cut_at) { // the page before is not over by then
      face.queued = 0;
      if (array_until_ > command.at) occupy(command.at, array_until_ - command.at); // nor is that told before
      return nullptr;
    }
    if (face.stream == Stream::program) {
      face.failed_previous = face.failed_planes;
      face.failed_planes = 0;
    }
    face.stream = command.cache ? Stream::program : Stream::none;
    return nullptr;
  }
  if (!command.cache) {
    if (face.timed && array_busy(command.at) && !reads_by_plane(command.at)) return &kStillReading;
    face.stream = Stream::none;
    face.ahead_planes = 0;
    return nullptr;
  }
  if (suspended && suspended_.operation.kind == ArrayKind::program) return &kNoCacheRead;
  show_ahead(face);
  face.stream = Stream::read;
  return nullptr;
}

/// RDY of a cache operation that was just launched: as soon as the cache register is free, or has the
/// page before.
void Die::free_cache_register(const Launch& command) {
  const ArrayTiming& t = context_.config.array;
  const bool read = command.kind == ArrayKind::read;
  busy_until_ = read ? running_.start + t.tRCBSY : std::max(command.at + t.tCBSY, running_.start);
  array_until_ = std::max(running_.end, busy_until_);
  ++(read ? context_.statistics.cache_reads : context_.statistics.cache_programs);
}

PageRegister& Die::ahead(FaceState& face, std::uint32_t plane) {
  if (face.ahead.empty()) {
    face.ahead.resize(registers_);
    for (PageRegister& r : face.ahead) equip(r);
  }
  face.ahead_planes |= 1u << plane;
  return face.ahead[plane];
}

void Die::show_ahead(FaceState& face) {
  for (; face.ahead_planes != 0; face.ahead_planes &= face.ahead_planes - 1) {
    const auto plane = static_cast<std::size_t>(__builtin_ctz(face.ahead_planes));
    std::swap(face.registers[plane], face.ahead[plane]);
  }
}

void Die::read_ahead(Face face, TimePs at) {
  FaceState& f = faces_[index(face)];
  for (std::uint32_t i = 0; i < f.last_count; ++i) ++f.queue[i].page;
  f.queued = f.last_count - 1u;
  launch(face, {ArrayKind::read, f.last_slc, f.queue[f.queued], at, true});
}

void Die::end_read_ahead(Face face, TimePs at) {
  FaceState& f = faces_[index(face)];
  show_ahead(f);
  f.stream = Stream::none;
  f.last_count = 0;
  if (face == Face::debug) return;
  busy_until_ = std::max(at, array_until_) + context_.config.array.tRCBSY;
  array_until_ = busy_until_;
  announce_ready_busy(at, busy_until_);
}

} // namespace twinplane::hw
