// What a die allows. Facts: ONFI multi-plane addressing; PA-SSD section 4.3.1 for the relaxed order.
#include <algorithm>

#include "hw/nand/die.h"

namespace twinplane::hw {

const Fault Die::kTooManyPlanes{Rule::distinct_planes, "more planes queued than the die has"};
const Fault Die::kNotAlone{Rule::busy, "expected 30h of one plane while other planes read"};

namespace {

constexpr Fault kSamePlane{Rule::distinct_planes, "planes of a group must differ"};
constexpr Fault kOtherPage{Rule::pac, "pages of a group must be equal"};
constexpr Fault kOtherBlock{Rule::bac, "blocks of a group must be equal"};
constexpr Fault kNoBlock{Rule::bad_address, "block beyond the plane"};
constexpr Fault kNoPage{Rule::bad_address, "page beyond the block"};
constexpr Fault kWrongMode{Rule::slc_mode, "SLC prefix does not fit the block's mode"};
constexpr Fault kAbortedErase{Rule::erase_before_program, "the block's erase was aborted"};
constexpr Fault kOutOfOrder{Rule::order, "not the next page of the block"};
constexpr Fault kProgrammed{Rule::erase_before_program, "the page is already programmed"};
constexpr Fault kSectorProgrammed{Rule::erase_before_program, "a sector is already programmed"};
constexpr Fault kNoMorePrograms{Rule::partial_limit, "the page had all its partial programs"};
constexpr Fault kBusy{Rule::busy, "expected a ready LUN"};
constexpr Fault kPlaneBusy{Rule::busy, "expected a ready plane"};
constexpr Fault kArrayBusy{Rule::busy, "expected an idle array: a cache operation goes on"};
constexpr Fault kSuspendedProgram{Rule::suspend, "expected nothing but reads while a program is suspended"};
constexpr Fault kWriteProtected{Rule::write_protect, "expected WP# high"};
constexpr Fault kSuspendedBlock{Rule::suspend, "the block has a suspended operation"};

} // namespace

Die::Verdict Die::judge_group(const FaceState& face, ArrayKind kind) const {
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < face.queued; ++i) {
    const PlaneAddress& a = face.queue[i];
    if ((seen >> a.plane & 1u) != 0) return &kSamePlane;
    seen |= 1u << a.plane;
    if (context_.config.pac && kind != ArrayKind::erase && a.page != face.queue[0].page) {
      return &kOtherPage;
    }
    if (context_.config.bac && a.block != face.queue[0].block) {
      return &kOtherBlock;
    }
  }
  return nullptr;
}

Die::Verdict Die::judge_restricted(ArrayKind kind, std::uint32_t plane, TimePs at) const {
  if (kind == ArrayKind::read && reads_by_plane(at)) return plane_busy(plane, at) ? &kPlaneBusy : nullptr;
  if (busy(at)) return &kBusy;
  if (array_busy(at) && running_.kind != kind) return &kArrayBusy;
  if (write_protected_ && kind != ArrayKind::read) return &kWriteProtected;
  const bool program = suspended_.active && suspended_.operation.kind == ArrayKind::program;
  return program && kind != ArrayKind::read ? &kSuspendedProgram : nullptr;
}

Die::Verdict Die::judge_suspended(const PlaneAddress& address) const {
  const Running& operation = suspended_.operation;
  for (std::uint32_t i = 0; i < operation.count; ++i) {
    const PlaneAddress& a = operation.planes[i];
    if (a.plane == address.plane && a.block == address.block) return &kSuspendedBlock;
  }
  return nullptr;
}

Die::Verdict Die::judge_plane(const FaceState& face, const Launch& command,
                              const PlaneAddress& address) const {
  const Geometry& g = context_.config.geometry;
  if (address.block >= g.blocks_per_plane) return &kNoBlock;
  if (suspended_.active && &face == &faces_[index(Face::bus)]) {
    if (const Verdict fault = judge_suspended(address)) return fault;
  }
  if (command.kind == ArrayKind::erase) return nullptr;
  const std::uint32_t pages = command.slc ? context_.page_order.wordlines() : g.pages_per_block;
  if (address.page >= pages) return &kNoPage;

  const PageStore::Block& block = store_.block(address.plane, address.block);
  if (block.mode != BlockMode::erased && (block.mode == BlockMode::slc) != command.slc) {
    return &kWrongMode;
  }
  if (command.kind == ArrayKind::read) return nullptr;
  return judge_program(block, address, command.slc, face.registers[address.plane].mask);
}

Die::Verdict Die::judge_program(const PageStore::Block& block, const PlaneAddress& address, bool slc,
                                std::uint32_t mask) const {
  if (block.corrupt) return &kAbortedErase;
  const std::uint32_t programs = store_.program_count(block, address.page);
  if (programs == 0) {
    return in_order(block, address.page, slc) ? nullptr : &kOutOfOrder;
  }
  if (context_.config.partial_programs == 1) {
    return &kProgrammed;
  }
  if ((store_.programmed_sectors(block, address.page) & mask) != 0) {
    return &kSectorProgrammed;
  }
  if (programs >= context_.config.partial_programs) {
    return &kNoMorePrograms;
  }
  return nullptr;
}

bool Die::in_order(const PageStore::Block& block, std::uint32_t page, bool slc) const {
  if (slc || context_.config.program_order == ProgramOrder::strict) return page == block.programmed;
  const PageOrderTable& order = context_.page_order;
  const PageType type = order.type(page);
  const std::uint32_t position = order.wordline(page);
  if (position != block.by_type[type]) return false;
  if (context_.config.program_order == ProgramOrder::slc) return type == 0;
  if (type == 0) return true;
  // Type t of a wordline needs type t-1 of the wordline and of both neighbours.
  const std::uint32_t per_wordline = context_.config.page_table == PageTable::even_odd ? 2 : 1;
  const std::uint32_t needed = (position / per_wordline + 2) * per_wordline;
  return block.by_type[type - 1u] >= std::min(order.wordlines(), needed);
}

/// What may be launched while planes read.
Die::Verdict Die::judge_beside_reads(const FaceState& face, const Launch& command) const {
  if (!reads_by_plane(command.at)) return nullptr;
  return face.queued > 1 || command.cache || command.copyback ? &kNotAlone : nullptr;
}

// --- refusals ---

void Die::refuse(Face face, std::uint32_t planes, Refusal refusal) {
  if (refusal.rule != Rule::write_protect) faces_[index(face)].failed_planes |= planes;
  refusal.lun = lun_;
  context_.refusals.on_refusal(refusal);
}

void Die::refuse_plane(Face face, const Fault& fault, const Launch& command, const PlaneAddress& a) {
  FaceState& f = faces_[index(face)];
  if (command.kind == ArrayKind::read) (command.cache ? ahead(f, a.plane) : f.registers[a.plane]).spoil();
  refuse(face, 1u << a.plane, {fault.rule, fault.detail, command.at, lun_, a.plane, a.block, a.page});
}

void Die::refuse_group(Face face, std::uint32_t planes, const Fault& fault, const Launch& command) {
  drop_queue(face);
  faces_[index(face)].last_count = 0;
  if (command.kind == ArrayKind::read) {
    for (PageRegister& r : faces_[index(face)].registers) r.spoil();
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
