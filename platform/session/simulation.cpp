#include "platform/session/simulation.h"

#include <cstring>
#include <utility>

#include "firmware/ftl/policies.h"
#include "platform/config/convert.h"
#include "platform/config/error.h"
#include "platform/config/export.h"
#include "platform/config/version.h"
#include "platform/host/interruption.h"
#include "platform/measure/collect.h"
#include "platform/report/number_text.h"
#include "platform/session/drive_state.h"
#include "platform/ssd/hardware_config.h"
#include "platform/ssd/trace_pages.h"

namespace twinplane::platform {
namespace {

NvmeHostConfig to_host_config(const Config& config) {
  NvmeHostConfig h;
  h.queues = config.host.queues;
  h.queue_size = config.host.queue_size;
  h.weighted = config.host.arbitration == QueueArbitration::weighted;
  if (h.weighted) h.priorities = {0, 1, 2, 3};
  h.max_transfer = static_cast<std::uint32_t>(config.host.max_transfer);
  h.data_mode = config.data;
  h.trim_unit = config.geometry.sectors_per_page() / map_units(config);
  h.answered_is_durable = config.ftl.write_ack == fw::WriteAck::programmed;
  return h;
}

ReplayConfig to_replay_config(const Config& config) {
  ReplayConfig r;
  r.open_loop = config.host.mode == HostMode::open;
  r.iodepth = config.host.iodepth;
  r.time_scale = config.host.time_scale;
  r.rounds = config.host.rounds;
  r.drive_writes = config.host.drive_writes;
  r.repeat_rounds = config.host.repeat_rounds;
  r.report_round = config.host.report_round;
  r.remap_modulo = config.host.remap == Remap::modulo;
  r.max_requests = config.host.max_requests;
  return r;
}

/// NvmeHost's memory never takes its time.
Config with_own_host(Config config) {
  config.host_waits = false;
  return config;
}

} // namespace

Simulation::Simulation(const Config& config) : Simulation(config, *std::make_unique<BlockFactory>()) {}

Simulation::Simulation(const Config& config, BlockFactory& factory)
    : MeasuredDrive(with_own_host(config), factory),
      host_("host", to_host_config(config_)),
      replay_("replay", to_replay_config(config_), host_, source_),
      watch_("watch", ssd_, replay_, config_.run.timeout, [this](const std::string& why) { abandon(why); }),
      cut_("power_cut", ssd_, host_),
      quiesce_watcher_("quiesce_watcher", ssd_) {
  host_.bar.bind(ssd_.bar);
  ssd_.dma.bind(host_.memory);
  ssd_.intx.bind(intx_);
  replay_.bind(meter_);
  if (hw::EventQueue* const event_queue = ssd_.event_queue()) {
    host_.act_with(*event_queue);
    replay_.act_with(*event_queue);
  }
  ssd_.firmware().window().attach(meter_.command_observer());
  ssd_.firmware().on_failure([] { sc_core::sc_stop(); }); // there is no other drive that could go on
}

Simulation::~Simulation() = default;

/// A drive that was written for a trace is of use to that trace alone.
PreconditionResult Simulation::make_or_load(IoSource* trace, const StateFiles& files) {
  FirmwareWindow& firmware = ssd_.firmware().window();
  if (files.load.empty()) return write_first(trace);
  PreconditionResult result = load_drive(files.load, config_, ssd_, host_);
  if (host_.expects_foreign_data() && host_.expects_power_cuts()) {
    throw InputError(
        "--load-state " + files.load +
        ": a guest has used this drive, and what it has written there is not known; with --power-cut "
        "what is lost could not be told");
  }
  if (config_.precondition.mode != PreconditionMode::trace) return result;
  if (trace == nullptr ||
      pages_read_first(config_, firmware.exported_sectors(), *trace) != result.filled_pages) {
    throw InputError("--load-state " + files.load +
                     ": the drive holds what another trace reads (precondition.mode = \"trace\")");
  }
  return result;
}

void Simulation::prepare(IoSource* trace, const StateFiles& files) {
  const bool booted = boot();
  if (!replay_.error().empty()) throw InputError(replay_.error()); // the host waits for CAP.TO only
  if (!booted) return require_boot();
  if (files.keeps_end) replay_.at_end([this] { quiesce_watcher_.stop_when_idle(); });
  if (check_ != nullptr) return listen_to_firmware(); // recovery has begun, and counts
  preconditioned_ = make_or_load(trace, files);
  if (files.load.empty()) { // else the host knows
    host_.expect_filled(preconditioned_.filled_sectors);
    host_.expect_filled(preconditioned_.filled_pages, config_.geometry.sectors_per_page());
  }
  const bool half_made = Interruption::signal() != 0; // preconditioning has not come to its end
  if (!files.save.empty() && !half_made) save_drive(files.save, config_, ssd_, host_, preconditioned_);
  start_counting();
}

/// The simulation has been stopped while the firmware boots: it has been given up, or the supply has
/// failed.
void Simulation::require_boot() const {
  if (!abandoned_.empty()) throw InputError(abandoned_);
  if (check_ != nullptr || config_.precondition.mode == PreconditionMode::none) return;
  throw InputError(
      "--power-cut: the supply fails at " + sc_core::sc_time_stamp().to_string() +
      ", while the firmware boots, and the drive is preconditioned behind that: expected a later "
      "time, or precondition.mode = \"none\"");
}

void Simulation::keep_apart(const std::vector<std::string>& traces, bool own_queues) {
  traces_ = std::make_unique<TraceMeters>(traces);
  meter_.attach(*traces_);
  if (own_queues) replay_.share_queues(static_cast<std::uint32_t>(traces.size()));
}

void Simulation::run(IoSource& source, const std::string& name) {
  source_.set(source);
  name_ = name;
  replay_.set_source_name(name);
  play();
  if (!ssd_.firmware().panic().empty()) return;
  if (cut_.at() != kNever) {
    cut_.cut();
    if (abandoned_.empty() && replay_.error().empty()) return;
  }
  ssd_.finish_monitors(hw::kernel_now());
  if (end_ == nullptr || !abandoned_.empty() || !replay_.error().empty()) check_end();
}

void Simulation::keep_drive(const std::string& path) {
  save_drive(path, config_, ssd_, host_, preconditioned_);
}

void Simulation::EndAtRequest::on_finished(const FinishedIo&, const RequestTimes&) {
  if (--left_ == 0) host_.stop();
}

void Simulation::end_at_request(std::uint64_t number) {
  end_ = std::make_unique<EndAtRequest>(host_, number - replay_.position().requests);
  meter_.attach(static_cast<RequestListener&>(*end_));
}

void Simulation::announce_power_cut(TimePs at) {
  host_.expect_power_cuts();
  cut_.announce(at, config_.power.hold_up != 0);
  // the cut comes, and finds what the drive goes on with by itself
  replay_.at_end([this] { shut_down_at_ = hw::kernel_now(); });
}

void Simulation::restore_after_cut(StateVisitor& state) {
  host_.expect_power_cuts();
  state.section("workload");
  ReplayPosition position;
  state.value(position);
  replay_.resume_from(position);
  serialise(state, preconditioned_);
  std::uint64_t cycles = 0;
  state.value(cycles);
  power_cycles_.resize(cycles);
  state.table(power_cycles_.data(), power_cycles_.size());
  state.value(declared_before_);
  host_.serialise(state);
  ssd_.serialise(state);
  ssd_.firmware().recover_tables();
  check_ = std::make_unique<DriveCheck>(host_, replay_, [this] { return may_go_back(); });
}

void Simulation::keep_after_cut(StateVisitor& state) {
  state.section("workload");
  ReplayPosition position = replay_.position();
  state.value(position);
  serialise(state, preconditioned_);
  std::uint64_t cycles = power_cycles_.size() + 1;
  state.value(cycles);
  state.table(power_cycles_.data(), power_cycles_.size());
  PowerCycleSummary cycle = power_cycle();
  state.value(cycle);
  std::uint64_t declared = may_yet_go_back() + left_in_buffer();
  state.value(declared);
  host_.serialise(state);
  ssd_.serialise(state);
}

/// At most: by what the cuts have interrupted, and of which no metadata tells any more. Recovery counts the
/// pages that are there. Those of earlier cuts may have been erased before their sectors were read.
std::uint64_t Simulation::may_go_back() const {
  if (!ssd_.firmware().booted()) return declared_before_;
  const fw::RecoveryCounters& found = ssd_.firmware().window().recovery();
  return declared_before_ + found.pages_taken * config_.geometry.sectors_per_page() + found.sectors_untold;
}

/// Of them, when the check has been cut off: it would have held the other sectors to what it found.
std::uint64_t Simulation::may_yet_go_back() const {
  if (check_ == nullptr || check_->done() || host_.shadow() == nullptr) return 0;
  return may_go_back() - host_.shadow()->gone_back();
}

/// The drive has said so (SMART, critical warning): it is worn out, and has no page left for them.
std::uint64_t Simulation::left_in_buffer() const {
  if (!ssd_.firmware().booted()) return 0;
  return ssd_.firmware().window().statistics().buffered_sectors_left;
}

PowerCycleSummary Simulation::power_cycle() const {
  PowerCycleSummary cycle;
  cycle.cut = cut_.at() != kNever;
  cycle.cut_ps = cycle.cut ? cut_.at() : 0;
  cycle.held_up_ps = cycle.cut ? cut_.held_up_for() : 0;
  cycle.trims_kept = cut_.trims_kept();
  cycle.pages_kept = !fw::endangers_pages(to_ftl_config(config_));
  cycle.requests = replay_.statistics().requests;
  cycle.unanswered = replay_.outstanding();
  cycle.cells_failed = cells_have_failed(ssd_);
  cycle.blocks_failed = blocks_have_failed(ssd_);
  if (!ssd_.firmware().booted()) return cycle;
  const FirmwareWindow& firmware = ssd_.firmware().window();
  for (std::uint32_t c = 0; cycle.cut && c < config_.geometry.channels; ++c)
    cycle.flash_operations_cut += firmware.flash_under_way(c);
  cycle.health = firmware.health();
  const fw::FtlStatistics& ftl = firmware.statistics();
  cycle.bad_blocks_kept = ftl.bad_blocks_kept && ftl.metadata_given_up == 0;
  cycle.erases = ftl.erases;
  cycle.retired_blocks = ftl.retired_blocks;
  if (check_ == nullptr) return cycle;
  const DriveCheckResult& check = check_->result();
  cycle.recovered = true;
  cycle.ready_ps = check.ready_at;
  cycle.recovery = firmware.recovery();
  cycle.bring_up = firmware.bring_up();
  cycle.sectors_checked = check.sectors;
  cycle.sectors_old_or_new = check.old_or_new;
  cycle.sectors_lost = check.wrong;
  cycle.sectors_may_go_back = may_go_back();
  cycle.sectors_gone_back = host_.shadow() == nullptr ? 0 : host_.shadow()->gone_back();
  cycle.sectors_unreadable = check.unreadable;
  cycle.check_failed = check.commands_failed;
  return cycle;
}

/// What a process of the simulation throws arrives wrapped by the kernel; a user's error is unwrapped again.
void Simulation::play() {
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    if (std::strcmp(report.get_msg_type(), sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_) != 0) throw;
    throw InputError(report.get_msg());
  }
}

void require_beyond_ramp(const Config& config, std::uint64_t requests) {
  const std::uint64_t ramp = config.workload.ramp_ios;
  if (ramp == 0 || requests > ramp) return;
  throw InputError(
      "workload.ramp_ios: the first " + std::to_string(ramp) + " requests do not count, and the run has " +
      (requests == ramp ? "no more" : "only " + std::to_string(requests)) + ": nothing would be measured");
}

void Simulation::abandon(const std::string& reason) {
  abandoned_ = reason;
  sc_core::sc_stop();
}

void Simulation::check_end() {
  if (!abandoned_.empty()) throw InputError(abandoned_);
  if (!replay_.error().empty()) throw InputError(replay_.error());
  if (!replay_.finished()) {
    const std::string who = watch_.silent();
    throw InputError("the drive stopped answering at " + sc_core::sc_time_stamp().to_string() + " with " +
                     std::to_string(replay_.outstanding()) + " requests outstanding" +
                     (who.empty() ? "" : "; nothing can happen any more: " + who));
  }
  const std::uint64_t requests = replay_.statistics().requests;
  const bool only_life = check_ == nullptr; // of others the last one may have little left to do
  if (!replay_.interrupted() && requests != 0 && only_life) require_beyond_ramp(config_, requests);
}

std::vector<std::string> Simulation::mismatch_reports() const {
  return host_.shadow() == nullptr ? std::vector<std::string>() : host_.shadow()->reports();
}

std::string Simulation::late_shutdown() const {
  const NvmeHostStatistics& host = host_.statistics();
  if (host.shutdown <= host.shutdown_promised) return {};
  return "the drive took " + human_time(static_cast<double>(host.shutdown) / 1000) +
         " to shut down, and Identify promises " +
         human_time(static_cast<double>(host.shutdown_promised) / 1000) + " (RTD3E)";
}

Summary Simulation::summary() const {
  Summary s;
  identify(s);
  const ReplayStatistics& r = replay_.statistics();
  s.workload.source = name_;
  s.workload.requests = r.requests;
  s.workload.reads = r.reads;
  s.workload.writes = r.writes;
  s.workload.trims = r.trims;
  s.workload.flushes = r.flushes;
  s.workload.bytes_read = r.bytes_read;
  s.workload.bytes_written = r.bytes_written;
  s.workload.failed = r.failed;
  s.workload.folded = r.folded;
  s.workload.unaligned = r.unaligned;
  s.workload.left_at_last_arrival = r.left_at_last_arrival;
  s.time.kernel_events = host_.kernel_events();
  if (const Shadow* shadow = host_.shadow()) {
    s.host.verify_checked = shadow->checked();
    s.host.verify_mismatches = shadow->mismatches();
  }
  s.interrupted = replay_.interrupted();
  if (cut_.at() != kNever || check_ != nullptr) {
    s.power_cycles = power_cycles_;
    s.power_cycles.push_back(power_cycle());
  }
  collect(s);
  if (traces_ != nullptr) fill_traces(s.host, *traces_);
  if (const std::string late = late_shutdown(); !late.empty()) s.warnings.push_back(late);
  return s;
}

} // namespace twinplane::platform
