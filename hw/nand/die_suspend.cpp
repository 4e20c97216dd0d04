// Suspended programs and erases. Facts: ONFI vendor commands 84h/13h and 61h/D2h (Micron L06B).
#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

constexpr Fault kOtherKind{Rule::suspend, "expected the suspend command of the operation that runs"};
constexpr Fault kOtherPlace{Rule::suspend, "expected the block of the operation that runs"};
constexpr Fault kInStream{Rule::suspend, "expected no cache program to be suspended"};
constexpr Fault kTwice{Rule::suspend, "expected no second operation to be suspended"};
constexpr Fault kNothing{Rule::suspend, "expected a suspended operation to resume"};
constexpr Fault kBusyResume{Rule::busy, "expected a ready LUN to resume on"};

} // namespace

void Die::suspend(ArrayKind kind, const PlaneAddress& address, TimePs at) {
  const auto refuse_suspend = [&](const Fault& fault) {
    refuse(Face::bus, 0, {fault.rule, fault.detail, at, lun_, address.plane, address.block, address.page});
  };
  const ArrayTiming& t = context_.config.array;
  if (!array_busy(at)) {
    occupy(at, t.tSPD_idle);
    return;
  }
  if (at >= running_.end || running_.kind != kind) return refuse_suspend(kOtherKind);
  if (faces_[index(Face::bus)].stream != Stream::none || at < running_.start)
    return refuse_suspend(kInStream);
  if (suspended_.active) return refuse_suspend(kTwice);
  bool addressed = false;
  for (std::uint32_t i = 0; i < running_.planes_in_group; ++i) {
    const PlaneAddress& a = running_.planes[i];
    addressed = addressed || (a.plane == address.plane && a.block == address.block);
  }
  if (!addressed) return refuse_suspend(kOtherPlace);

  const TimePs from = at + (kind == ArrayKind::program ? t.tPSPD : t.tESPD);
  if (running_.end <= from) return; // it ends first
  FaceState& f = faces_[index(Face::bus)];
  suspended_.active = restricted_ = true;
  suspended_.operation = running_;
  suspended_.remaining = running_.end - from;
  suspended_.failed_planes = f.failed_planes;
  f.failed_planes = 0;
  running_.end = busy_until_ = array_until_ = from;
  ++context_.statistics.suspends;
  announce_change(ArrayChange::suspended, suspended_.operation, from, kNever);
  for (NandObserver* observer : context_.observers) {
    observer->on_ready_busy(context_.config.channel, context_.config.chip, lun_, true, from);
  }
}

void Die::resume(ArrayKind kind, TimePs at) {
  const bool nothing = !suspended_.active || suspended_.operation.kind != kind;
  if (nothing || array_busy(at)) {
    const Fault& fault = nothing ? kNothing : kBusyResume;
    refuse(Face::bus, 0, {fault.rule, fault.detail, at, lun_, kNotAddressed, kNotAddressed, kNotAddressed});
    return;
  }
  FaceState& f = faces_[index(Face::bus)];
  suspended_.active = false;
  restrict_operations();
  running_ = suspended_.operation;
  running_.start = at;
  running_.end = busy_until_ = array_until_ = at + suspended_.remaining;
  f.failed_planes = suspended_.failed_planes;
  f.stream = Stream::none;
  f.ahead_planes = 0;
  f.last_count = 0;
  ++context_.statistics.resumes;
  announce_ready_busy(at, running_.end);
  announce_change(ArrayChange::resumed, running_, at, running_.end);
}

bool Die::resumes(const PlaneAddress& address) const {
  return suspended_.operation.kind == ArrayKind::erase && judge_suspended(address) != nullptr;
}

} // namespace twinplane::hw
