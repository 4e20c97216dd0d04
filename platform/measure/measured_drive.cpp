#include "platform/measure/measured_drive.h"

#include <nlohmann/json.hpp>

#include "platform/config/convert.h"
#include "platform/config/error.h"
#include "platform/config/export.h"
#include "platform/config/version.h"
#include "platform/measure/collect.h"
#include "platform/ssd/hardware_config.h"

namespace twinplane::platform {
namespace {

/// Counters to zero, gauges as they are.
fw::FtlStatistics without_counters(const fw::FtlStatistics& s) {
  fw::FtlStatistics fresh;
  for (std::uint32_t t = 0; t < kMaxPageTypes; ++t) fresh.free_pages_by_type[t] = s.free_pages_by_type[t];
  fresh.free_blocks = s.free_blocks;
  fresh.valid_pages = s.valid_pages;
  fresh.spare_blocks_at_boot = s.spare_blocks_at_boot;
  fresh.retired_blocks = s.retired_blocks;
  fresh.erases = s.erases;
  fresh.metadata_kept = s.metadata_kept;
  fresh.bad_blocks_kept = s.bad_blocks_kept;
  fresh.map_kept = s.map_kept;
  fresh.metadata_given_up = s.metadata_given_up;
  fresh.read_only = s.read_only;
  for (std::uint32_t r = 0; r < fw::kMaxRegions; ++r) fresh.region[r] = s.region[r];
  fresh.cached = s.cached;
  fresh.hot_writes = s.hot_writes;
  return fresh;
}

} // namespace

MeasuredDrive::MeasuredDrive(const Config& config, BlockFactory& factory)
    : config_(config),
      ssd_("ssd", config_, factory),
      meter_(config_.workload.ramp_ios),
      rounds_(ssd_, meter_.meter(), config_.workload.ramp_ios),
      window_(ssd_, config_.workload.ramp_ios) {
  meter_.attach(rounds_);
  meter_.attach(static_cast<WindowListener&>(window_));
  if (config_.report.energy) measure_energy();
  if (config_.report.plane_time) account_for_planes();
  if (ImageMeter* const image = ssd_.firmware().image_meter()) window_.measure(*image);
}

MeasuredDrive::~MeasuredDrive() = default;

void MeasuredDrive::measure_energy() {
  const EnergyModel model = to_energy_model(config_);
  energy_ = std::make_unique<EnergyMeter>(config_.geometry, model, [this] { return ssd_.now(); });
  ssd_.attach(static_cast<hw::NandObserver&>(*energy_));
  ssd_.attach(static_cast<hw::BusObserver&>(*energy_));
  window_.measure(*energy_, model);
}

void MeasuredDrive::account_for_planes() {
  plane_time_ = std::make_unique<PlaneTimeAccount>(
      config_.geometry, config_.bus.ready == ReadyDetection::poll, [this] { return ssd_.now(); });
  ssd_.attach(static_cast<hw::NandObserver&>(*plane_time_));
  ssd_.attach(static_cast<hw::BusObserver&>(*plane_time_));
  ssd_.attach(static_cast<hw::FrontEndObserver&>(*plane_time_));
  if (hw::PowerGrant* const grant = ssd_.power_grant()) plane_time_->listen(*grant);
  plane_time_->look_at([this](TimePs now) { return shared_busy_times(ssd_, now); });
  window_.measure(*plane_time_);
}

bool MeasuredDrive::boot() {
  FirmwareProcess& firmware = ssd_.firmware();
  run_until_booted(firmware);
  if (!firmware.panic().empty()) throw FirmwarePanic(firmware.panic());
  if (firmware.booted()) {
    booted_ = firmware.window().statistics();
    return true;
  }
  if (!firmware.boot_error().empty()) throw InputError(firmware.boot_error());
  if (sc_core::sc_get_status() == sc_core::SC_STOPPED) return false;
  throw InputError("the firmware waits for an interrupt that nothing raises, and has not booted");
}

/// Preconditioning has not gone over the buses; what boot has read there the hardware has counted, too.
fw::FtlStatistics MeasuredDrive::at_begin(const fw::FtlStatistics& now) const {
  fw::FtlStatistics fresh = without_counters(now);
  fresh.read_pages = booted_.read_pages;
  fresh.read_multi_commands = booted_.read_multi_commands;
  fresh.read_multi_pages = booted_.read_multi_pages;
  return fresh;
}

void MeasuredDrive::start_counting() {
  FirmwareWindow& firmware = ssd_.firmware().window();
  firmware.set_statistics(at_begin(firmware.statistics()));
  rounds_.begin();
  listen_to_firmware();
}

PreconditionResult MeasuredDrive::write_first(IoSource* trace) {
  ssd_.silence(true);
  const PreconditionResult result = precondition(config_, ssd_.firmware().window(), trace);
  ssd_.silence(false);
  return result;
}

void MeasuredDrive::listen_to_firmware() {
  if (plane_time_ == nullptr) return;
  FirmwareWindow& firmware = ssd_.firmware().window();
  std::vector<std::uint32_t> classes;
  for (std::uint32_t p = 0; p < config_.geometry.planes(); ++p) classes.push_back(firmware.class_of_plane(p));
  plane_time_->set_classes(classes);
  plane_time_->ask_what_waits([&firmware](fw::WorkProbe& probe) { firmware.tell_waiting(probe); });
  firmware.attach(static_cast<fw::WorkProbe&>(*plane_time_));
}

std::uint64_t MeasuredDrive::exported_bytes() const {
  return ssd_.firmware().window().exported_sectors() * config_.geometry.sector_size;
}

void MeasuredDrive::identify(Summary& s) const {
  s.version = version();
  s.git = git_revision();
  s.seed = config_.run.seed;
  s.panic = ssd_.firmware().panic();
  s.config = std::make_shared<const Json>(to_json(config_));
}

void MeasuredDrive::collect(Summary& s) const {
  s.time.simulated_ps = ssd_.now();
  s.time.peak_rss_bytes = peak_rss_bytes();
  fill_host(s.host, meter_.counted());
  fill_breakdown(s.host, meter_.breakdown());
  s.host.latency_drift = meter_.steadiness().drift();
  collect_drive(s, ssd_);
  s.rounds = rounds_.rounds();
  s.plane_time = window_.plane_time();
  s.accounts = collect_accounts(s, ssd_);
  window_.limit(s);
  s.utilisation = window_.utilisation();
  s.energy = window_.energy();
  s.firmware = window_.firmware();
  s.boot = ssd_.firmware().window().bring_up();
  s.warnings = warnings_of(s);
  if (!ssd_.firmware().can_be_watched()) {
    s.warnings.push_back(
        "cpu.firmware has no probe points: what a request takes inside of the drive is all counted as "
        "firmware, and waits there are unknown to plane_time");
  }
}

} // namespace twinplane::platform
