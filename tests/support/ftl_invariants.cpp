// FtlBench: the invariants of the FTL's tables.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/ftl_bench.h"

namespace twinplane::test {

void FtlBench::check_cheap() {
  const fw::BlockTable& blocks = core_->state.blocks;
  const Geometry& g = blocks.geometry();
  std::uint64_t free_blocks = 0;
  for (std::uint32_t p = 0; p < g.planes(); ++p) {
    free_blocks += blocks.plane(p).free_blocks;
    const std::uint32_t victim = core_->collector.victim(p);
    fw::PageSlot granted;
    fw::PageSlot allowed;
    if (core_->state.policy.allocation->granted(p, granted)) {
      const fw::Placement host{p, fw::Stream::host, fw::kAnyPage};
      ASSERT_TRUE(core_->state.policy.allocation->peek(host, victim, allowed)) << "plane " << p;
      ASSERT_EQ(granted.block, allowed.block);
      ASSERT_EQ(granted.page, allowed.page);
    }
    if (blocks.regions() != 1) {
      ASSERT_NO_FATAL_FAILURE(check_regions(p));
    }
    if (victim == fw::kNoBlock) continue;
    const fw::BlockState state = blocks.block(p, victim).state;
    ASSERT_TRUE(state == fw::BlockState::victim || state == fw::BlockState::erasing);
  }
  ASSERT_EQ(free_blocks, blocks.free_blocks());
  if (core_->state.policy.cache == nullptr) { // else parts of pages may lie anywhere
    ASSERT_LE(blocks.valid_pages(), core_->state.exported_pages);
  }
  std::uint64_t free_pages = 0;
  for (std::uint32_t t = 0; t < kMaxPageTypes; ++t) free_pages += blocks.free_pages_by_type()[t];
  ASSERT_LE(free_pages + blocks.valid_pages(), g.pages());
}

/// The accounts of the regions of a plane, and what is promised of them in every step.
void FtlBench::check_regions(std::uint32_t plane) {
  const fw::BlockTable& blocks = core_->state.blocks;
  std::uint32_t good = 0;
  for (std::uint32_t r = 0; r < blocks.regions(); ++r) {
    const fw::PlaneInfo& d = blocks.domain(blocks.domain_of(plane, r));
    fw::PlaneInfo sum{};
    std::uint32_t empty = 0; // erased, or open and not begun
    std::uint32_t used = 0;  // pages
    std::uint32_t bad = 0;
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      const fw::BlockInfo& info = blocks.block(plane, b);
      if (info.region != r) continue;
      if (info.state == fw::BlockState::bad) {
        ++bad;
        continue;
      }
      ++sum.blocks;
      sum.own += info.lent;
      sum.free_blocks += info.state == fw::BlockState::free ? 1 : 0;
      empty += info.state <= fw::BlockState::open && info.written == 0 ? 1 : 0;
      sum.valid += info.valid;
      used += info.written;
      ASSERT_LE(info.written, blocks.region_pages(r)) << "plane " << plane << " block " << b;
      if (info.state == fw::BlockState::closed) sum.reclaimable += info.invalid();
    }
    good += sum.blocks;
    ASSERT_EQ(d.blocks, sum.blocks) << "list of region " << r << " of plane " << plane;
    ASSERT_EQ(d.free_blocks, sum.free_blocks);
    ASSERT_EQ(d.space, sum.free_blocks);
    ASSERT_EQ(d.valid, sum.valid);
    ASSERT_EQ(d.own, sum.own);
    ASSERT_EQ(d.reclaimable, sum.reclaimable);
    ASSERT_LE(used, d.blocks * blocks.region_pages(r)) << "more is used than the list is long";
    const bool collects = core_->collector.victim(plane) != fw::kNoBlock;
    if (wears_ || collects || (core_->state.policy.cache != nullptr && r == fw::kCache)) continue;
    ASSERT_GE(empty, 1u) << "region " << r << " of plane " << plane << " has no erased block";
    ASSERT_GE(d.serving() + bad, config_.ftl.gc_threshold_blocks + 2)
        << "what has gone bad was not given away";
  }
  std::uint32_t bad = 0;
  for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b)
    bad += blocks.block(plane, b).state == fw::BlockState::bad ? 1 : 0;
  ASSERT_EQ(good + bad, blocks.blocks_per_plane()) << "a block is on no list, or on two";
}

void FtlBench::check_block(std::uint32_t plane, std::uint32_t block, bool quiet) {
  const fw::BlockTable& blocks = core_->state.blocks;
  const fw::BlockInfo& info = blocks.block(plane, block);
  const std::uint32_t planes = blocks.geometry().planes_per_die;
  const bool regions = blocks.regions() != 1;
  const bool relaxed = !regions && config_.ftl.program_order == ProgramOrder::relaxed;
  const bool skips = regions && blocks.mode(info.region) == fw::PageMode::fast;
  std::uint32_t valid = 0;
  for (std::uint32_t page = blocks.next_valid(plane, block, 0); page < blocks.pages_per_block();
       page = blocks.next_valid(plane, block, page + 1)) {
    ASSERT_TRUE(relaxed || skips || page < info.written);
    ASSERT_TRUE(!skips || blocks.order().type(page) == 0) << "a slow page of a fast block is valid";
    ++valid;
    if (!quiet) continue;
    const Ppn ppn = blocks.ppn(plane, block, page);
    const std::uint32_t in_die = blocks.block_in_die(plane, block);
    const SimFlash::Page& stored = hal_->flash().page(Ppa{plane / planes, plane % planes, in_die, page});
    ASSERT_TRUE(stored.programmed || stored.spoilt);
    if (core_->state.policy.cache != nullptr) continue;
    ASSERT_EQ(core_->state.policy.mapping->lookup(fw::oob_lpn(stored.oob)), ppn)
        << "a valid page nobody points to";
  }
  ASSERT_EQ(valid, info.valid);
  if (info.state == fw::BlockState::free) {
    ASSERT_EQ(info.written, 0u);
    ASSERT_EQ(info.pending_reads, 0u);
  }
  if (info.state == fw::BlockState::open) {
    ASSERT_LT(info.written, blocks.region_pages(info.region));
  }
  if (info.state == fw::BlockState::closed && !relaxed) {
    ASSERT_EQ(info.written, blocks.region_pages(info.region));
  }
  if (!quiet) return;
  ASSERT_EQ(info.pending_reads, 0u);
  if (info.state == fw::BlockState::bad) return;      // erased for the last time
  if (info.state == fw::BlockState::metadata) return; // its pages are nobody's
  const std::uint32_t in_die = blocks.block_in_die(plane, block);
  const std::uint32_t programmed = hal_->flash().programmed_pages(plane / planes, plane % planes, in_die);
  // of begun blocks that could be either partition's recovery may have to use one up; of one whose erase was
  // interrupted all pages count, whatever its mode
  const bool used_up = regions && core_->state.config.used_cells && info.state == fw::BlockState::closed;
  const std::uint32_t pages = std::min(programmed, blocks.region_pages(info.region));
  ASSERT_TRUE(pages == info.written || (used_up && pages < info.written)) << programmed;
}

void FtlBench::check_versions() {
  if (core_->state.buffer == nullptr) return;
  fw::WriteBuffer& buffer = *core_->state.buffer;
  for (std::uint32_t i = 0; i < config_.ftl.write_buffer_pages; ++i) {
    const fw::BufferSlot& slot = buffer.at(static_cast<std::uint16_t>(i));
    if (!slot.listed) {
      ASSERT_TRUE(slot.state == fw::SlotState::free || slot.state == fw::SlotState::writing) << "slot " << i;
      continue;
    }
    ASSERT_NE(slot.state, fw::SlotState::free) << "slot " << i;
    const bool first = buffer.older(slot) == nullptr;
    ASSERT_EQ(slot.state == fw::SlotState::waiting, !first) << "slot " << i << " of LPN " << slot.lpn;
    if (slot.state == fw::SlotState::clean) {
      ASSERT_EQ(buffer.newest(slot.lpn), &slot) << "slot " << i;
    }
  }
}

void FtlBench::check_all(bool quiet) {
  check_cheap();
  const fw::BlockTable& blocks = core_->state.blocks;
  const Geometry& g = blocks.geometry();
  const bool regions = blocks.regions() != 1;
  const bool relaxed = !regions && config_.ftl.program_order == ProgramOrder::relaxed;
  const bool twins = blocks.twins() != 1;
  if (twins) {
    ASSERT_NO_FATAL_FAILURE(check_twins());
  }
  std::uint64_t valid = 0;
  for (std::uint32_t p = 0; p < g.planes(); ++p) {
    std::uint32_t free_blocks = 0;
    std::uint32_t reclaimable = 0;
    std::uint32_t open = 0;
    std::uint32_t space = 0;
    for (std::uint32_t b = 0; b < g.blocks_per_plane; ++b) {
      ASSERT_NO_FATAL_FAILURE(check_block(p, b, quiet));
      const fw::BlockInfo& info = blocks.block(p, b);
      valid += info.valid;
      free_blocks += info.state == fw::BlockState::free ? 1 : 0;
      const bool writable = info.state < fw::BlockState::victim;
      space += writable ? g.pages_per_block - info.written : 0;
      open += info.state == fw::BlockState::open ? 1 : 0;
      if (info.state == fw::BlockState::closed) reclaimable += info.invalid();
    }
    ASSERT_EQ(free_blocks, blocks.plane(p).free_blocks);
    if (!twins) {
      std::uint32_t sum = 0;
      for (std::uint32_t r = 0; r < blocks.regions(); ++r)
        sum += blocks.domain(blocks.domain_of(p, r)).reclaimable;
      ASSERT_EQ(reclaimable, sum);
    }
    ASSERT_LE(open, relaxed ? blocks.order().types() : most_open());
    ASSERT_EQ(relaxed ? space : free_blocks, blocks.plane(p).space);
  }
  ASSERT_EQ(valid, blocks.valid_pages());
  if (core_->state.policy.cache != nullptr) return check_subpages();
  std::uint64_t mapped = 0;
  for (std::uint32_t lpn = 0; lpn < core_->state.exported_pages; ++lpn) {
    const Ppn ppn = core_->state.policy.mapping->lookup(lpn);
    if (!fw::is_page(ppn)) continue;
    ASSERT_TRUE(blocks.valid(ppn)) << "LPN " << lpn;
    ++mapped;
  }
  ASSERT_EQ(mapped, valid) << "the map is injective when as many pages are valid as LPNs are mapped";
}

std::uint32_t FtlBench::most_open() const {
  if (core_->state.policy.cache != nullptr) return fw::kCacheLevels + 2;
  return 2u * core_->state.blocks.regions();
}

/// The map of subpages, both ways, and the counts of pages and blocks that follow from it.
void FtlBench::check_subpages() {
  const fw::BlockTable& blocks = core_->state.blocks;
  const fw::SubpageMap& map = core_->state.policy.cache->map;
  std::uint64_t mapped = 0;
  for (std::uint32_t lpn = 0; lpn < core_->state.exported_pages; ++lpn) {
    Ppn native = kNoPpn;
    for (std::uint32_t s = 0; s < map.subpages(); ++s) {
      const fw::Psn psn = map.at(lpn, s);
      if (psn == fw::kNoPsn) continue;
      ++mapped;
      const Ppn ppn = map.page_of(psn);
      const std::uint32_t slot = map.slot_of(psn);
      ASSERT_NE(map.page(ppn).valid >> slot & 1, 0) << "LPN " << lpn << " subpage " << s;
      ASSERT_EQ(map.owner_lpn(ppn, slot), lpn);
      ASSERT_EQ(map.owner_subpage(ppn, slot), s);
      if (blocks.slc_mode(ppn) || config_.ftl.slc_cache.packed_eviction) continue;
      ASSERT_EQ(slot, s) << "native pages hold a logical page in its order";
      ASSERT_TRUE(native == kNoPpn || native == ppn) << "LPN " << lpn << " lies in two native pages";
      native = ppn;
    }
  }
  std::uint64_t valid = 0;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
    std::uint32_t in_region[2] = {};
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      const fw::BlockState state = blocks.block(p, b).state;
      if (state == fw::BlockState::free || state == fw::BlockState::metadata || state == fw::BlockState::bad)
        continue;
      std::uint32_t used = 0;
      std::uint32_t in_block = 0;
      for (std::uint32_t page = 0; page < blocks.pages_per_block(); ++page) {
        const fw::PageRecord& r = map.page(blocks.ppn(p, b, page));
        used += r.used;
        in_block += fw::bits_set(r.valid);
        ASSERT_EQ(r.valid != 0, blocks.valid(blocks.ppn(p, b, page)));
        ASSERT_LE(r.used, map.subpages());
        ASSERT_EQ(r.valid & ~fw::low_mask(r.used), 0u);
      }
      if (state == fw::BlockState::erasing && in_block == 0 && map.sums(p, b).used == 0)
        continue; // of metadata
      ASSERT_EQ(map.sums(p, b).used, used);
      ASSERT_EQ(map.sums(p, b).valid, in_block);
      in_region[blocks.block(p, b).region] += in_block;
      valid += in_block;
    }
    ASSERT_EQ(map.cached(p), in_region[fw::kCache]);
    ASSERT_EQ(map.native(p), in_region[fw::kNative]);
  }
  ASSERT_EQ(mapped, valid) << "the map is injective when as many slots are valid as subpages are mapped";
}

void FtlBench::check_twins() {
  const fw::BlockTable& blocks = core_->state.blocks;
  const std::uint32_t planes = blocks.twins();
  for (std::uint32_t die = 0; die < blocks.domains(); ++die) {
    std::uint32_t free_units = 0;
    std::uint32_t reclaimable = 0;
    std::uint32_t free_pages = 0;
    std::uint32_t open = 0;
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      const fw::BlockInfo& unit = blocks.unit(die, b);
      std::uint32_t valid = 0;
      std::uint32_t written = 0;
      for (std::uint32_t p = 0; p < planes; ++p) {
        const fw::BlockInfo& block = blocks.block(die * planes + p, b);
        valid += block.valid;
        written += block.written;
        ASSERT_EQ(block.erases, unit.erases);
        if (unit.state == fw::BlockState::open) {
          const std::uint32_t first = blocks.block(die * planes, b).written;
          ASSERT_TRUE(block.written == first || block.written + 1u == first)
              << "die " << die << " block " << b << " plane " << p << " is not level";
        } else {
          ASSERT_EQ(block.state, unit.state);
        }
      }
      ASSERT_EQ(unit.valid, valid);
      if (unit.state != fw::BlockState::free) {
        ASSERT_EQ(unit.written, written);
      }
      free_units += unit.state == fw::BlockState::free ? 1 : 0;
      open += unit.state == fw::BlockState::open ? 1 : 0;
      if (unit.state == fw::BlockState::free || unit.state == fw::BlockState::open)
        free_pages += blocks.unit_pages() - written;
      if (unit.state == fw::BlockState::closed) reclaimable += blocks.unit_pages() - unit.valid;
    }
    ASSERT_EQ(free_units, blocks.domain(die).free_blocks);
    ASSERT_EQ(reclaimable, blocks.domain(die).reclaimable);
    ASSERT_EQ(free_pages, blocks.domain(die).free_pages);
    ASSERT_LE(open, 2u);
  }
}

} // namespace twinplane::test
