// The files of a run's output folder, fed while the simulation runs and completed at its end.
#pragma once

#include <memory>
#include <optional>

#include "platform/measure/measured_drive.h"
#include "platform/observe/activity_observer.h"
#include "platform/observe/firmware_tracer.h"
#include "platform/observe/request_tracer.h"
#include "platform/observe/waves/perfetto_recorder.h"
#include "platform/observe/waves/wave_recorder.h"
#include "platform/report/output_file.h"
#include "platform/report/request_log.h"
#include "platform/report/timeline.h"
#include "platform/session/run.h"

namespace twinplane::platform {

/// Whether a run that writes its files into the folder `out` may write this one.
bool belongs_to_run(const std::filesystem::path& file, const std::filesystem::path& out);

/// timeline.csv, requests.csv.zst and waves; attaches itself to the simulation. Construct it before
/// the simulation's prepare(). Throws InputError when a file cannot be written or a
/// wave scope matches nothing.
class RunFiles final : private TimelineSource {
 public:
  RunFiles(const RunOptions& options, MeasuredDrive& simulation)
      : RunFiles(options.config, options.out, simulation) {}
  RunFiles(const Config& config, const std::filesystem::path& out, MeasuredDrive& simulation);

  /// After the run: completes everything and adds latency.csv and summary.json. What an earlier run has left in
  /// the folder under names of this program, and this run has not written, is removed.
  void finish(const Summary& summary);

 private:
  TimelineGauges sample(TimePs end) override;
  std::unique_ptr<WaveRecorder> attach_waves(const Config& config, WaveFormat format);
  void attach_perfetto(const Config& config);
  BlockLevel level_of_block(const Config& config) const;
  void draw_plane_times(const PlaneTimes& until, TimePs end);
  void abandon(const char* file);
  void remove_leftovers(const Summary& summary) const;

  MeasuredDrive& simulation_;
  OutputFolder folder_;
  Timeline timeline_;
  ActivityObserver activity_;
  PlaneTimes plane_times_{}; // of the timeline's rows so far
  TimePs plane_times_until_ = 0;
  std::unique_ptr<RequestLog> requests_;
  std::unique_ptr<WaveRecorder> vcd_;
  std::unique_ptr<WaveRecorder> fst_;
  std::unique_ptr<PerfettoRecorder> perfetto_;
  std::unique_ptr<RequestTracer> tracer_;
  std::unique_ptr<FirmwareTracer> firmware_tracer_;
};

} // namespace twinplane::platform
