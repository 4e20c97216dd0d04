#include "platform/model/run_files.h"

namespace twinplane::platform {

RunFiles::RunFiles(const RunOptions& options, Simulation& simulation)
    : simulation_(simulation),
      folder_(options.out),
      timeline_(folder_.file("timeline.csv"),
                {options.config.report.interval, options.config.geometry.channels},
                simulation.meter().meter(), *this),
      activity_(options.config.geometry, timeline_.activity()) {
  simulation.ssd().attach(static_cast<hw::NandObserver&>(activity_));
  simulation.ssd().attach(static_cast<hw::BusObserver&>(activity_));
  if (options.config.report.requests) {
    requests_ = std::make_unique<RequestLog>(folder_.file("requests.csv.zst"));
    simulation.meter().attach(*requests_);
  }
  if (options.config.waves.vcd) attach_waves(options.config);
}

void RunFiles::attach_waves(const Config& config) {
  WaveRecorder::Options w;
  w.folder = folder_.path();
  w.scope = config.waves.scope;
  w.window.begin = config.waves.from;
  if (config.waves.to != 0) w.window.end = config.waves.to;
  w.now = [] { return hw::kernel_now(); };
  w.level = config.waves.level;
  w.data = config.data;
  w.on_failure = [this] {
    simulation_.abandon((folder_.path() / "waves.vcd").string() +
                        ": cannot be written on (disk full?); it ends early but can be read");
  };
  waves_ = std::make_unique<WaveRecorder>(config.geometry, w);
  simulation_.ssd().attach(static_cast<hw::NandObserver&>(*waves_));
  simulation_.ssd().attach(static_cast<hw::BusObserver&>(*waves_));
}

TimelineGauges RunFiles::sample() {
  const fw::FtlStatistics& s = simulation_.ssd().firmware().firmware().ftl().statistics();
  TimelineGauges g;
  g.free_blocks = s.free_blocks;
  g.host_pages_written = s.host_pages_written;
  for (const std::uint64_t pages : s.pages_programmed) g.pages_programmed += pages;
  return g;
}

void RunFiles::finish(const Summary& summary) {
  timeline_.finish(hw::kernel_now());
  if (requests_ != nullptr) requests_->commit();
  write_file(folder_.file("latency.csv"), latency_csv(simulation_.meter().meter()));
  write_file(folder_.file("summary.json"), summary_text(summary));
  if (waves_ != nullptr) waves_->finish(hw::kernel_now()); // last: a full disk must not cost the results
}

} // namespace twinplane::platform
