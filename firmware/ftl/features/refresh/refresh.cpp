#include "firmware/ftl/features/refresh/refresh.h"

#include "firmware/ftl/features/refresh/key.h"
#include "firmware/ftl/gc/collector.h"
#include "firmware/ftl/io/host_path.h"

namespace twinplane::fw {

namespace {

constexpr std::uint64_t kPsPerMs = 1'000'000'000;
constexpr std::uint32_t kRest = 7; // the patrol has an eighth of a die's time at most

constexpr FeatureParameter kParameters[] = {
    {"reads", "host and patrol reads of a block until its data are written once more; 0 = any number",
     1'000'000'000},
    {"corrected_bits",
     "wrong bits of a page that is read from which on its block is written once more; 0 = any number", 65535},
    {"patrol_ms", "simulated ms in which a patrol reads each valid page of full blocks once; 0 = no patrol",
     1'000'000'000},
};
constexpr FeatureCounter kCounters[] = {{"patrol_reads"}, {"patrol_passes"}, {"blocks"}};
constexpr TraceEventText kEvents[] = {{TraceShape::mark, "refresh", "block is due", "plane", "block"}};

Feature* make_refresh(BootMemory& memory, const FtlConfig& config) {
  return memory.make<Refresh>(config);
}

bool refreshes(const FtlConfig& config) {
  for (const FeatureParameter& p : kParameters) {
    if (feature_value(config, p) != 0) return true;
  }
  return false;
}

} // namespace

const FeatureRow& refresh_feature() {
  static constexpr FeatureRow kRow{
      {refresh_key().name, refreshes}, make_refresh, {}, {}, kParameters, kCounters, kEvents};
  return kRow;
}

constexpr OpTraits Refresh::kPatrol =
    OpTraits{"patrol read", ends_in<Refresh, &Refresh::patrol_done>}.with(&OpTraits::page_as_it_is);

Refresh::Refresh(const FtlConfig& config)
    : most_reads_(feature_value(config, kParameters[0])),
      most_corrected_(feature_value(config, kParameters[1])),
      patrol_ps_(feature_value(config, kParameters[2]) * kPsPerMs) {}

void Refresh::boot(BootMemory& memory, const Pipeline& pipeline) {
  state_ = &pipeline.state;
  collector_ = &pipeline.collector;
  host_ = &pipeline.host;
  FtlStatistics& s = state_->statistics;
  patrolled_ = &feature_counter(s, kCounters[0]);
  passes_ = &feature_counter(s, kCounters[1]);
  refreshed_ = &feature_counter(s, kCounters[2]);
  const Geometry& g = state_->blocks.geometry();
  reads_ = memory.zeroed<std::uint32_t>(std::size_t{g.planes()} * g.blocks_per_plane);
  due_.boot(memory, state_->blocks.sites(), g.blocks_per_plane);
  places_ = memory.zeroed<Place>(g.planes());
  most_at_once_ = g.dies() < kMostPatrolReads ? g.dies() : kMostPatrolReads;
  if (patrol_ps_ == 0) return;
  gap_ps_ = patrol_ps_ > g.pages() ? patrol_ps_ / g.pages() : 1;
  state_->hooks.wake(*this);
}

// --- what is due ---

std::size_t Refresh::index(Ppn page) const {
  const BlockTable& blocks = state_->blocks;
  return std::size_t{blocks.plane_of(page)} * blocks.blocks_per_plane() + blocks.block_of(page);
}

void Refresh::host_read(std::uint32_t /*lpn*/, Ppn page, const FlashCompletion& c) {
  judge(page, c);
}

void Refresh::judge(Ppn page, const FlashCompletion& c) {
  std::uint32_t& reads = reads_[index(page)];
  if (reads != ~0u) ++reads;
  const bool weak =
      most_corrected_ != 0 && c.result == 0 && (c.corrected_bits >= most_corrected_ || c.retry_ps != 0);
  if (!weak && (most_reads_ == 0 || reads < most_reads_)) return;
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t plane = blocks.plane_of(page);
  make_due(blocks.site_of(plane), blocks.block_of(page), plane);
}

/// What is being collected leaves its block anyway.
void Refresh::make_due(std::uint32_t site, std::uint32_t block, std::uint32_t plane) {
  const BlockState is = state_->blocks.unit(site, block).state;
  if (due_.test(site, block) || (is != BlockState::open && is != BlockState::closed)) return;
  due_.set(site, block);
  ++due_count_;
  ++*refreshed_;
  state_->hal->trace_event(feature_event(kEvents[0]), plane, block);
  collector_->jobs.schedule_gc_check(plane);
}

void Refresh::block_erased(Ppn page) {
  const BlockTable& blocks = state_->blocks;
  reads_[index(page)] = 0;
  const std::uint32_t site = blocks.site_of(blocks.plane_of(page));
  const std::uint32_t block = blocks.block_of(page);
  if (!due_.test(site, block)) return;
  due_.clear(site, block);
  --due_count_;
}

std::uint32_t Refresh::victim(std::uint32_t site) const {
  if (due_count_ == 0) return kNoBlock;
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t end = blocks.blocks_per_plane();
  for (std::uint32_t b = due_.next(site, 0); b != end; b = due_.next(site, b + 1)) {
    if (blocks.unit(site, b).state == BlockState::closed) return b;
  }
  return kNoBlock;
}

// --- patrol ---

bool Refresh::step(bool admits) {
  const bool rests = resting_ || state_->read_only() || host_->commits.executing();
  if (admits && !rests) patrol(state_->now_ps());
  return false;
}

void Refresh::patrol(std::uint64_t now_ps) {
  if (patrol_reads_ != 0) return;
  if (next_ps_ == 0) next_ps_ = now_ps + gap_ps_;
  if (now_ps >= next_ps_ && now_ps >= rested_ps_) begin_reads(now_ps);
  if (patrol_reads_ != 0) return; // their end gives the firmware a turn
  const std::uint64_t wake_ps = next_ps_ > rested_ps_ ? next_ps_ : rested_ps_;
  if (alarm_ps_ == wake_ps) return;
  alarm_ps_ = wake_ps;
  state_->hal->wake_at(alarm_, wake_ps);
}

/// Those that are due. A patrol that cannot keep up does not catch up.
void Refresh::begin_reads(std::uint64_t now_ps) {
  begun_ps_ = now_ps;
  while (next_ps_ <= now_ps && patrol_reads_ < most_at_once_) {
    const Passed passed = read_next();
    next_ps_ += gap_ps_ * passed.pages;
    if (!passed.reads) break;
  }
  if (next_ps_ <= now_ps) next_ps_ = now_ps + gap_ps_;
}

/// Dies take turns. Nothing is read where no page is found now, or there is no page buffer.
Refresh::Passed Refresh::read_next() {
  const Geometry& g = state_->blocks.geometry();
  Passed passed;
  for (std::uint32_t tries = 0; tries < g.planes(); ++tries) {
    const std::uint32_t plane = turn_ % g.dies() * g.planes_per_die + turn_ / g.dies();
    turn_ = (turn_ + 1) % g.planes();
    Ppn page = kNoPpn;
    passed.pages += find_page(plane, page);
    if (!is_page(page)) continue;
    Transaction* const t = state_->pool.take(PoolUser::firmware);
    if (t == nullptr) return passed;
    t->become(kPatrol, *this);
    t->plane = plane;
    t->die = static_cast<std::uint16_t>(plane / g.planes_per_die);
    t->ppn = page;
    t->mask = t->flash_mask = sectors_of(page);
    t->sequence = ++state_->sequence;
    state_->blocks.add_reader(page);
    ++patrol_reads_;
    collector_->jobs.enqueue(*t);
    passed.reads = true;
    return passed;
  }
  return passed;
}

/// Those of it that hold anything that counts.
std::uint32_t Refresh::sectors_of(Ppn page) const {
  const Units* const units = state_->units;
  if (units == nullptr) return state_->full_mask;
  std::uint32_t sectors = 0;
  for (std::uint32_t left = units->map.page(page).valid; left != 0; left &= left - 1)
    sectors |= units->io.unit_sectors(lowest_bit(left));
  return sectors;
}

/// The next valid page of the block that the patrol has come to in the plane, or none: then it has passed the block.
/// Returns how many pages it has gone by.
std::uint32_t Refresh::find_page(std::uint32_t plane, Ppn& page) {
  const BlockTable& blocks = state_->blocks;
  Place& at = places_[plane];
  const std::uint32_t from = at.page;
  const std::uint32_t end = blocks.pages_per_block();
  const bool full = blocks.block(plane, at.block).state == BlockState::closed;
  const std::uint32_t found = full ? blocks.next_valid(plane, at.block, from) : end;
  if (found != end) {
    page = blocks.ppn(plane, at.block, found);
    at.page = found + 1;
    return at.page - from;
  }
  at.page = 0;
  if (++at.block == blocks.blocks_per_plane()) {
    at.block = 0;
    *passes_ += plane == 0 ? 1 : 0;
  }
  return end - from;
}

void Refresh::patrol_done(Transaction& t, const FlashCompletion& c) {
  const Ppn page = t.ppn;
  const std::uint64_t now_ps = state_->now_ps();
  if (--patrol_reads_ == 0) rested_ps_ = now_ps + kRest * (now_ps - begun_ps_);
  ++*patrolled_;
  const BlockInfo& block = state_->blocks.drop_reader(page);
  if (block.state == BlockState::victim) collector_->jobs.schedule_gc_check(t.plane);
  state_->pool.release(t);
  judge(page, c);
}

void Refresh::serialise_tables(StateVisitor& visitor) {
  const Geometry& g = state_->blocks.geometry();
  visitor.table(reads_, std::size_t{g.planes()} * g.blocks_per_plane);
  due_.serialise(visitor);
  visitor.value(due_count_);
  visitor.table(places_, g.planes());
  visitor.value(turn_);
  std::uint32_t due = 0;
  for (std::uint32_t site = 0; site < state_->blocks.sites(); ++site) {
    for (std::uint32_t b = due_.next(site, 0); b < g.blocks_per_plane; b = due_.next(site, b + 1)) ++due;
  }
  bool holds = due_.hold() && due == due_count_ && turn_ < g.planes();
  for (std::uint32_t p = 0; p < g.planes(); ++p)
    holds = holds && places_[p].block < g.blocks_per_plane && places_[p].page <= g.pages_per_block;
  visitor.require(!visitor.loading() || holds, "it is damaged (what is to be refreshed)");
}

} // namespace twinplane::fw
