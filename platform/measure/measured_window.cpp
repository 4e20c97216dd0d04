#include "platform/measure/measured_window.h"

#include <algorithm>
#include <cstddef>

#include "platform/config/convert.h"
#include "platform/measure/collect.h"
#include "platform/measure/ramp.h"

namespace twinplane::platform {
namespace {

using Stats = fw::FtlStatistics;

constexpr std::uint64_t Stats::*kCounters[] = {
    &Stats::host_pages_written,
    &Stats::host_pages_read,
    &Stats::rmw_reads,
    &Stats::unmapped_reads,
    &Stats::buffer_read_hits,
    &Stats::buffer_write_hits,
    &Stats::pages_trimmed,
    &Stats::parts_trimmed,
    &Stats::gc_invocations,
    &Stats::gc_pages_moved,
    &Stats::gc_blocks_erased,
    &Stats::gc_victim_valid_pages,
    &Stats::read_pages,
    &Stats::read_multi_commands,
    &Stats::read_multi_pages,
    &Stats::program_pages,
    &Stats::program_multi_commands,
    &Stats::program_multi_pages,
    &Stats::erase_blocks,
    &Stats::erase_multi_commands,
    &Stats::erase_multi_blocks,
    &Stats::gc_read_pages,
    &Stats::gc_read_multi_pages,
    &Stats::gc_program_pages,
    &Stats::gc_program_multi_pages,
    &Stats::blocked_on_space,
    &Stats::flash_failures,
    &Stats::misplaced_pages,
    &Stats::gc_copybacks,
    &Stats::wear_collections,
    &Stats::metadata_given_up,
    &Stats::metadata_blocks_erased,
    &Stats::checkpoints,
    &Stats::backup_blocks_erased,
    &Stats::backups_copied_on,
    &Stats::host_sectors_written,
    &Stats::short_of_page_buffers,
    &Stats::short_of_write_buffer,
    &Stats::wordline_passes,
    &Stats::padded_pages,
    &Stats::hot_host_pages,
};
using Region = fw::RegionCounters;
constexpr std::uint64_t Region::*kOfRegion[] = {
    &Region::host_pages, &Region::moved_pages, &Region::read_pages,
    &Region::erases,     &Region::collections, &Region::victim_valid_pages,
    &Region::grabs,      &Region::across,      &Region::made,
};
using Cache = fw::CacheCounters;
constexpr std::uint64_t Cache::*kOfCache[] = {
    &Cache::in_page,           &Cache::new_writes,
    &Cache::read_hits_cache,   &Cache::read_hits_native,
    &Cache::evicted_pages,     &Cache::evicted_subpages,
    &Cache::native_host_pages, &Cache::collections,
    &Cache::collected_used,    &Cache::collected_subpages,
    &Cache::disturbed_in_page, &Cache::disturbed_neighbour,
    &Cache::search_blocks,     &Cache::wear_collections,
    &Cache::exchanged_blocks,
};
constexpr std::size_t kByType = 4; // programs_by_type, type_wanted, type_granted, dominated_by
constexpr std::size_t kGauges = 7; // free_blocks to erases; free_pages_by_type is one more by type

// A new counter goes into the table above, or into its neighbours below.
static_assert(sizeof(Stats) ==
              8 * (std::size(kCounters) + 2 * fw::kProgramCauses + (kByType + 1) * kMaxPageTypes +
                   1 /* read_only, padded */ + kGauges + 1 /* hot_writes */) +
                  fw::kMaxRegions * (sizeof(Region) + sizeof(fw::RegionGauges)) + sizeof(Cache) +
                  sizeof(fw::CacheGauges) + sizeof(Stats().feature_counters));
static_assert(sizeof(Region) == 8 * std::size(kOfRegion));
static_assert(sizeof(Cache) == 8 * (std::size(kOfCache) + std::size(Cache().updates)));

template <std::size_t n>
void subtract(std::uint64_t (&from)[n], const std::uint64_t (&what)[n]) {
  for (std::size_t i = 0; i < n; ++i) from[i] -= what[i];
}

} // namespace

Stats counted_since(const Stats& mark, const Stats& now) {
  Stats s = now;
  for (const auto counter : kCounters) s.*counter -= mark.*counter;
  subtract(s.pages_programmed, mark.pages_programmed);
  subtract(s.sectors_left_out, mark.sectors_left_out);
  subtract(s.programs_by_type, mark.programs_by_type);
  subtract(s.type_wanted, mark.type_wanted);
  subtract(s.type_granted, mark.type_granted);
  subtract(s.dominated_by, mark.dominated_by);
  subtract(s.feature_counters, mark.feature_counters);
  for (std::size_t r = 0; r < fw::kMaxRegions; ++r) {
    for (const auto counter : kOfRegion) s.regions[r].*counter -= mark.regions[r].*counter;
  }
  for (const auto counter : kOfCache) s.cache.*counter -= mark.cache.*counter;
  subtract(s.cache.updates, mark.cache.updates);
  return s;
}

namespace {

/// Calls each(package, lun, what the die has begun, how long its flash controller has used it): the latter with what
/// its commands take on the bus, and wait for it, where the controller tells.
template <typename Each>
void for_each_die(const Ssd& ssd, TimePs now, const Each& each) {
  auto package = ssd.packages().begin();
  std::vector<TimePs> in_use(ssd.config().geometry.dies_per_channel());
  for (const auto& controller : ssd.controllers()) {
    std::fill(in_use.begin(), in_use.end(), 0);
    controller->tell_in_use(now, in_use.data());
    std::size_t die = 0; // of its channel
    for (std::uint32_t chip = 0; chip < ssd.config().geometry.chips_per_channel; ++chip, ++package) {
      const std::vector<hw::DieStatistics>& dies = (*package)->statistics().dies;
      for (std::uint32_t lun = 0; lun < dies.size(); ++lun, ++die)
        each(**package, lun, dies[lun], in_use[die]);
    }
  }
}

/// Time in use, summed. Each row of the timeline wants it, so dies are asked for the rest of their work only where
/// it matters.
TimePs busy_of_dies(const Ssd& ssd, TimePs now) {
  TimePs sum = 0;
  for_each_die(
      ssd, now,
      [&](const hw::PackageBlock& package, std::uint32_t lun, const hw::DieStatistics& begun, TimePs in_use) {
        sum += in_use >= begun.busy ? in_use : std::max(in_use, worked(package, lun, now).busy);
      });
  return sum;
}

} // namespace

SharedBusyTimes shared_busy_times(const Ssd& ssd, TimePs now) {
  const hw::FrontEndStatistics link = ssd.front_end().statistics();
  TimePs ecc = 0;
  for (const auto& engine : ssd.ecc_engines()) ecc += engine->busy();
  TimePs buses = 0;
  for (const auto& channel : ssd.channels()) buses += channel->busy();
  return {ssd.core().statistics().busy_ps,
          link.link_busy_down,
          link.link_busy_up,
          ssd.dram_busy(),
          ecc / ssd.ecc_engines().size(),
          busy_of_dies(ssd, now) / ssd.config().geometry.dies(),
          buses / ssd.channels().size()};
}

namespace {

/// Array time of reads that let other planes of their die read, mean of the planes. Further reads of a page, with other
/// read levels, are left out.
TimePs reads_beside(const Ssd& ssd) {
  const Config& config = ssd.config();
  if (!config.nand.independent_plane_reads) return 0;
  const ArrayTiming timing = to_array_timing(config);
  TimePs sum = 0;
  for (const auto& package : ssd.packages()) {
    const hw::NandStatistics& s = package->statistics();
    sum += s.slc_reads * timing.slc_tR;
    for (std::size_t type = 0; type < kMaxPageTypes; ++type) sum += s.reads[type] * timing.tR[type];
  }
  return sum / config.geometry.planes();
}

BusyTimes busy_times(const Ssd& ssd) {
  const TimePs now = ssd.now();
  BusyTimes b{shared_busy_times(ssd, now), {}, {}, {}, {}, 0, reads_beside(ssd)};
  for (const auto& engine : ssd.ecc_engines()) b.ecc.push_back(engine->busy());
  for (const auto& channel : ssd.channels()) b.buses.push_back(channel->busy());
  for_each_die(
      ssd, now,
      [&](const hw::PackageBlock& package, std::uint32_t lun, const hw::DieStatistics&, TimePs in_use) {
        const hw::DieStatistics die = worked(package, lun, now);
        b.dies.push_back(std::max(die.busy, in_use));
        b.planes.push_back(die.plane_busy / ssd.config().geometry.planes_per_die);
        b.arrays += die.busy;
      });
  b.arrays /= ssd.config().geometry.dies();
  return b;
}

} // namespace

void MeasuredWindow::on_begin(TimePs now) {
  begin_ = now;
  ftl_at_begin_ = ssd_.firmware().window().statistics();
  busy_at_begin_ = busy_times(ssd_);
  at_begin_ = hardware();
  if (meter_ != nullptr) energy_at_begin_ = energy_at(now);
  if (plane_time_ != nullptr) plane_time_->restart(now);
  if (image_ != nullptr) image_->begin();
}

void MeasuredWindow::on_end(TimePs now) {
  end_ = now;
  ftl_at_end_ = ssd_.firmware().window().statistics();
  busy_at_end_ = busy_times(ssd_);
  at_end_ = hardware();
  if (meter_ != nullptr) energy_at_end_ = energy_at(now);
  if (plane_time_ != nullptr && begin_ != kNever) planes_at_end_ = planes_until(now);
  if (image_ != nullptr) image_->end();
}

std::unique_ptr<Summary> MeasuredWindow::hardware() const {
  auto counted = std::make_unique<Summary>();
  collect_drive(*counted, ssd_);
  return counted;
}

/// Pages that the write buffer had at the window's begin already have been programmed in it: at most so many as were
/// written before.
DrainSummary MeasuredWindow::drain(const Summary& hardware, const fw::FtlStatistics& ftl) const {
  const PageSizes sizes = page_sizes(ssd_.config());
  DrainSummary d;
  d.time = ssd_.now() - end_;
  d.written = write_volume(ftl, sizes);
  d.gc_invocations = ftl.gc_invocations;
  d.gc_pages_moved = ftl.gc_pages_moved;
  d.gc_blocks_erased = ftl.gc_blocks_erased;
  d.reads = hardware.nand.reads();
  d.programs = hardware.nand.programs();
  d.erases = hardware.nand.erases_slc + hardware.nand.erases_native;
  d.host_bytes_before = write_volume(ftl_at_begin_, sizes).host_bytes;
  return d;
}

void MeasuredWindow::limit(Summary& summary) const {
  if (begin_ == kNever) return;
  summary.window_ps = (end_ != kNever ? end_ : ssd_.now()) - begin_;
  if (ramp_ios_ != 0) summary.ramp = RampSummary{ramp_ios_, begin_};
  fw::FtlStatistics& ftl = summary.ftl.counters; // gauges stay those of the end
  if (end_ != kNever) {
    Summary behind = summary;
    leave_out(behind, *at_end_);
    const fw::FtlStatistics ftl_behind = counted_since(ftl_at_end_, ftl);
    summary.drain = drain(behind, ftl_behind);
    leave_out(summary, behind);
    ftl = counted_since(ftl_behind, ftl);
  }
  leave_out(summary, *at_begin_);
  ftl = counted_since(ftl_at_begin_, ftl);
}

FirmwareSummary MeasuredWindow::firmware() const {
  return image_ == nullptr ? FirmwareSummary() : image_->summary();
}

PlaneTimeSummary MeasuredWindow::planes_until(TimePs now) const {
  PlaneTimeSummary s;
  s.kept = true;
  plane_time_->settle(now);
  s.total_ps = (now - begin_) * ssd_.config().geometry.planes();
  s.causes = plane_time_->all();
  for (std::uint32_t die = 0; die < plane_time_->dies(); ++die) s.dies.push_back(plane_time_->of_die(die));
  return s;
}

PlaneTimeSummary MeasuredWindow::plane_time() const {
  if (plane_time_ == nullptr) return {};
  if (begin_ != kNever) return end_ != kNever ? planes_at_end_ : planes_until(ssd_.now());
  PlaneTimeSummary nothing;
  nothing.kept = true;
  nothing.dies.resize(plane_time_->dies());
  return nothing;
}

void MeasuredWindow::measure(EnergyMeter& meter, const EnergyModel& model) {
  meter_ = &meter;
  model_ = model;
}

MeasuredWindow::Energy MeasuredWindow::energy_at(TimePs now) const {
  const hw::FrontEndStatistics link = ssd_.front_end().statistics();
  const EnergyCounts counts{now, ssd_.core().statistics().busy_ps, link.bytes_in + link.bytes_out,
                            meter_->page_bytes()};
  return {counts, meter_->nj(now)};
}

EnergySummary MeasuredWindow::energy() const {
  if (meter_ == nullptr || begin_ == kNever) return {};
  const Energy end = end_ != kNever ? energy_at_end_ : energy_at(ssd_.now());
  EnergySummary s = energy_of(model_, energy_at_begin_.counts, end.counts, energy_at_begin_.nj, end.nj);
  s.peak_mw = meter_->peak_mw();
  return s;
}

Utilisation MeasuredWindow::utilisation() const {
  if (begin_ == kNever) return {};
  if (end_ != kNever) return utilisation_of(busy_at_begin_, busy_at_end_, end_ - begin_);
  return utilisation_of(busy_at_begin_, busy_times(ssd_), ssd_.now() - begin_);
}

} // namespace twinplane::platform
