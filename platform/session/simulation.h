// One simulation: a drive, a host with an NVMe driver, a stream of requests, and what was measured.
//
// SystemC allows one simulation per process, so construct one Simulation per process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "platform/config/config.h"
#include "platform/host/drive_check.h"
#include "platform/host/nvme_host.h"
#include "platform/host/replay_engine.h"
#include "platform/measure/measured_drive.h"
#include "platform/report/summary.h"
#include "platform/session/power_cut.h"
#include "platform/session/quiesce_watcher.h"
#include "platform/session/stall_watch.h"
#include "platform/ssd/precondition.h"

namespace twinplane::platform {

/// Throws InputError when a ramp leaves nothing of a run of so many requests.
void require_beyond_ramp(const Config& config, std::uint64_t requests);

class Simulation final : public MeasuredDrive {
 public:
  explicit Simulation(const Config& config);
  Simulation(const Config& config, BlockFactory& factory);
  ~Simulation();

  NvmeHost& host() { return host_; }
  const PreconditionResult& preconditioned() const { return preconditioned_; }
  /// First mismatches of verified reads, in words.
  std::vector<std::string> mismatch_reports() const;
  /// Says that the drive took longer to shut down than Identify promises; empty when it did not.
  std::string late_shutdown() const;

  /// Where prepare() finds the drive instead of preconditioning one, and where it keeps it (drive_state.h);
  /// empty: it does not. `keeps_end`: the simulation ends when the drive is at rest, for keep_drive().
  struct StateFiles {
    std::string load;
    std::string save;
    bool keeps_end = false;
  };
  /// Boots the firmware and preconditions the drive; `trace` is for precondition.mode = "trace", null when
  /// the workload is synthetic. Throws InputError when the drive refuses. A signal ends it early: the drive
  /// is half made then, and is not kept.
  void prepare(IoSource* trace = nullptr) { prepare(trace, StateFiles()); }
  void prepare(IoSource* trace, const StateFiles& files);

  // --- a power cycle of a drive whose supply fails; all before prepare() ---
  /// The simulation ends with a cut at this time since power-on; of a workload that ends before, behind it.
  void announce_power_cut(TimePs at);
  /// Instead of preconditioning: the cells, and what the host knows, as keep_after_cut() has left them in
  /// another process. The firmware finds its tables again, the drive is read once, the workload goes on.
  void restore_after_cut(StateVisitor& state);
  /// After run(): what is left behind the cut.
  void keep_after_cut(StateVisitor& state);
  /// After prepare(): the supply has failed before the firmware had booted, and there is nothing to run.
  bool cut_in_boot() const { return !ssd_.firmware().booted(); }
  /// After run(): when the drive had shut down, if that was before the cut.
  std::optional<TimePs> shut_down_at() const { return shut_down_at_; }
  /// How far the workload is, over all power cycles.
  ReplayPosition position() const { return replay_.position(); }
  /// The simulation ends when the request of this number, over all power cycles, has finished.
  void end_at_request(std::uint64_t number);

  /// The records are of several traces: results for each and, if asked for, I/O queues for each. Before
  /// run().
  void keep_apart(const std::vector<std::string>& traces, bool own_queues);

  /// Plays `source` to its end and shuts the drive down. `name` is for messages and the report.
  /// Throws InputError for bad records, a drive that refuses commands, and data that was lost. A firmware
  /// panic ends it early; what was measured until then stays.
  void run(IoSource& source, const std::string& name);

  /// After run(), of a drive that was prepared for it: leaves the drive in this file. Throws InputError when
  /// it cannot be kept.
  void keep_drive(const std::string& path);

  /// Ends run() early with this InputError; callable from inside the simulation.
  void abandon(const std::string& reason) override;

  /// Everything measured.
  Summary summary() const;

 private:
  /// Lets the replay engine be wired before the source is known.
  class LateSource final : public IoSource {
   public:
    void set(IoSource& source) { source_ = &source; }
    bool next(IoRecord& record) override { return source_->next(record); }
    void rewind() override { source_->rewind(); }
    void next_round() override { source_->next_round(); }
    bool rounds_differ() const override { return source_->rounds_differ(); }
    std::uint64_t size_hint() const override { return source_->size_hint(); }

   private:
    IoSource* source_ = nullptr;
  };

  /// Ends the simulation with a request.
  class EndAtRequest final : public RequestListener {
   public:
    EndAtRequest(NvmeHost& host, std::uint64_t requests) : host_(host), left_(requests) {}
    void on_arrival(TimePs) override {}
    void on_finished(const FinishedIo& io, const RequestTimes& times) override;

   private:
    NvmeHost& host_;
    std::uint64_t left_;
  };

  PowerCycleSummary power_cycle() const;
  std::uint64_t may_go_back() const;
  std::uint64_t left_in_buffer() const;
  std::uint64_t may_yet_go_back() const;
  PreconditionResult make_or_load(IoSource* trace, const StateFiles& files);
  void require_boot() const;
  void play();
  void check_end();

  NvmeHost host_;
  LateSource source_;
  ReplayEngine replay_;
  StallWatch watch_;
  PowerCut cut_;
  QuiesceWatcher quiesce_watcher_;
  std::unique_ptr<TraceMeters> traces_; // of several
  std::unique_ptr<DriveCheck> check_;   // of a drive that comes back
  std::unique_ptr<EndAtRequest> end_;
  std::vector<PowerCycleSummary> power_cycles_; // that came before
  std::uint64_t declared_before_ = 0;           // may_yet_go_back() of the power cycle before
  sc_core::sc_signal<bool> intx_{"intx"};
  PreconditionResult preconditioned_;
  std::optional<TimePs> shut_down_at_; // with a cut that is still to come
  std::string name_;
  std::string abandoned_;
};

} // namespace twinplane::platform
