// The flash translation layer: one fixed pipeline with replaceable decisions.
//
//   submit -> classify -> split into page-sized sub-requests -> (map look-up | write placement)
//          -> per-die queues -> scheduler forms commands -> flash controller -> completion
//          -> map update, garbage collection -> request done
//
// Event driven, run to completion: submit(), on_flash_irq() and pump() never wait. Unbounded work is
// held in fixed pools sized at boot; when a pool or the free space runs out, work stays queued
// (back-pressure to the host), it is never dropped and never asserts.
#pragma once

#include <cstdint>
#include <memory>

#include "firmware/ftl/bring_up/times.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/recovery/recovery_counters.h"
#include "firmware/ftl/request.h"
#include "firmware/ftl/statistics.h"
#include "firmware/hal/dram_layout.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/host_port.h"
#include "firmware/hal/work_probe.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class FtlCore;
class ZeroTimeWriter;
class IssueObserver;

class Ftl {
 public:
  /// Boot: allocates every table through hal.boot_alloc, programs the flash controllers' rings.
  /// Returns an error text when the configuration cannot work, else nullptr.
  const char* boot(Hal& hal, HostPort& host, const FtlConfig& config, RequestSink& sink);

  /// Device DRAM from config.dram_base on, and the map.
  DramUse dram_use() const;
  /// Exported capacity in sectors (NSZE).
  std::uint64_t exported_sectors() const;
  /// The longest that writing the whole write buffer to flash may take; 0 without one.
  std::uint64_t longest_flush_ps() const;

  /// Takes the request over; on_request_done() follows, possibly before submit() returns (e.g. a read
  /// of never-written data). Requests beyond the pools wait inside.
  void submit(Request& request);

  /// Reads the completion ring of `channel` up to its visible tail.
  void on_flash_irq(std::uint32_t channel);

  /// Called at the end of each firmware turn: starts commands on idle dies, rings the doorbells.
  void pump();

  /// Flash operations that the controller of `channel` has been given and has not completed.
  std::uint32_t flash_under_way(std::uint32_t channel) const;
  /// ... and those that it has completed (free running).
  std::uint32_t flash_completed(std::uint32_t channel) const;

  /// The block table is written to the flash when it changes and when the host shuts the drive down, and with
  /// checkpoints so is the map.
  bool keeps_tables() const;
  /// A host is there, again perhaps after it had shut the drive down.
  void opened();
  /// What the front end counts has changed in a way that must not be lost: a commit makes it durable.
  void record_changed();

  /// RequestKind::purge is possible.
  bool can_purge() const;
  /// It is, and with checkpoints, so that a sanitize operation goes on after a power cut.
  bool can_sanitize() const;
  /// How far it has come, in 65536ths.
  std::uint16_t purge_progress() const;

  /// The supply has failed: nothing is begun any more, but that the write buffer goes to flash as far as
  /// FtlConfig::hold_up_pages last. What is under way is completed.
  void supply_failed();

  /// The tables are being recovered from the cells (FtlConfig::used_cells): nothing may be submitted before
  /// RequestSink::on_recovered().
  bool recovering() const;
  const RecoveryCounters& recovery() const;
  /// Of what boot has done on the flash buses.
  const BringUpTimes& bring_up() const;
  /// True when nothing is queued or in flight (host work, GC, write buffer clean or not).
  bool idle() const;
  /// The drive is about to be switched off, or kept: collection ends between two pages, and goes on when
  /// the drive has been loaded again. False: something is under way yet; to be asked again.
  bool quiesce();

  // --- functional preconditioning: zero simulated time, through Hal::flash_functional ---
  ZeroTimeWriter& zero_time_writer();
  /// No more of these follow: what they have left in danger of a power cut is protected (lower_pages/).
  void functional_end();

  /// What a block of the SLC-mode cache was opened for: 1 Work, 2 Monitor, 3 Hot; 0 native. Until it is
  /// opened again it keeps that.
  std::uint32_t cache_level(std::uint32_t plane, std::uint32_t block) const;
  /// Told of every flash command. Before boot().
  void attach(IssueObserver& observer) { observer_ = &observer; }
  /// All tables, for checks from outside (checks/table_check.h). Once booted.
  const FtlCore& core() const { return *core_; }
  /// Once booted. `plane_class` of what it is told: see class_of_plane().
  void attach(WorkProbe& probe);
  void tell_waiting(WorkProbe& probe) const;
  /// The allocation class whose writes may go to the plane.
  std::uint32_t class_of_plane(std::uint32_t plane) const;

  const FtlStatistics& statistics() const;
  FtlStatistics& statistics_for_reset();

  /// Saves, or restores in a drive that has booted with the same configuration, whatever lasts: map, block
  /// table, frontiers, policies, counters. Refused unless idle().
  void serialise(StateVisitor& state);

 private:
  FtlCore* core_ = nullptr;
  IssueObserver* observer_ = nullptr; // null: there is no observer
};

} // namespace twinplane::fw
