#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

constexpr Fault kBusy{Rule::busy, "expected a ready LUN"};
constexpr Fault kPlaneBusy{Rule::busy, "expected a ready plane"};
constexpr Fault kArrayBusy{Rule::busy, "expected an idle array: a cache operation goes on"};
constexpr Fault kSuspendedProgram{Rule::suspend, "expected nothing but reads while a program is suspended"};
constexpr Fault kPassOpen{Rule::wordline, "expected the next page of the wordline"};
constexpr Fault kWriteProtected{Rule::write_protect, "expected WP# high"};

} // namespace

Die::Die(PackageContext& context, std::uint32_t lun)
    : context_(context),
      lun_(lun),
      accesses_{DieAccess(context.config, AccessMode::bus), DieAccess(context.config, AccessMode::debug)},
      cells_(context, lun),
      timeline_(context, lun),
      pass_(context.config.one_pass ? std::make_unique<WordlinePass>(context.config, context.page_order)
                                    : nullptr) {}

std::uint8_t Die::status(const DieAccess& access, TimePs at, std::uint32_t planes) const {
  std::uint32_t value = (write_protected_ ? 0u : onfi::status::wp_n) | onfi::status::rdy;
  const bool by_plane = timeline_.reads_by_plane(at);
  const bool array_busy = by_plane ? timeline_.planes_read(planes, at) : timeline_.array_busy(at);
  if (!access.timed || !array_busy) {
    value |= onfi::status::ardy;
    if ((access.failed_planes & planes) != 0) value |= onfi::status::fail;
  } else if (by_plane || timeline_.busy(at)) {
    return write_protected_ ? 0 : onfi::status::busy;
  }
  if ((access.failed_previous & planes) != 0) value |= onfi::status::fail_previous;
  if (access.timed && timeline_.suspended()) value |= onfi::status::suspended;
  return static_cast<std::uint8_t>(value);
}

/// Of a die that is busy, write-protected or suspended, or in a pass.
RuleResult Die::check_restricted(ArrayKind kind, std::uint32_t plane, TimePs at) const {
  if (kind == ArrayKind::read && timeline_.reads_by_plane(at))
    return timeline_.plane_busy(plane, at) ? &kPlaneBusy : nullptr;
  if (timeline_.busy(at)) return &kBusy;
  if (timeline_.array_busy(at) && timeline_.running_kind() != kind) return &kArrayBusy;
  if (write_protected_ && kind != ArrayKind::read) return &kWriteProtected;
  if (pass_ != nullptr && pass_->open() && kind != ArrayKind::program) return &kPassOpen;
  return kind != ArrayKind::read && timeline_.suspended(ArrayKind::program) ? &kSuspendedProgram : nullptr;
}

void Die::refuse(DieAccess& access, std::uint32_t planes, Refusal refusal) {
  if (refusal.rule != Rule::write_protect) access.failed_planes |= planes;
  refusal.lun = lun_;
  context_.refusals.on_refusal(refusal);
}

void Die::invalidate_output(DieAccess& access, TimePs at) {
  if (access.timed && timeline_.busy(at)) return;
  access.registers[access.registers.selected()].invalidate();
}

void Die::suspend(ArrayKind kind, const PlaneAddress& address, TimePs at) {
  end_suspension(timeline_.suspend(access(AccessMode::bus), kind, address, at), at, address);
}

void Die::resume(ArrayKind kind, TimePs at) {
  const PlaneAddress nowhere{kNotAddressed, kNotAddressed, kNotAddressed};
  end_suspension(timeline_.resume(access(AccessMode::bus), kind, at), at, nowhere);
}

/// A command of it has come, and found a fault or none.
void Die::end_suspension(RuleResult fault, TimePs at, const PlaneAddress& a) {
  update_restricted();
  if (fault != nullptr)
    refuse(access(AccessMode::bus), 0, {fault->rule, fault->detail, at, lun_, a.plane, a.block, a.page});
}

void Die::reset(DieAccess& access, TimePs at) {
  access.reset();
  if (!access.timed) return;
  if (pass_ != nullptr) pass_->close();
  timeline_.reset(at, cells_);
  update_restricted();
}

void Die::cut_power(TimePs at) {
  timeline_.cut_power(at, cells_);
  for (DieAccess& access : accesses_) access.power_on();
  if (pass_ != nullptr) pass_->close();
  cells_.power_on();
  update_restricted();
}

} // namespace twinplane::hw
