#include "firmware/ftl/purge.h"

#include <cstring>

namespace twinplane::fw {

void Purge::begin(Request& request) {
  request_ = &request;
  step_ = Step::settling;
  blocks_ = blocks_left();
  parts_.collector->resume();
}

/// But for the request itself, and a host's shutdown that waits for metadata.
bool Purge::quiet() const {
  return parts_.state->pool.in_use() == 0 && parts_.lower_pages->idle() && parts_.journal->writer.idle() &&
         parts_.collector->jobs.active() == 0 && !parts_.collector->stranded.any();
}

bool Purge::run() {
  FtlState& s = *parts_.state;
  if (step_ == Step::settling) {
    if (!quiet()) return false;
    if (s.blocks.valid_pages() != 0) {
      end(nvme::status::internal_error); // they have not been trimmed
      return true;
    }
    for (std::uint32_t site = 0; site < s.blocks.sites(); ++site) s.policy.allocation->close_open(site);
    step_ = Step::blocks;
    parts_.collector->purge(true);
    return true;
  }
  if (step_ == Step::blocks) {
    if (parts_.collector->purging()) return false;
    parts_.collector->purge(false);
    parts_.lower_pages->purge(true);
    step_ = Step::copies;
  }
  if (!parts_.lower_pages->idle()) return false;
  parts_.lower_pages->purge(false);
  std::memset(s.hal->dram() + buffers_.begin, 0, buffers_.bytes);
  end(nvme::status::success);
  return true;
}

void Purge::end(std::uint16_t status) {
  Request& r = *request_;
  request_ = nullptr;
  r.status = status;
  parts_.commits->purged(r);
}

std::uint32_t Purge::blocks_left() const {
  const BlockTable& blocks = parts_.state->blocks;
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
  if (!busy() || blocks_ == 0) return 0;
  const std::uint32_t left = blocks_left();
  const std::uint32_t done = left < blocks_ ? blocks_ - left : 0;
  return static_cast<std::uint16_t>(std::uint64_t{done} * 0xFFFF / blocks_);
}

} // namespace twinplane::fw
