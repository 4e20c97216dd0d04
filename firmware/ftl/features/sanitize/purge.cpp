#include "firmware/ftl/features/sanitize/purge.h"

#include <cstring>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/features/sanitize/key.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

void Purge::boot(BootMemory& /*memory*/, const Pipeline& pipeline) {
  state_ = &pipeline.state;
  collector_ = &pipeline.collector;
  host_ = &pipeline.host;
}

void Purge::begin(Request& request) {
  request_ = &request;
  state_->hooks.wake(*this);
  step_ = Step::settling;
  blocks_ = blocks_left();
  collector_->resume();
}

/// But for the request itself, and a host's shutdown that waits for metadata.
bool Purge::quiet() const {
  return state_->pool.in_use() == 0 && state_->hooks.idle() && state_->durability->all_written() &&
         collector_->jobs.active() == 0 && !collector_->unrelocatable.any();
}

bool Purge::step(bool admits) {
  if (!admits) return false;
  FtlState& s = *state_;
  if (step_ == Step::settling) {
    if (!quiet()) return false;
    if (s.blocks.valid_pages() != 0) {
      end(nvme::status::internal_error); // they have not been trimmed
      return true;
    }
    for (std::uint32_t site = 0; site < s.blocks.sites(); ++site) s.policy.allocation->close_open(site);
    step_ = Step::blocks;
    collector_->purge(true);
    return true;
  }
  if (step_ == Step::blocks) {
    if (collector_->purging()) return false;
    collector_->purge(false);
    s.hooks.purge(true);
    step_ = Step::copies;
  }
  if (!s.hooks.idle()) return false;
  s.hooks.purge(false);
  std::memset(s.hal->dram() + s.host_data.begin, 0, s.host_data.bytes);
  end(nvme::status::success);
  return true;
}

void Purge::end(std::uint16_t status) {
  Request& r = *request_;
  request_ = nullptr;
  r.status = status;
  state_->hooks.sleep(*this);
  host_->commits.executed(r);
}

std::uint32_t Purge::blocks_left() const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t left = 0;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      const BlockInfo& unit = blocks.unit(site, b);
      const bool used = unit.state == BlockState::closed || unit.state == BlockState::victim ||
                        unit.state == BlockState::erasing || unit.state == BlockState::open;
      left += used && unit.written != 0 ? 1 : 0;
    }
  }
  return left;
}

std::uint16_t Purge::progress() const {
  if (request_ == nullptr || blocks_ == 0) return 0;
  const std::uint32_t left = blocks_left();
  const std::uint32_t done = left < blocks_ ? blocks_ - left : 0;
  return static_cast<std::uint16_t>(std::uint64_t{done} * 0xFFFF / blocks_);
}

const FeatureRow& sanitize_feature() {
  static constexpr FeatureRow kRow{
      sanitize_key(),
      [](BootMemory& memory, const FtlConfig&) -> Feature* { return memory.make<Purge>(); },
      {}};
  return kRow;
}

} // namespace twinplane::fw
