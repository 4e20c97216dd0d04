#include "firmware/ftl/zero_time_writer.h"

#include "firmware/ftl/core.h"
#include "firmware/ftl/random.h"

namespace twinplane::fw {

namespace {
constexpr const char* kBeyondCapacity = "functional write beyond the exported capacity";
constexpr const char* kFull = "no plane can take another page";
constexpr const char* kRefused = "the flash refused a page during preconditioning";
} // namespace

void ZeroTimeWriter::boot(BootMemory& memory, FtlCore& core) {
  core_ = &core;
  state_ = &core.state;
  const Geometry& g = state_->config.geometry;
  page_ = memory.zeroed<std::uint8_t>(std::size_t{g.sectors_per_page()} * state_->payload);
  current_ = memory.array<Current>(state_->policy.planes->classes());
  if (current_ == nullptr) return;
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    for (std::uint32_t bit = 0; bit < g.dies_per_channel(); ++bit) all_dies_.add(c, bit);
  }
}

/// As if all dies were idle: the round robin rule of the plane allocation decides.
std::uint32_t ZeroTimeWriter::choose_plane(std::uint32_t lpn) {
  PlaneAllocation& planes = *state_->policy.planes;
  const std::uint32_t count = state_->config.geometry.planes_per_die;
  const std::uint32_t c = planes.class_of(lpn);
  Current& current = current_[c];
  if (!planes.plane_first() || planes.plane_is_static() || current.planes_used % count == 0) {
    current.die = planes.pick_die(c, all_dies_);
    current.planes_used = 0;
  }
  ++current.planes_used;
  std::uint32_t plane = state_->first_plane(current.die, kAnyPage);
  while (planes.class_of_plane(current.die * count + plane) != c) plane = plane + 1 == count ? 0 : plane + 1;
  planes.plane_used(current.die, plane);
  return current.die * count + plane;
}

/// The plane of the same die that the next page goes to, where block allocation deals planes; else this one.
std::uint32_t ZeroTimeWriter::assigned_plane(std::uint32_t plane) const {
  if (!state_->assigns_planes) return plane;
  const std::uint32_t count = state_->config.geometry.planes_per_die;
  return plane / count * count + state_->first_plane(plane / count, kAnyPage);
}

bool ZeroTimeWriter::peek(const Placement& where, PageSlot& slot) {
  BlockAllocation& allocation = *state_->policy.allocation;
  return allocation.granted(where.plane, slot) ||
         allocation.peek(where, core_->collector.jobs.victim(where.plane), slot);
}

const char* ZeroTimeWriter::write(std::uint32_t lpn, const std::uint8_t* payload) {
  if (lpn >= state_->exported_pages) return kBeyondCapacity;
  if (state_->units != nullptr) return write_units(lpn, payload, false);
  for (std::uint32_t tries = state_->config.geometry.planes() * 2; tries != 0; --tries) {
    Placement where{choose_plane(lpn), Stream::host, kAnyPage};
    PageSlot slot;
    if (!find_page(where, slot)) continue; // full of valid data: the next plane of the class
    state_->place(lpn, state_->blocks.ppn(where.plane, slot.block, slot.page), where, slot);
    ++state_->statistics.pages_programmed[static_cast<std::size_t>(ProgramCause::host)];
    return program(where.plane, slot, state_->make_oob(lpn), payload);
  }
  return kFull;
}

const char* ZeroTimeWriter::store(std::uint32_t lpn, const std::uint8_t* payload) {
  if (state_->units == nullptr || lpn >= state_->exported_pages) return write(lpn, payload);
  return write_units(lpn, payload, true);
}

/// To the cache or past it, as a write of the host would go; what was written `long_ago` has left the cache.
const char* ZeroTimeWriter::write_units(std::uint32_t lpn, const std::uint8_t* payload, bool long_ago) {
  FtlState& s = *state_;
  Units& units = *s.units;
  UnitWork w = units.placement.whole_page();
  for (std::uint32_t tries = s.config.geometry.planes() * 2; tries != 0; --tries) {
    const PageHint hint = long_ago ? kAnyPage : units.policy->hint_for(lpn, w, kAnyPage);
    Placement where{choose_plane(lpn), Stream::host, hint};
    PageSlot slot;
    if (!find_page(where, slot)) continue;
    if (!slot.slc) w = units.placement.whole_page(); // also what has found a place in the cache already
    TouchedPlanes touched;
    const Ppn ppn = s.blocks.ppn(where.plane, slot.block, slot.page);
    units.placement.place_untimed(w, lpn, ppn, ++s.write_sequence, touched);
    s.statistics.sectors_left_out[static_cast<std::size_t>(ProgramCause::host)] +=
        bits_set(s.full_mask & ~w.cells);
    units.io.arrange(w, payload, page_);
    if (const char* error = program_units(where, slot, touched, w.cells, page_)) return error;
    if (w.todo == 0) return nullptr;
  }
  return kFull;
}

/// The page has been placed.
const char* ZeroTimeWriter::program_units(const Placement& where, const PageSlot& slot,
                                          const TouchedPlanes& touched, std::uint32_t cells,
                                          std::uint8_t* payload) {
  const Ppn ppn = state_->blocks.ppn(where.plane, slot.block, slot.page);
  state_->policy.allocation->take(where, slot);
  core_->collector.jobs.schedule_gc_check(touched);
  ++state_->statistics.pages_programmed[static_cast<std::size_t>(ProgramCause::host)];
  FlashDescriptor d;
  d.op = static_cast<std::uint8_t>(FlashOp::program);
  d.flags = flash_flag::oob_words;
  d.sector_mask = cells;
  d.oob = state_->units->io.words_untimed();
  const FlashCompletion c = run(ppn, d, payload);
  state_->hooks.programmed_untimed(ppn);
  make_room(where.plane); // now, as victims are chosen by the time of their accesses
  return c.result == 0 ? nullptr : kRefused;
}

const char* ZeroTimeWriter::write_packed(const std::uint32_t* units, const std::uint8_t* payload) {
  FtlState& s = *state_;
  if (s.config.map_units == 1) return "functional write of units to a drive that maps whole pages";
  const std::uint32_t count = s.units->map.units();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (units[i] / count >= s.exported_pages) return kBeyondCapacity;
  }
  for (std::uint32_t tries = s.config.geometry.planes() * 2; tries != 0; --tries) {
    Placement where{choose_plane(units[0] / count), Stream::host, kAnyPage};
    PageSlot slot;
    if (!find_page(where, slot)) continue;
    TouchedPlanes touched;
    const Ppn ppn = s.blocks.ppn(where.plane, slot.block, slot.page);
    s.units->placement.place_untimed(units, ppn, ++s.write_sequence, touched);
    // the Hal only reads a program's payload
    return program_units(where, slot, touched, s.full_mask, const_cast<std::uint8_t*>(payload));
  }
  return kFull;
}

/// A page in that plane; where planes are assigned, in the one whose turn it is, else in one of those behind it,
/// as a command for the die would be given (WriteGroups::add).
bool ZeroTimeWriter::find_page(Placement& where, PageSlot& slot) {
  std::uint32_t& plane = where.plane;
  make_room(plane);
  plane = assigned_plane(plane); // moves may have changed it
  if (peek(where, slot)) return true;
  if (!state_->assigns_planes) return false;
  const std::uint32_t count = state_->config.geometry.planes_per_die;
  const std::uint32_t first = plane / count * count;
  for (std::uint32_t p = 0; p < count; ++p) make_room(first + p);
  plane = assigned_plane(plane);
  for (std::uint32_t tries = count; tries != 0; --tries) {
    if (peek(where, slot)) return true;
    plane = plane + 1 == first + count ? first : plane + 1;
  }
  return false;
}

/// Lets the collector do what it would have done by now.
void ZeroTimeWriter::make_room(std::uint32_t plane) {
  core_->collector.jobs.schedule_gc_check(plane);
  if (core_->collector.jobs.noted_any()) core_->collect_untimed();
}

const char* ZeroTimeWriter::program(std::uint32_t plane, const PageSlot& slot, std::uint64_t oob,
                                    const std::uint8_t* payload) {
  const Ppn ppn = state_->blocks.ppn(plane, slot.block, slot.page);
  // the Hal only reads a program's payload
  const FlashCompletion c =
      run(FlashOp::program, ppn, oob, const_cast<std::uint8_t*>(payload), state_->full_mask);
  state_->hooks.programmed_untimed(ppn);
  return c.result == 0 ? nullptr : kRefused;
}

FlashCompletion ZeroTimeWriter::run(FlashOp op, Ppn ppn, std::uint64_t oob, std::uint8_t* payload,
                                    std::uint32_t sectors) {
  FlashDescriptor d;
  d.op = static_cast<std::uint8_t>(op);
  d.sector_mask = sectors;
  d.oob = oob;
  return run(ppn, d, payload);
}

/// Of a descriptor that has no address yet.
FlashCompletion ZeroTimeWriter::run(Ppn ppn, FlashDescriptor& d, std::uint8_t* payload) {
  const Geometry& g = state_->config.geometry;
  const std::uint32_t die = state_->blocks.die_of(ppn);
  const std::uint32_t channel = die / g.dies_per_channel();
  const std::uint32_t in_channel = die - channel * g.dies_per_channel();
  if (state_->blocks.slc_mode(ppn)) d.flags |= flash_flag::slc_mode;
  d.chip = static_cast<std::uint8_t>(in_channel / g.dies_per_chip);
  const std::uint32_t lun = in_channel - d.chip * g.dies_per_chip;
  d.row = state_->blocks.layout().row(lun, 0, 0, 0) | state_->blocks.row_in_lun(ppn);
  return state_->hal->flash_functional(channel, d, payload);
}

/// Pages of the aged blocks are programmed without becoming valid.
const char* ZeroTimeWriter::age(double fraction) {
  const Geometry& g = state_->config.geometry;
  if (!(fraction >= 0.0 && fraction < 1.0))
    return "precondition: aged fraction must be at least 0 and below 1";
  const auto wanted = static_cast<std::uint32_t>(fraction * g.blocks_per_plane);
  for (std::uint32_t die = 0; die < g.dies(); ++die) {
    std::uint32_t left[kMaxPlanesPerDie];
    for (std::uint32_t p = 0; p < g.planes_per_die; ++p) {
      const std::uint32_t plane = die * g.planes_per_die + p;
      const std::uint32_t used = used_pages(plane);
      left[p] = used < wanted * g.pages_per_block ? wanted * g.pages_per_block - used : 0;
      if (left[p] > room(plane)) left[p] = room(plane);
    }
    for (bool more = true; more;) { // page by page: twins stay level
      more = false;
      for (std::uint32_t p = 0; p < g.planes_per_die; ++p) {
        if (left[p] == 0) continue;
        if (const char* error = write_invalid(die * g.planes_per_die + p)) return error;
        more |= --left[p] != 0;
      }
    }
  }
  return nullptr;
}

void ZeroTimeWriter::complete_passes() {
  for (std::uint32_t plane = 0; plane < state_->config.geometry.planes(); ++plane) {
    for (std::uint32_t left = state_->policy.allocation->left_of_pass(plane); left != 0; --left)
      (void)write_invalid(plane);
  }
}

const char* ZeroTimeWriter::scatter(std::uint64_t seed) {
  const Geometry& g = state_->config.geometry;
  const std::uint32_t together = state_->assigns_planes ? g.planes_per_die : 1; // planes kept level
  Random random(seed);
  for (std::uint32_t first = 0; first < g.planes(); first += together) {
    std::uint32_t pages = random.below(g.pages_per_block);
    for (std::uint32_t p = 0; p < together; ++p) {
      if (pages > room(first + p)) pages = room(first + p);
    }
    for (; pages != 0; --pages) {
      for (std::uint32_t p = 0; p < together; ++p) {
        if (const char* error = write_invalid(first + p)) return error;
      }
    }
  }
  return nullptr;
}

/// Of the region that untimed writes go to.
std::uint32_t ZeroTimeWriter::used_pages(std::uint32_t plane) const {
  const std::uint32_t region = untimed_region();
  std::uint32_t used = 0;
  for (std::uint32_t b = 0; b < state_->config.geometry.blocks_per_plane; ++b) {
    const BlockInfo& block = state_->blocks.block(plane, b);
    if (block.region == region) used += block.written;
  }
  return used;
}

std::uint32_t ZeroTimeWriter::untimed_region() const {
  return state_->policy.regions == nullptr ? 0 : state_->policy.regions->of_hint(kAnyPage);
}

/// Pages that can be written before garbage collection would have something to do.
std::uint32_t ZeroTimeWriter::room(std::uint32_t plane) const {
  const Geometry& g = state_->config.geometry;
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t region = untimed_region();
  const std::uint32_t length =
      blocks.regions() == 1 ? g.blocks_per_plane : blocks.domain(blocks.domain_of(plane, region)).serving();
  const std::uint32_t kept = state_->config.gc_threshold_blocks;
  const std::uint32_t all = length > kept ? (length - kept) * blocks.region_pages(region) : 0;
  const std::uint32_t used = used_pages(plane);
  return used < all ? all - used : 0;
}

/// In the plane whose turn it is in an open stripe of twin blocks, for the count of pages is all that is
/// asked for. Planes of page-type twins take any page at any time, and callers keep them level.
const char* ZeroTimeWriter::write_invalid(std::uint32_t plane) {
  if (state_->blocks.twins() != 1) plane = assigned_plane(plane);
  PageSlot slot;
  if (!peek(Placement{plane, Stream::host, kAnyPage}, slot)) return nullptr;
  state_->consume_page_unmapped(Placement{plane, Stream::host, kAnyPage}, slot);
  const bool words = state_->units != nullptr; // of units: none
  return program(plane, slot, words ? kNoWord : state_->make_oob(kNoLpn), page_);
}

} // namespace twinplane::fw
