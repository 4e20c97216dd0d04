// Everything a run reports: plain numbers that the platform collects at the end, written as
// summary.json (stable names: docs/summary.md names each with its unit) and as a table for people.
//
// Shapes: `channels` has one entry per channel, `dies` one per device-wide die index, by_page_type one
// per page type of the cell. Times are in the unit of the member's name. Ratios without a denominator
// (no host writes, no multi-plane commands) are null in JSON, and a dash in the table.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firmware/ftl/bring_up/times.h"
#include "firmware/ftl/partition/write_cost.h"
#include "firmware/ftl/statistics.h"
#include "hw/monitor/monitor_rules.h"
#include "hw/spec/geometry.h"
#include "hw/spec/reliability.h"
#include "platform/host/address_map.h"
#include "platform/report/breakdown.h"
#include "platform/report/energy.h"
#include "platform/report/firmware.h"
#include "platform/report/io_meter.h"
#include "platform/report/plane_time.h"
#include "platform/report/power_cycles.h"
#include "platform/report/trace_meters.h"
#include "platform/report/utilisation.h"
#include "platform/report/write_volume.h"

namespace twinplane::platform {

using Json = nlohmann::ordered_json;

struct LatencyNs {
  std::uint64_t count = 0; // 0: all others are null
  double mean = 0, min = 0, max = 0;
  double p50 = 0, p90 = 0, p95 = 0, p99 = 0, p99_9 = 0, p99_99 = 0, p99_999 = 0;
};
/// From a histogram of picoseconds.
LatencyNs latency_ns(const LatencyHistogram& histogram);

struct WorkloadSummary {
  std::string source; // trace file name or workload description
  std::uint64_t requests = 0, reads = 0, writes = 0, trims = 0, flushes = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::uint64_t failed = 0; // requests that ended with an error status
  std::uint64_t folded = 0; // beyond the drive's end, wrapped into it
  Unaligned unaligned = Unaligned();
  std::uint64_t unanswered = 0;           // a guest's: it has reset the controller, or gone away
  std::uint64_t left_at_last_arrival = 0; // open loop: unfinished when the last request arrived
};

/// By how much requests ended later on the wall clock than in simulated time (`serve --pace 1`).
struct PaceSummary {
  double late_mean_ns = 0;
  double late_max_ns = 0;
};

struct TimeSummary {
  std::uint64_t simulated_ps = 0;
  double wall_s = 0;
  std::uint64_t kernel_events = 0;   // processes the kernel dispatched for timed and delta events
  std::uint64_t page_operations = 0; // page reads + page programs + block erases of the array
  std::uint64_t peak_rss_bytes = 0;  // see peak_rss_bytes()
  std::optional<PaceSummary> pace;
};

/// The first requests, which do not count.
struct RampSummary {
  std::uint64_t requests = 0;
  TimePs end = 0; // simulated time
};

/// What the drive did between the last completion and the end of the run, which no other number of it has: it
/// programs what its write buffer holds, and collects.
struct DrainSummary {
  TimePs time = 0;
  WriteVolume written;
  std::uint64_t gc_invocations = 0, gc_pages_moved = 0, gc_blocks_erased = 0;
  std::uint64_t reads = 0, programs = 0, erases = 0; // pages, pages, blocks
  std::uint64_t host_bytes_before = 0;               // that the host wrote before the measured window

  /// Bytes that the requests of the window have left to program, at least: some of those that are programmed behind
  /// it may be older than the window, and as many were programmed in it that are older.
  std::uint64_t left_by_host() const;
};

struct HostDirection {
  std::uint64_t count = 0, bytes = 0;
  double iops = 0, mb_per_s = 0; // over HostSummary::measured_ns; MB = 10^6 bytes
  LatencyNs latency;
  std::optional<BreakdownNs> breakdown; // its parts add up to latency.mean
};

/// Of several traces that were replayed together.
struct TraceSummary {
  std::string source;
  std::uint64_t failed = 0;               // requests that ended with an error status
  HostDirection read, write, trim, flush; // without breakdown
};

struct HostSummary {
  HostDirection read, write, trim, flush;
  std::optional<BreakdownNs> slowest_tenth; // of reads and writes together
  double measured_ns = 0;                   // first submission to last completion
  double queue_depth_mean = 0;              // requests in flight, averaged over measured_ns
  std::optional<double> latency_drift;      // see Steadiness
  std::optional<double> littles_law;        // rate * mean latency / queue_depth_mean: 1 when consistent
  std::uint64_t verify_checked = 0, verify_mismatches = 0; // sectors
  std::vector<TraceSummary> traces;                        // none of a single one
  std::uint64_t requests() const { return read.count + write.count + trim.count + flush.count; }
};

/// Commands and pages (erase: blocks) of one kind that left as commands for two or more planes.
struct MultiPlane {
  std::uint64_t commands = 0, units = 0;
  std::uint64_t all_units = 0; // pages (blocks) of this kind by any command; ratio = units / all_units
  std::uint64_t planes = 0;    // that the commands used
};

/// What the protocol monitors of all channels found (hw/monitor).
struct MonitorSummary {
  std::array<std::uint64_t, hw::kMonitorRules> findings{}; // by hw::MonitorRule
  std::uint64_t total() const;
};

/// Refused commands by rule (hw/nand/rules.h); `timing` is what the monitors found of it.
struct Violations {
  std::uint64_t pac = 0, bac = 0, order = 0, erase_before_program = 0, partial_limit = 0, timing = 0,
                protocol = 0, distinct_planes = 0, same_lun = 0, bad_address = 0, slc_mode = 0, busy = 0,
                suspend = 0, write_protect = 0;
  std::optional<MonitorSummary> monitor; // none: bus.monitor is off
  std::uint64_t total() const;           // refused by dies
};

struct NandSummary {
  CellType cell = CellType::slc; // names and number of the page types
  std::array<std::uint64_t, kMaxPageTypes> reads_by_type{}, programs_by_type{}; // native mode
  std::uint64_t reads_slc = 0, programs_slc = 0;            // of blocks in SLC mode inside MLC, TLC, QLC
  std::uint64_t partial_programs = 0, sectors_left_out = 0; // of programs of less than a page
  std::uint64_t wordline_reads = 0; // lower pages read because nand.wordline_buffer was too small
  std::uint64_t erases_slc = 0, erases_native = 0;
  std::uint64_t suspends = 0, resumes = 0;                               // of programs and erases
  std::uint64_t cache_reads = 0, cache_programs = 0;                     // commands: 31h, 15h
  std::uint64_t aborted = 0;                                             // operations ended by a reset
  std::uint64_t failed_programs = 0, failed_erases = 0, retry_reads = 0; // pages, blocks, pages (nand.fail)
  std::uint64_t lost_reads = 0; // of pages that were programmed without some of their sectors
  std::uint64_t reads() const;
  std::uint64_t programs() const;
  MultiPlane program, read, erase;
  Violations violations;
};

/// The core's data cache.
struct CacheSummary {
  std::uint64_t hits = 0, misses = 0, written_back = 0; // lines
  TimePs waited = 0;                                    // for lines that were not in it
};

struct ChannelSummary {
  TimePs busy = 0, command = 0, address = 0, data_in = 0, data_out = 0, status = 0;
};

struct DieSummary {
  TimePs busy = 0;              // at least one plane busy
  std::uint64_t plane_busy = 0; // summed over planes, picoseconds
};

struct WearSummary {
  std::uint64_t min = 0, max = 0; // erases per block
  double mean = 0, stddev = 0;
  /// 1 when all are worn alike: the share of the erases that are possible before the first block is
  /// worn out as much as the most worn one is now, mean / max. Empty when nothing was erased.
  std::optional<double> evenness() const;
};

struct FtlSummary {
  std::string policy;
  fw::FtlStatistics counters;
  PageSizes sizes;
  std::uint64_t exported_bytes = 0, raw_bytes = 0; // what the host may address; all pages of all blocks
  WearSummary wear;
  fw::FlashCosts flash;  // what the cost of a page write in a region is made of
  WearSummary unit_wear; // per unit of reclamation: a block, or the twin blocks of a die

  /// What the drive keeps from the host, as a share of raw_bytes: ftl.over_provisioning as it has come out.
  std::optional<double> over_provisioning() const;
};

/// One round of the workload, from the end of the round before to its own (by number of requests).
struct RoundSummary {
  TimePs simulated_ps = 0;
  std::uint64_t reads = 0, writes = 0;              // requests
  std::uint64_t of_ramp = 0;                        // requests of any kind that were part of the ramp
  double read_latency_ps = 0, write_latency_ps = 0; // summed
  std::uint64_t bytes_written = 0, bytes_written_so_far = 0, capacity_bytes = 0;
  WriteVolume written;
  std::uint64_t gc_invocations = 0, gc_pages_moved = 0, gc_blocks_erased = 0;
  MultiPlane read, program, erase;    // all operations; commands are not counted here
  MultiPlane host_read, host_program; // without the collector's
};

/// Pages of one kind that were read with a model of bit errors.
struct ReadErrors {
  std::uint64_t pages = 0, corrected = 0, retried = 0, soft = 0, uncorrectable = 0;
  std::array<std::uint64_t, kReadLevels - 1> senses{}; // pages read at read levels 1, 2, ...
  double bits = 0, bit_errors = 0;                     // raw; parity included
};

struct ReliabilitySummary {
  double raw_bit_error_rate = 0;
  double read_error_rate = 0; // the same of host reads alone
  std::uint64_t ecc_corrected = 0, read_retries = 0, uncorrectable = 0;
  std::array<ReadErrors, kMaxPageTypes> by_type{}; // native mode
  ReadErrors slc;
  bool modelled = false; // nand.errors.reading is on
};

/// Bookkeeping: the same quantity counted on two sides of the drive. A run whose accounts differ is wrong.
struct Account {
  std::string what; // e.g. "bytes written: host, link"
  std::uint64_t one_side = 0, other_side = 0;
};

struct Summary {
  std::string version, git;
  std::string panic; // of the firmware, which has ended the run; empty: none
  std::uint64_t seed = 0;
  std::shared_ptr<const Json> config; // resolved; null: none
  WorkloadSummary workload;
  TimeSummary time;
  std::optional<RampSummary> ramp; // what is of the whole run nevertheless: docs/summary.md
  HostSummary host;
  std::optional<CacheSummary> cache; // where the core's is modelled
  FirmwareSummary firmware;          // of an image
  fw::BringUpTimes boot;             // on the flash buses
  Utilisation utilisation;           // of the drive's resources, over HostSummary::measured_ns
  EnergySummary energy;              // over the same time
  PlaneTimeSummary plane_time;       // over the same time
  TimePs window_ps = 0; // first arrival, or end of the ramp, to the last completion; 0: no request has come
  std::optional<DrainSummary> drain; // none of a run that was broken off
  NandSummary nand;
  std::vector<ChannelSummary> channels;
  std::vector<DieSummary> dies;
  FtlSummary ftl;
  ReliabilitySummary reliability;
  std::vector<RoundSummary> rounds;
  std::vector<PowerCycleSummary> power_cycles; // none without --power-cut; the last one is this report's
  std::vector<Account> accounts;
  std::vector<std::string> warnings; // what makes these numbers doubtful, see warnings_of()
  bool interrupted = false;          // a signal ended the run before its workload's end

  /// The time over which `nand`, `channels`, `dies` and the counters of `ftl` have counted.
  TimePs counted_ps() const { return window_ps != 0 ? window_ps : time.simulated_ps; }
};

// --- filling it ---

/// Sets what was counted of each kind of request (without breakdown), measured time and Little's law.
void fill_host(HostSummary& host, const IoMeter& meter);
/// What was counted of each of several traces, over the measured time that `host` has.
void fill_traces(HostSummary& host, const TraceMeters& traces);
void fill_breakdown(HostSummary& host, const BreakdownMeter& meter);
/// Sets the counters and the multi-plane numbers of `nand`.
void fill_ftl(Summary& summary, const fw::FtlStatistics& counters);
/// What a reader of these numbers should know before believing them, in words; empty when nothing is.
std::vector<std::string> warnings_of(const Summary& summary);
WearSummary wear_of(const std::vector<std::uint32_t>& erases_per_block);
/// Open loop: requests were left when the last one arrived, more than a queue that does not grow has.
bool falls_behind(const Summary& summary);
/// What limited the run: see platform/report/utilisation.h.
Limit limit_of(const Summary& summary);
/// Largest resident set of this process so far.
std::uint64_t peak_rss_bytes();

// --- writing it ---

/// All names of the plan, always present, in this order; two calls give equal bytes. Only wall_s,
/// requests_per_wall_s, late_ns and peak_rss_bytes depend on the machine.
Json to_json(const Summary& summary);
/// to_json as text, indented, with a final newline.
std::string summary_text(const Summary& summary);
/// The table that `twinplane run` prints.
std::string summary_table(const Summary& summary);

/// latency.csv: cumulative latency distribution, one row per step of LatencyHistogram::steps():
/// op,latency_ns (at most),count (more than the row before),cumulative (fraction of the op's requests).
std::string latency_csv(const IoMeter& meter);

} // namespace twinplane::platform
