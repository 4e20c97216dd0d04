// Metadata: checkpoints of the map and of the block table, and what of them a recovery begins with.
#include "firmware/ftl/flush_time.h"
#include "firmware/ftl/metadata/metadata.h"

namespace twinplane::fw {

namespace {

/// For each copy the units of all slices, while the old ones are there as well.
std::uint64_t blocks_for(const SliceLayout& layout, const BlockTable& blocks) {
  const std::uint32_t pages = blocks.unit_pages();
  const std::uint64_t units = (2 * layout.slices() + 2 + pages - 1) / pages + 1;
  return 2 * Metadata::kCopies * units * blocks.twins();
}

SliceLayout layout_with(bool map, const Geometry& g, std::uint32_t exported_pages) {
  return {g.page_size, exported_pages, g.blocks(), g.sectors_per_page(), map};
}

} // namespace

/// With checkpoints a block's first word and its last one have to be two.
Metadata::Kept Metadata::what_is_kept(const FtlConfig& config, const BlockTable& blocks,
                                      std::uint32_t exported_pages, std::uint64_t spare) {
  const Geometry& g = blocks.geometry();
  const std::uint64_t trims = std::uint64_t{kSpareBlocks} * g.planes();
  if (spare < trims) return Kept::nothing;
  const auto has_room = [&](bool map) {
    return spare >= trims + blocks_for(layout_with(map, g, exported_pages), blocks);
  };
  if (config.checkpoint_interval != 0 && blocks.order().wordlines() > 1 && has_room(true)) return Kept::map;
  return has_room(false) ? Kept::blocks : Kept::trims;
}

std::uint64_t Metadata::blocks_kept(const FtlConfig& config, const BlockTable& blocks,
                                    std::uint32_t exported_pages, std::uint64_t spare) {
  const Geometry& g = blocks.geometry();
  const Kept kept = what_is_kept(config, blocks, exported_pages, spare);
  if (kept == Kept::nothing) return 0;
  const std::uint64_t trims = std::uint64_t{kSpareBlocks} * g.planes();
  return kept == Kept::map ? trims + blocks_for(layout_with(true, g, exported_pages), blocks) : trims;
}

void Metadata::want_all(SliceKind kind) {
  for (std::uint32_t s = layout_.begin(kind); s < layout_.slices() && layout_.kind(s) == kind; ++s)
    dirty_[s] = 1;
}

std::uint32_t Metadata::begin_checkpoint(bool shut_down) {
  if (!keeps_blocks()) return 0;
  shut_down_ = shut_down;
  if (!checkpoints()) {
    block_table_changed();
    return epoch_;
  }
  want_all(SliceKind::map);
  want_all(SliceKind::blocks);
  next_checkpoint_ = ~std::uint64_t{0};
  want(checkpoint_ = epoch_);
  state_->hal->trace_event(TraceEvent::checkpoint_begin, 0, shut_down ? 1 : 0);
  return epoch_;
}

void Metadata::end_checkpoint() {
  checkpoint_ = 0;
  state_->hal->trace_event(TraceEvent::checkpoint_end, 0, 0);
  if (checkpoints()) next_checkpoint_ = pages_of_others() + state_->config.checkpoint_interval;
}

/// A promise to the host (flush_time.h): one that is being written, then another one, all pages one behind
/// the other; twice as long, for collections that go on and what is retried. Units may have to be erased, and
/// collection to make space for the first ones.
std::uint64_t Metadata::longest_checkpoint_ps() const {
  if (!keeps_blocks()) return 0;
  const FlashTimes& t = state_->config.times;
  const std::uint64_t page = t.read_ps + t.program_ps + 2 * (t.transfer_ps + t.core_ps + t.dram_ps);
  const std::uint64_t pages = std::uint64_t{2} * kCopies * (layout_.slices() + state_->blocks.unit_pages());
  const std::uint64_t blocks = std::uint64_t{most_units_} * state_->blocks.twins();
  const std::uint64_t first = std::uint64_t{kCopies} * units_for(layout_.slices()) * unit_pages();
  return 2 * (pages * page + blocks * (t.erase_ps + t.transfer_ps + t.core_ps)) +
         longest_collection_ps(state_->config, state_->exported_pages, first);
}

void Metadata::block_table_changed() {
  if (!keeps_blocks()) return;
  want_all(SliceKind::blocks);
  want(epoch_);
}

void Metadata::opened() {
  if (!shut_down_ && recorded_) return;
  shut_down_ = false;
  recorded_ = true;
  block_table_changed();
}

/// Written when a host is there: a drive that is switched on and off again wears nothing.
void Metadata::recovered(const KeptRecord* record) {
  if (!keeps_blocks()) return;
  if (checkpoints()) end_checkpoint();
  recorded_ = false;
  DriveRecord* const counted = state_->sink->record();
  if (counted == nullptr) return;
  if (record != nullptr) *counted = record->record;
  ++counted->power_cycles;
  counted->unsafe_shutdowns += record != nullptr && record->shut_down != 0 ? 0 : 1;
}

std::uint32_t Metadata::settle() {
  want(epoch_);
  return epoch_;
}

} // namespace twinplane::fw
