#include "platform/session/run_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <vector>

#include "platform/config/convert.h"
#include "platform/measure/collect.h"
#include "platform/ssd/hardware_config.h"

namespace twinplane::platform {
namespace {

WaveWindow wave_window(const WavesKeys& keys) {
  WaveWindow window;
  window.begin = keys.from;
  if (keys.to != 0) window.end = keys.to;
  return window;
}

/// What stands beside waves.vcd and waves.fst.
constexpr std::array<const char*, 8> kWaveTables = {
    "waves.gtkw",       "waves_block_mode.txt", "waves_block_level.txt", "waves_plane_state.txt",
    "waves_opcode.txt", "waves_page_type.txt",  "waves_violation.txt",   "waves_bus_phase.txt"};

std::vector<std::string> all_names() {
  std::vector<std::string> names = {"summary.json",   "timeline.csv", "latency.csv", "requests.csv.zst",
                                    "profile.folded", "waves.vcd",    "waves.fst",   "waves.json"};
  names.insert(names.end(), kWaveTables.begin(), kWaveTables.end());
  return names;
}

/// A link, a pipe or a device is not an earlier run's.
void remove_files(const std::filesystem::path& folder, const std::vector<std::string>& names) {
  std::error_code ignored;
  for (const std::string& name : names) {
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(folder / name, ignored)))
      std::filesystem::remove(folder / name, ignored);
  }
}

} // namespace

bool belongs_to_run(const std::filesystem::path& file, const std::filesystem::path& out) {
  if (out.empty()) return false;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(out, error);
  const std::filesystem::path place = std::filesystem::weakly_canonical(file, error);
  const std::vector<std::string> names = all_names();
  return place.parent_path() == folder &&
         std::find(names.begin(), names.end(), place.filename().string()) != names.end();
}

RunFiles::RunFiles(const Config& config, const std::filesystem::path& out, MeasuredDrive& simulation)
    : simulation_(simulation),
      folder_(out),
      timeline_(folder_.file("timeline.csv"),
                {config.report.interval, config.geometry.channels, config.geometry.cell,
                 several_regions(config), has_slc_cache(config), to_ftl_config(config).region.flash,
                 config.report.energy, to_energy_model(config).constant_mw(), config.report.plane_time},
                simulation.meter().meter(), *this),
      activity_(config.geometry, timeline_.activity()) {
  simulation.ssd().attach(static_cast<hw::NandObserver&>(activity_));
  simulation.ssd().attach(static_cast<hw::BusObserver&>(activity_));
  if (EnergyMeter* const energy = simulation.energy()) energy->feed(timeline_.activity());
  if (PlaneTimeAccount* const account = simulation.plane_time()) {
    account->settle_no_further_than(config.report.interval);
  }
  if (config.report.requests) {
    requests_ = std::make_unique<RequestLog>(folder_.file("requests.csv.zst"));
    simulation.meter().attach(*requests_);
  }
  if (config.waves.vcd) vcd_ = attach_waves(config, WaveFormat::vcd);
  if (config.waves.fst) fst_ = attach_waves(config, WaveFormat::fst);
  if (config.waves.perfetto) attach_perfetto(config);
}

void RunFiles::abandon(const char* file) {
  simulation_.abandon((folder_.path() / file).string() +
                      ": cannot be written on (disk full?); it ends early but can be read");
}

BlockLevel RunFiles::level_of_block(const Config& config) const {
  if (!has_slc_cache(config)) return nullptr;
  const FirmwareWindow& firmware = simulation_.ssd().firmware().window();
  return [&firmware](std::uint32_t plane, std::uint32_t block) { return firmware.cache_level(plane, block); };
}

std::unique_ptr<WaveRecorder> RunFiles::attach_waves(const Config& config, WaveFormat format) {
  WaveRecorder::Options w;
  w.folder = folder_.path();
  w.scope = config.waves.scope;
  w.window = wave_window(config.waves);
  w.now = [this] { return simulation_.ssd().now(); };
  w.format = format;
  w.level = config.waves.level;
  w.data = config.data;
  w.module = simulation_.ssd().name();
  w.on_failure = [this, format] { abandon(wave_file(format)); };
  w.level_of_block = level_of_block(config);
  auto recorder = std::make_unique<WaveRecorder>(config.geometry, w);
  simulation_.ssd().attach(static_cast<hw::NandObserver&>(*recorder));
  simulation_.ssd().attach(static_cast<hw::BusObserver&>(*recorder));
  return recorder;
}

void RunFiles::attach_perfetto(const Config& config) {
  PerfettoRecorder::Options o;
  o.file = folder_.file("waves.json");
  o.scope = config.waves.scope;
  o.window = wave_window(config.waves);
  o.module = simulation_.ssd().name();
  o.on_failure = [this] { abandon("waves.json"); };
  o.level_of_block = level_of_block(config);
  FirmwareProcess& process = simulation_.ssd().firmware();
  FirmwareWindow& firmware = process.window();
  o.free_blocks = [&process, &firmware]() -> std::optional<std::uint64_t> {
    if (!process.booted()) return std::nullopt; // recovery is finding out
    return firmware.statistics().free_blocks;
  };
  perfetto_ = std::make_unique<PerfettoRecorder>(config.geometry, o);
  if (perfetto_->requests() != nullptr) {
    tracer_ = std::make_unique<RequestTracer>(*perfetto_->requests());
    simulation_.meter().attach(*tracer_);
    firmware.attach(*tracer_);
  }
  if (perfetto_->firmware() != nullptr) {
    firmware_tracer_ = std::make_unique<FirmwareTracer>(*perfetto_->firmware());
    simulation_.ssd().listen(*firmware_tracer_);
  }
  simulation_.ssd().attach(static_cast<hw::NandObserver&>(*perfetto_));
  simulation_.ssd().attach(static_cast<hw::BusObserver&>(*perfetto_));
}

TimelineGauges RunFiles::sample(TimePs end) {
  const fw::FtlStatistics& s = simulation_.ssd().firmware().window().statistics();
  TimelineGauges g;
  g.ftl = &s;
  g.at = simulation_.ssd().now();
  if (EnergyMeter* const energy = simulation_.energy()) g.peak_mw = energy->recent_peak_mw();
  if (PlaneTimeAccount* const account = simulation_.plane_time()) {
    account->settle(end);
    account->settle_no_further_than(end + timeline_.activity().width());
    draw_plane_times(account->ever(), end);
    g.plane_times = &plane_times_;
  }
  g.busy = shared_busy_times(simulation_.ssd(), simulation_.ssd().now());
  g.free_blocks = s.free_blocks;
  g.waf = write_volume(s, page_sizes(simulation_.ssd().config())).amplification();
  for (std::size_t t = 0; t < g.free_pages.size(); ++t) g.free_pages[t] = s.free_pages_by_type[t];
  return g;
}

void RunFiles::draw_plane_times(const PlaneTimes& until, TimePs end) {
  PerfettoRequests* const drive = perfetto_ != nullptr ? perfetto_->requests() : nullptr;
  if (drive != nullptr) {
    PlaneTimes spent = until;
    for (std::size_t cause = 0; cause < kPlaneCauses; ++cause) spent[cause] -= plane_times_[cause];
    drive->plane_times(plane_times_until_, end, spent);
  }
  plane_times_ = until;
  plane_times_until_ = end;
}

/// Files of one run alone stand in the folder, and folders of its power cycles alone.
void RunFiles::remove_leftovers(const Summary& summary) const {
  std::vector<std::string> names;
  if (requests_ == nullptr) names.emplace_back("requests.csv.zst");
  if (!summary.firmware.profiled) names.emplace_back("profile.folded");
  if (vcd_ == nullptr) names.emplace_back("waves.vcd");
  if (fst_ == nullptr) names.emplace_back("waves.fst");
  if (perfetto_ == nullptr) names.emplace_back("waves.json");
  if (vcd_ == nullptr && fst_ == nullptr) names.insert(names.end(), kWaveTables.begin(), kWaveTables.end());
  remove_files(folder_.path(), names);
  for (std::size_t n = std::max<std::size_t>(1, summary.power_cycles.size());; ++n) {
    const std::filesystem::path cycle = folder_.file("power_cycle_" + std::to_string(n));
    std::error_code error;
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(cycle, error))) return;
    remove_files(cycle, all_names());
    std::filesystem::remove(cycle, error); // unless something else is in it
  }
}

void RunFiles::finish(const Summary& summary) {
  timeline_.finish(simulation_.ssd().now());
  if (requests_ != nullptr) requests_->commit();
  write_file(folder_.file("latency.csv"), latency_csv(simulation_.meter().counted()));
  write_file(folder_.file("summary.json"), summary_text(summary));
  if (summary.firmware.profiled)
    write_file(folder_.file("profile.folded"), folded_text(summary.firmware.profile));
  remove_leftovers(summary);
  // Last: a full disk must not cost the results.
  if (vcd_ != nullptr) vcd_->finish(simulation_.ssd().now());
  if (fst_ != nullptr) fst_->finish(simulation_.ssd().now());
  if (firmware_tracer_ != nullptr) firmware_tracer_->finish(simulation_.ssd().now());
  if (perfetto_ != nullptr) perfetto_->finish(simulation_.ssd().now());
}

} // namespace twinplane::platform
