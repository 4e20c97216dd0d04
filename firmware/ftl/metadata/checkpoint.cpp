// Metadata: checkpoints of the map and of the block table, and what of them a recovery begins with.
#include "firmware/ftl/metadata/metadata.h"

namespace twinplane::fw {

/// With checkpoints for each copy the units of all slices, while the old ones are there as well. A block's
/// first word and its last one have to be two.
std::uint64_t Metadata::blocks_kept(const FtlConfig& config, const BlockTable& blocks,
                                    std::uint32_t exported_pages, std::uint64_t spare) {
  const Geometry& g = blocks.geometry();
  const std::uint64_t trims = std::uint64_t{kSpareBlocks} * g.planes();
  if (spare < trims) return 0;
  const SliceLayout layout(g.page_size, exported_pages, g.blocks(), g.sectors_per_page());
  if (config.checkpoint_interval == 0 || !layout.checkpoints() || blocks.order().wordlines() < 2)
    return trims;
  const std::uint64_t units = (2 * layout.slices() + 2 + blocks.unit_pages() - 1) / blocks.unit_pages() + 1;
  const std::uint64_t all = trims + 2 * kCopies * units * blocks.twins();
  return spare < all ? trims : all;
}

void Metadata::want_all(SliceKind kind) {
  for (std::uint32_t s = layout_.begin(kind); s < layout_.slices() && layout_.kind(s) == kind; ++s)
    dirty_[s] = 1;
}

std::uint32_t Metadata::begin_checkpoint(bool shut_down) {
  if (!checkpoints()) return 0;
  shut_down_ = shut_down;
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
/// the other; twice as long, for collections that go on and what is retried. Units may have to be made and
/// erased.
std::uint64_t Metadata::longest_checkpoint_ps() const {
  if (!checkpoints()) return 0;
  const FlashTimes& t = state_->config.times;
  const std::uint64_t page = t.read_ps + t.program_ps + 2 * (t.transfer_ps + t.core_ps + t.dram_ps);
  const std::uint64_t pages = std::uint64_t{2} * kCopies * (layout_.slices() + state_->blocks.unit_pages());
  const std::uint64_t blocks = std::uint64_t{most_units_} * state_->blocks.twins();
  return 2 * (pages * page + blocks * (t.erase_ps + t.transfer_ps + t.core_ps));
}

void Metadata::block_table_changed() {
  if (!checkpoints()) return;
  want_all(SliceKind::blocks);
  want(epoch_);
}

void Metadata::opened() {
  if (!shut_down_) return;
  shut_down_ = false;
  block_table_changed();
}

void Metadata::recovered(const KeptRecord* record) {
  if (!checkpoints()) return;
  end_checkpoint();
  DriveRecord* const counted = state_->sink->record();
  if (record == nullptr || counted == nullptr) return;
  *counted = record->record;
  ++counted->power_cycles;
  counted->unsafe_shutdowns += record->shut_down != 0 ? 0 : 1;
  block_table_changed();
}

} // namespace twinplane::fw
