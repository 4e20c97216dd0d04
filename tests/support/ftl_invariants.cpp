// FtlBench: the invariants of the FTL's tables.
#include <gtest/gtest.h>

#include <algorithm>

#include "firmware/ftl/checks/table_check.h"
#include "firmware/ftl/features/slc_cache/slc_cache.h"
#include "tests/support/ftl_bench.h"
#include "tests/support/slots_of.h"

namespace twinplane::test {

void FtlBench::check_cheap() {
  const fw::BlockTable& blocks = core_->state.blocks;
  const Geometry& g = blocks.geometry();
  std::uint64_t free_blocks = 0;
  for (std::uint32_t p = 0; p < g.planes(); ++p) {
    free_blocks += blocks.plane(p).free_blocks;
    const std::uint32_t victim = core_->collector.jobs.victim(p);
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
  if (core_->state.units == nullptr) { // else parts of pages may lie anywhere
    ASSERT_LE(blocks.valid_pages(), core_->state.exported_pages);
  }
  std::uint64_t free_pages = 0;
  for (std::uint32_t t = 0; t < kMaxPageTypes; ++t) free_pages += blocks.free_pages_by_type()[t];
  ASSERT_LE(free_pages + blocks.valid_pages(), g.pages());
}

/// What is promised of the regions of a plane in every step.
void FtlBench::check_regions(std::uint32_t plane) {
  const fw::BlockTable& blocks = core_->state.blocks;
  for (std::uint32_t r = 0; r < blocks.regions(); ++r) {
    const fw::PlaneInfo& d = blocks.domain(blocks.domain_of(plane, r));
    std::uint32_t empty = 0; // erased, or open and not begun
    std::uint32_t bad = 0;
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      const fw::BlockInfo& info = blocks.block(plane, b);
      if (info.region != r) continue;
      bad += info.state == fw::BlockState::bad ? 1 : 0;
      empty += info.state <= fw::BlockState::open && info.written == 0 ? 1 : 0;
    }
    const bool collects = core_->collector.jobs.victim(plane) != fw::kNoBlock;
    if (wears_ || collects || (core_->state.policy.cache != nullptr && r == fw::kCache)) continue;
    ASSERT_GE(empty, 1u) << "region " << r << " of plane " << plane << " has no erased block";
    ASSERT_GE(d.serving() + bad, config_.ftl.gc_threshold_blocks + 2)
        << "what has gone bad was not given away";
  }
}

/// Does the flash hold what the tables say of the block? Nothing may be under way.
void FtlBench::check_block(std::uint32_t plane, std::uint32_t block) {
  const fw::BlockTable& blocks = core_->state.blocks;
  const fw::BlockInfo& info = blocks.block(plane, block);
  const std::uint32_t planes = blocks.geometry().planes_per_die;
  const std::uint32_t in_die = blocks.block_in_die(plane, block);
  for (std::uint32_t page = blocks.next_valid(plane, block, 0); page < blocks.pages_per_block();
       page = blocks.next_valid(plane, block, page + 1)) {
    const SimFlash::Page& stored = hal_->flash().page(Ppa{plane / planes, plane % planes, in_die, page});
    ASSERT_TRUE(stored.programmed || stored.spoilt);
    if (core_->state.units != nullptr) continue;
    ASSERT_EQ(core_->state.policy.mapping->lookup(fw::oob_lpn(stored.oob)), blocks.ppn(plane, block, page))
        << "a valid page that no LPN points to";
  }
  ASSERT_EQ(info.pending_reads, 0u);
  if (info.state == fw::BlockState::bad) return;      // erased for the last time
  if (info.state == fw::BlockState::metadata) return; // its pages are the firmware's own
  const std::uint32_t programmed = hal_->flash().programmed_pages(plane / planes, plane % planes, in_die);
  // Of begun blocks that could be either partition's recovery may have to use one up, and twins that are not level; so
  // where the first page was torn, as it was perhaps one of metadata. Of a block whose erase was interrupted all pages
  // count, whatever its mode.
  const SimFlash::Page& first = hal_->flash().page(Ppa{plane / planes, plane % planes, in_die, 0});
  const bool may_be =
      blocks.regions() != 1 || blocks.twins() != 1 || (statistics().metadata_kept && first.spoilt);
  const bool closed = info.state == fw::BlockState::closed || info.state == fw::BlockState::victim;
  const bool used_up = may_be && core_->state.config.used_cells && closed;
  const std::uint32_t pages = std::min(programmed, blocks.region_pages(info.region));
  ASSERT_TRUE(pages == info.written || (used_up && pages < info.written))
      << programmed << " programmed, " << info.written << " written of block " << block << " of plane "
      << plane;
}

void FtlBench::check_versions() {
  if (core_->state.buffer == nullptr) return;
  fw::WriteBuffer& buffer = slots_of(core_->state);
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

void FtlBench::check_tables() {
  const fw::BrokenRule broken = fw::check_tables(*core_);
  ASSERT_EQ(broken.rule, nullptr) << broken.rule << ": LPN " << broken.lpn << " plane " << broken.plane
                                  << " block " << broken.block << " page " << broken.page << ": found "
                                  << broken.found << ", expected " << broken.expected;
}

void FtlBench::check_all(bool quiet) {
  check_cheap();
  ASSERT_NO_FATAL_FAILURE(check_tables());
  const fw::BlockTable& blocks = core_->state.blocks;
  const bool relaxed = blocks.regions() == 1 && config_.ftl.program_order == ProgramOrder::relaxed;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
    std::uint32_t open = 0;
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      if (quiet) {
        ASSERT_NO_FATAL_FAILURE(check_block(p, b));
      }
      open += blocks.block(p, b).state == fw::BlockState::open ? 1 : 0;
    }
    ASSERT_LE(open, relaxed ? blocks.order().types() : most_open());
  }
}

std::uint32_t FtlBench::most_open() const {
  if (core_->state.policy.cache != nullptr) return fw::kCacheLevels + 2;
  return 2u * core_->state.blocks.regions() + (config_.ftl.host_streams - 1);
}

} // namespace twinplane::test
