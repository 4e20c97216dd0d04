#include "firmware/ftl/ftl.h"

#include "firmware/ftl/core.h"
#include "firmware/ftl/flush_time.h"

namespace twinplane::fw {

const char* Ftl::boot(Hal& hal, HostPort& host, const FtlConfig& config, RequestSink& sink) {
  BootMemory memory(hal);
  core_ = memory.make<FtlCore>();
  if (core_ == nullptr) return "not enough firmware memory";
  if (observer_ != nullptr) core_->dispatcher.issuer.attach(*observer_);
  return core_->boot(hal, host, config, sink);
}

std::uint32_t Ftl::flash_under_way(std::uint32_t channel) const {
  return core_->flash_under_way(channel);
}

std::uint32_t Ftl::flash_completed(std::uint32_t channel) const {
  return core_->flash_completed(channel);
}

DramUse Ftl::dram_use() const {
  return core_->dram_use;
}

std::uint64_t Ftl::exported_sectors() const {
  return std::uint64_t{core_->state.exported_pages} << core_->state.sectors_shift;
}

std::uint64_t Ftl::longest_flush_ps() const {
  const FtlState& s = core_->state;
  return fw::longest_flush_ps(s.config, s.exported_pages, s.policy.planes->classes()) +
         core_->state.durability->longest_checkpoint_ps();
}

void Ftl::submit(Request& request) {
  core_->host_path.splitter.submit(request);
}
void Ftl::on_flash_irq(std::uint32_t channel) {
  core_->on_flash_irq(channel);
}
void Ftl::pump() {
  core_->pump();
}
bool Ftl::keeps_tables() const {
  return core_->state.durability->keeps_tables();
}
void Ftl::opened() {
  core_->state.durability->opened();
  core_->state.hooks.resume();
  core_->collector.resume();
}
void Ftl::record_changed() {
  core_->state.durability->table_changed();
}
bool Ftl::can_purge() const {
  const FtlState& s = core_->state;
  return s.hooks.wants(Hook::request) && s.policy.allocation->can_close_open();
}
bool Ftl::can_sanitize() const {
  return can_purge() && core_->state.durability->keeps_map();
}
std::uint16_t Ftl::purge_progress() const {
  return core_->state.hooks.progress();
}
void Ftl::supply_failed() {
  core_->supply_failed();
}

bool Ftl::recovering() const {
  return core_->recovering();
}
const RecoveryCounters& Ftl::recovery() const {
  return core_->recovery.counters();
}
const BringUpTimes& Ftl::bring_up() const {
  return core_->state.bring_up;
}
bool Ftl::quiesce() {
  return core_->quiesce();
}
bool Ftl::idle() const {
  return core_->idle();
}

void Ftl::attach(WorkProbe& probe) {
  core_->attach(probe);
}
void Ftl::tell_waiting(WorkProbe& probe) const {
  core_->board.tell_waiting(probe);
}
std::uint32_t Ftl::class_of_plane(std::uint32_t plane) const {
  return core_->board.class_of_plane(plane);
}

ZeroTimeWriter& Ftl::zero_time_writer() {
  return core_->zero_time;
}

void Ftl::functional_end() {
  core_->protect_untimed();
}

std::uint32_t Ftl::cache_level(std::uint32_t plane, std::uint32_t block) const {
  const Units* units = core_->state.units;
  return units == nullptr ? 0 : units->map.sums(plane, block).level;
}
void Ftl::serialise(StateVisitor& state) {
  core_->serialise(state);
}
const FtlStatistics& Ftl::statistics() const {
  return core_->refresh_statistics();
}
FtlStatistics& Ftl::statistics_for_reset() {
  return core_->state.statistics;
}

} // namespace twinplane::fw
