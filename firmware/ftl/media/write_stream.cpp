#include "firmware/ftl/media/write_stream.h"

#include <utility>

#include "firmware/ftl/policies.h"
#include "firmware/ftl/victim/least_space.h"

namespace twinplane::fw {

void WriteStream::boot(BootMemory& memory, BlockTable& blocks) {
  blocks_ = &blocks;
  units_ = memory.array<OpenUnit>(blocks.domains());
  for (std::uint32_t d = 0; units_ != nullptr && d < blocks.domains(); ++d)
    units_[d].next = blocks.domain_pages(d);
}

bool WriteStream::open_next(std::uint32_t domain) {
  const std::uint32_t block = blocks_->find_free(domain);
  if (block == kNoBlock) return false;
  blocks_->open_unit(blocks_->site_of_domain(domain), block);
  units_[domain] = OpenUnit{block, 0, 0};
  return true;
}

/// The table closes a unit whose last page has been handed out, unless a mode leaves pages of it out.
void WriteStream::take(std::uint32_t domain) {
  OpenUnit& open = units_[domain];
  if (++open.next != blocks_->domain_pages(domain)) return;
  if (blocks_->mode(blocks_->region_of_domain(domain)) != PageMode::all)
    blocks_->transition(blocks_->site_of_domain(domain), open.block, BlockState::closed);
}

void WriteStream::close(std::uint32_t domain) {
  if (units_[domain].next != 0 && is_open(domain)) close_unit(domain);
}

void WriteStream::close_unit(std::uint32_t domain) {
  OpenUnit& open = units_[domain];
  blocks_->close_early(blocks_->site_of_domain(domain), open.block);
  open = OpenUnit{0, blocks_->domain_pages(domain), 0};
}

bool WriteStream::can_be(std::uint32_t domain) const {
  const OpenUnit& open = units_[domain];
  const std::uint32_t pages = blocks_->domain_pages(domain);
  if (open.block >= blocks_->blocks_per_plane() || open.next > pages || open.granted > pages) return false;
  const BlockInfo& unit = blocks_->member(domain, open.block);
  if (open.next == pages) return true;
  return unit.state == BlockState::open && unit.written == open.next &&
         blocks_->is_member(domain, open.block);
}

void WriteStream::serialise(StateVisitor& state) {
  state.table(units_, blocks_->domains());
  for (std::uint32_t d = 0; state.loading() && d < blocks_->domains(); ++d)
    state.require(can_be(d), kNoFrontier);
}

void StreamPair::boot(BootMemory& memory, BlockTable& blocks, const FtlConfig& config) {
  blocks_ = &blocks;
  for (std::uint32_t r = 0; r < blocks.regions(); ++r) {
    margins_[r].torn = torn_reserve_pages(config, blocks.padding(r)) * blocks.twins();
    margins_[r].padding = blocks.unit_padding(r);
  }
  collector_ = config.frontier == Frontier::shared ? &host : &own_;
  host.boot(memory, blocks);
  if (!shared()) own_.boot(memory, blocks);
  if (config.host_streams != 1) {
    hot_.boot(memory, blocks);
    hot_units_.boot(memory, blocks.domains(), blocks.blocks_per_plane());
    emptied_ = memory.array<std::uint32_t>(blocks.domains());
    for (std::uint32_t d = 0; emptied_ != nullptr && d < blocks.domains(); ++d) emptied_[d] = kNoBlock;
  }
  parts_hot_ = config.host_streams != 1;
  closes_early_ = !completes_wordlines(config);
}

std::uint32_t StreamPair::spare(std::uint32_t domain, std::uint32_t reclaiming) const {
  if (!keeps_) return reach(domain);
  const std::uint32_t site = blocks_->site_of_domain(domain);
  const bool victim_here = reclaiming != kNoBlock && blocks_->is_member(domain, reclaiming);
  const std::uint32_t region = blocks_->region_of_domain(domain);
  const std::uint32_t pass = blocks_->pass_pages(region);
  const Margin& margin = margins_[region];
  const std::uint32_t need =
      victim_here ? (blocks_->most_moved(site, reclaiming) + pass - 1) / pass * pass + margin.torn
                  : blocks_->domain_pages(domain) + margin.padding;
  const std::uint32_t reach = this->reach(domain);
  return reach > need ? reach - need : 0;
}

bool StreamPair::open(WriteStream& stream, std::uint32_t domain) {
  if (!stream.open_next(domain)) return false;
  if (hot_.units() == nullptr) return true;
  const std::uint32_t block = stream.at(domain).block;
  is_hot(stream) ? hot_units_.set(domain, block) : hot_units_.clear(domain, block);
  return true;
}

bool StreamPair::moves_hot(std::uint32_t domain) const {
  if (!parts_hot_ || emptied_[domain] == kNoBlock || !hot_units_.test(domain, emptied_[domain])) return false;
  return hot_.is_open(domain) || spare(domain, emptied_[domain]) >= blocks_->domain_pages(domain);
}

/// Nothing is collected, nor can be, and the host has no unit.
bool StreamPair::only_collector_goes_on(std::uint32_t domain, std::uint32_t reclaiming) const {
  if (shared() || reclaiming != kNoBlock || host.is_open(domain) || !own_.is_open(domain)) return false;
  return !any_yields_space(*blocks_, domain);
}

/// Twins change hands where a stripe is full: the write's plane was chosen for a host with nothing open.
bool StreamPair::host_takes_over(std::uint32_t domain) {
  const std::uint32_t stripe = blocks_->twins() * blocks_->pass_pages(blocks_->region_of_domain(domain));
  if (own_.at(domain).next % stripe != 0) return false;
  if (spare(domain, kNoBlock) < own_.left(domain)) return false;
  std::swap(host.at(domain), own_.at(domain));
  return true;
}

void StreamPair::give_up_collectors(std::uint32_t domain) {
  const std::uint32_t padding = margins_[blocks_->region_of_domain(domain)].padding;
  if (closes_early_ && own_.left(domain) < padding) own_.close_unit(domain);
}

bool StreamPair::resume(std::uint32_t domain, std::uint32_t block, std::uint32_t pages) {
  const OpenUnit found{block, pages, 0};
  OpenUnit& moves = collector_->at(domain);
  if (!collector_->is_open(domain)) {
    moves = found;
    return true;
  }
  const bool second = host.is_open(domain);
  if (second && (!parts_hot_ || hot_.is_open(domain))) return false;
  OpenUnit& own = second ? hot_.at(domain) : host.at(domain);
  own = found;
  if (own.next < moves.next) std::swap(own, moves);
  if (second) hot_units_.set(domain, own.block);
  return true;
}

bool StreamPair::end_hot_stream() {
  if (!parts_hot_) return false;
  parts_hot_ = false;
  for (std::uint32_t d = 0; d < blocks_->domains(); ++d) {
    if (!shared() && !host.is_open(d)) std::swap(host.at(d), hot_.at(d));
    if (closes_early_) hot_.close(d);
  }
  return true;
}

void StreamPair::close(std::uint32_t site) {
  for (std::uint32_t r = 0; r < blocks_->regions(); ++r) {
    host.close(blocks_->domain_of(site, r));
    if (!shared()) own_.close(blocks_->domain_of(site, r));
    if (hot_.units() != nullptr) hot_.close(blocks_->domain_of(site, r));
  }
}

void StreamPair::serialise(StateVisitor& state) {
  host.serialise(state);
  if (!shared()) own_.serialise(state);
  if (hot_.units() == nullptr) return;
  hot_.serialise(state);
  hot_units_.serialise(state);
  state.require(!state.loading() || hot_units_.hold(), "it is damaged (units of hot data)");
}

} // namespace twinplane::fw
