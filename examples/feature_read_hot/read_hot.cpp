#include "examples/feature_read_hot/read_hot.h"

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

namespace {
constexpr PageHint kFastPage = 1; // 1 + the page type
} // namespace

void ReadHot::boot(BootMemory& memory, const Pipeline& pipeline) {
  state_ = &pipeline.state;
  host_ = &pipeline.host;
  reads_ = memory.zeroed<std::uint8_t>(state_->exported_pages);
}

void ReadHot::host_read(std::uint32_t lpn, Ppn page) {
  const BlockTable& blocks = state_->blocks;
  if (blocks.order().type(blocks.page_of(page)) == 0 || ++reads_[lpn] < kReads) return;
  reads_[lpn] = 0;
  if (waiting_ == kMostWaiting) return;
  lpns_[waiting_++] = lpn;
  state_->hooks.wake(*this);
}

/// What has been trimmed meanwhile stays so; and a drive that is worn out keeps its pages where they are.
bool ReadHot::step(bool admits) {
  if (!admits) return false;
  for (; waiting_ != 0; --waiting_) {
    const std::uint32_t lpn = lpns_[waiting_ - 1];
    if (state_->read_only() || !is_page(state_->policy.mapping->lookup(lpn))) continue;
    if (!host_->rewriter.rewrite(lpn, ProgramCause::migration, kFastPage)) return false;
    ++moved_;
  }
  state_->hooks.sleep(*this);
  return true;
}

void ReadHot::serialise(StateVisitor& visitor) {
  visitor.table(reads_, state_->exported_pages);
  visitor.value(moved_);
}

const FeatureRow& read_hot_feature() {
  static constexpr FeatureRow kRow{
      {"read_hot"},
      [](BootMemory& memory, const FtlConfig&) -> Feature* { return memory.make<ReadHot>(); },
      {}};
  return kRow;
}

} // namespace twinplane::fw
