// Which commands a die that is busy, write-protected or suspended allows, and what a refusal leaves behind.
#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

constexpr Fault kBusy{Rule::busy, "expected a ready LUN"};
constexpr Fault kPlaneBusy{Rule::busy, "expected a ready plane"};
constexpr Fault kArrayBusy{Rule::busy, "expected an idle array: a cache operation goes on"};
constexpr Fault kSuspendedProgram{Rule::suspend, "expected nothing but reads while a program is suspended"};
constexpr Fault kPassOpen{Rule::wordline, "expected the next page of the wordline"};
constexpr Fault kWriteProtected{Rule::write_protect, "expected WP# high"};
constexpr Fault kSuspendedBlock{Rule::suspend, "the block has a suspended operation"};

} // namespace

Die::Verdict Die::judge_restricted(ArrayKind kind, std::uint32_t plane, TimePs at) const {
  if (kind == ArrayKind::read && reads_by_plane(at)) return plane_busy(plane, at) ? &kPlaneBusy : nullptr;
  if (busy(at)) return &kBusy;
  if (array_busy(at) && running_.kind != kind) return &kArrayBusy;
  if (write_protected_ && kind != ArrayKind::read) return &kWriteProtected;
  if (pass_open() && kind != ArrayKind::program) return &kPassOpen;
  const bool program = suspended_.active && suspended_.operation.kind == ArrayKind::program;
  return program && kind != ArrayKind::read ? &kSuspendedProgram : nullptr;
}

Die::Verdict Die::judge_suspended(const PlaneAddress& address) const {
  const Running& operation = suspended_.operation;
  for (std::uint32_t i = 0; i < operation.planes_in_group; ++i) {
    const PlaneAddress& a = operation.planes[i];
    if (a.plane == address.plane && a.block == address.block) return &kSuspendedBlock;
  }
  return nullptr;
}

// --- refusals ---

void Die::refuse(FaceState& face, std::uint32_t planes, Refusal refusal) {
  if (refusal.rule != Rule::write_protect) face.failed_planes |= planes;
  refusal.lun = lun_;
  context_.refusals.on_refusal(refusal);
}

void Die::refuse_plane(FaceState& face, const Fault& fault, const Launch& command, const PlaneAddress& a) {
  if (command.kind == ArrayKind::read) {
    (command.cache ? ahead(face, a.plane) : face.registers[a.plane]).spoil();
  }
  refuse(face, 1u << a.plane, {fault.rule, fault.detail, command.at, lun_, a.plane, a.block, a.page});
}

void Die::refuse_group(FaceState& face, std::uint32_t planes, const Fault& fault, const Launch& command) {
  face.queued = 0;
  face.last_count = 0;
  if (command.kind == ArrayKind::read) {
    for (PageRegister& r : face.registers) r.spoil();
  }
  const PlaneAddress& a = command.address;
  refuse(face, planes, {fault.rule, fault.detail, command.at, lun_, a.plane, a.block, a.page});
}

void Die::spoil_output(Face face, TimePs at) {
  if (face == Face::bus && busy(at)) return;
  FaceState& f = faces_[index(face)];
  f.registers[f.plane].spoil();
}

} // namespace twinplane::hw
