#include "firmware/ftl/functional.h"

namespace twinplane::fw {

void Functional::boot(BootMemory& memory, FtlState& state) {
  state_ = &state;
  const Geometry& g = state.config.geometry;
  page_ = memory.zeroed<std::uint8_t>(std::size_t{g.sectors_per_page()} * state.payload);
  planes_used_ = g.planes_per_die;
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    for (std::uint32_t bit = 0; bit < g.dies_per_channel(); ++bit) all_dies_.add(c, bit);
  }
}

/// As if all dies were idle: the round robin rule of the plane allocation decides.
std::uint32_t Functional::choose_plane(std::uint32_t lpn) {
  PlaneAllocation& planes = *state_->policy.planes;
  const std::uint32_t count = state_->config.geometry.planes_per_die;
  const std::uint32_t c = planes.class_of(lpn);
  if (!planes.plane_first() || planes.plane_is_static() || planes_used_ == count) {
    current_die_ = planes.pick_die(c, all_dies_);
    planes_used_ = 0;
  }
  ++planes_used_;
  std::uint32_t plane = planes.first_plane(current_die_);
  while (planes.class_of_plane(current_die_ * count + plane) != c) plane = plane + 1 == count ? 0 : plane + 1;
  planes.plane_used(current_die_, plane);
  return current_die_ * count + plane;
}

bool Functional::peek(std::uint32_t plane, Stream stream, PageSlot& slot) {
  return state_->policy.allocation->peek(Placement{plane, stream, kAnyPage}, kNoBlock, slot);
}

const char* Functional::write(std::uint32_t lpn, const std::uint8_t* payload) {
  if (lpn >= state_->exported_pages) return "functional write beyond the exported capacity";
  for (std::uint32_t tries = state_->config.geometry.planes() * 2; tries != 0; --tries) {
    const std::uint32_t plane = choose_plane(lpn);
    if (const char* error = make_room(plane)) return error;
    PageSlot slot;
    if (!peek(plane, Stream::host, slot)) continue; // full of valid data: the next plane of the class
    state_->place(lpn, plane, slot);
    state_->policy.allocation->take(Placement{plane, Stream::host, kAnyPage}, slot);
    ++state_->statistics.pages_programmed[static_cast<std::size_t>(ProgramCause::host)];
    return program(plane, slot, state_->make_oob(lpn), payload);
  }
  return "no plane can take another page";
}

/// Reclaims blocks as garbage collection would have done by now.
const char* Functional::make_room(std::uint32_t plane) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t threshold = blocks.space_of_blocks(state_->config.gc_threshold_blocks);
  while (blocks.plane(plane).space < threshold && blocks.plane(plane).reclaimable != 0) {
    if (const char* error = reclaim(plane)) return error;
  }
  return nullptr;
}

const char* Functional::reclaim(std::uint32_t plane) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t victim = state_->policy.victim->select(plane);
  blocks.transition(plane, victim, BlockState::victim);
  state_->policy.allocation->given_up(plane, victim);
  for (std::uint32_t page = blocks.next_valid(plane, victim, 0); page < blocks.pages_per_block();
       page = blocks.next_valid(plane, victim, page + 1)) {
    const Ppn source = blocks.ppn(plane, victim, page);
    const FlashCompletion read = run(FlashOp::read, source, 0, page_);
    if (read.result != 0) return "a page could not be read during preconditioning";
    PageSlot slot;
    if (!peek(plane, Stream::relocation, slot)) return "no page for a move during preconditioning";
    const std::uint32_t lpn = oob_lpn(read.oob);
    state_->place(lpn, plane, slot);
    state_->policy.allocation->take(Placement{plane, Stream::relocation, kAnyPage}, slot);
    ++state_->statistics.pages_programmed[static_cast<std::size_t>(ProgramCause::gc)];
    if (const char* error = program(plane, slot, state_->make_oob(lpn), page_)) return error;
  }
  blocks.transition(plane, victim, BlockState::erasing);
  const bool failed = run(FlashOp::erase, blocks.ppn(plane, victim, 0), 0, nullptr).result != 0;
  blocks.transition(plane, victim, failed ? BlockState::bad : BlockState::free);
  return nullptr;
}

const char* Functional::program(std::uint32_t plane, const PageSlot& slot, std::uint64_t oob,
                                const std::uint8_t* payload) {
  const Ppn ppn = state_->blocks.ppn(plane, slot.block, slot.page);
  // the Hal only reads a program's payload
  const FlashCompletion c = run(FlashOp::program, ppn, oob, const_cast<std::uint8_t*>(payload));
  return c.result == 0 ? nullptr : "the flash refused a page during preconditioning";
}

FlashCompletion Functional::run(FlashOp op, Ppn ppn, std::uint64_t oob, std::uint8_t* payload) {
  const Geometry& g = state_->config.geometry;
  const std::uint32_t die = state_->blocks.die_of(ppn);
  const std::uint32_t channel = die / g.dies_per_channel();
  const std::uint32_t in_channel = die - channel * g.dies_per_channel();
  FlashDescriptor d;
  d.op = static_cast<std::uint8_t>(op);
  d.chip = static_cast<std::uint8_t>(in_channel / g.dies_per_chip);
  const std::uint32_t lun = in_channel - d.chip * g.dies_per_chip;
  d.row = state_->blocks.layout().row(lun, 0, 0, 0) | state_->blocks.row_in_lun(ppn);
  d.sector_mask = state_->full_mask;
  d.oob = oob;
  return state_->hal->flash_functional(channel, d, payload);
}

/// Pages of the aged blocks are programmed without becoming valid.
const char* Functional::age(double fraction) {
  const BlockTable& blocks = state_->blocks;
  const Geometry& g = state_->config.geometry;
  if (!(fraction >= 0.0 && fraction < 1.0))
    return "precondition: aged fraction must be at least 0 and below 1";
  const auto wanted = static_cast<std::uint32_t>(fraction * g.blocks_per_plane);
  const std::uint32_t threshold = blocks.space_of_blocks(state_->config.gc_threshold_blocks);
  for (std::uint32_t plane = 0; plane < g.planes(); ++plane) {
    for (std::uint32_t n = wanted * g.pages_per_block; n != 0; --n) {
      PageSlot slot;
      if (blocks.plane(plane).space <= threshold || !peek(plane, Stream::host, slot)) {
        break; // as old as it can be without garbage collection
      }
      state_->policy.allocation->take(Placement{plane, Stream::host, kAnyPage}, slot);
      if (const char* error = program(plane, slot, state_->make_oob(kNoLpn), page_)) return error;
    }
  }
  return nullptr;
}

} // namespace twinplane::fw
