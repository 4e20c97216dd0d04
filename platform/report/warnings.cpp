// Traps that a run can fall into without any error.
#include <cmath>

#include "platform/report/number_text.h"
#include "platform/report/summary.h"

namespace twinplane::platform {
namespace {

constexpr double kUnmappedShare = 0.01; // of the pages read
constexpr double kLeftShare = 0.01;     // of the requests ...
constexpr std::uint64_t kLeft = 100;    // ... and at least so many: what any burst leaves ...
constexpr double kLeftTimes = 1.5;      // ... and more than in flight on average: twice as many when it grows
constexpr double kLeftByHost = 0.05;    // of what is programmed for the requests
constexpr double kDrift = 0.2;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string count(std::uint64_t value) {
  return std::to_string(value);
}

/// A write that waits in the write buffer is counted as written, and not yet as programmed. Where programs have failed,
/// those that follow may be repetitions.
void warn_of_write_buffer(std::vector<std::string>& found, const Summary& s, const WriteVolume& written) {
  if (!s.drain || s.nand.failed_programs != 0) return;
  const std::uint64_t left = s.drain->left_by_host();
  const double part = share(left, left + written.programmed_bytes());
  if (part < kLeftByHost) return;
  found.push_back(human_bytes(static_cast<double>(left)) + " of the host's writes (" + human_percent(part) +
                  " of what is programmed for the run) were programmed only after the last request: write "
                  "amplification is of what was programmed until then, and too low by so much "
                  "(workload.ramp_ios, or more requests)");
}

void warn_of_alignment(std::vector<std::string>& found, const Summary& s) {
  const Unaligned& u = s.workload.unaligned;
  if (u.widened != 0) {
    found.push_back(count(u.widened) + " requests (" + human_percent(share(u.widened, s.workload.requests)) +
                    ") began or ended within a sector and were widened to whole ones, by " +
                    human_bytes(static_cast<double>(u.widened_bytes)) + " together (geometry.sector_size)");
  }
  if (u.shrunk_trims != 0) {
    found.push_back(count(u.shrunk_trims) +
                    " trims began or ended within a sector and were shrunk to whole ones, by " +
                    human_bytes(static_cast<double>(u.shrunk_bytes)) + " together; " + count(u.empty_trims) +
                    " of them had no whole sector and did nothing (geometry.sector_size)");
  }
}

} // namespace

bool falls_behind(const Summary& s) {
  const std::uint64_t left = s.workload.left_at_last_arrival;
  return left >= kLeft && share(left, s.workload.requests) > kLeftShare &&
         static_cast<double>(left) > kLeftTimes * s.host.queue_depth_mean;
}

std::vector<std::string> warnings_of(const Summary& s) {
  std::vector<std::string> found;
  const fw::FtlStatistics& f = s.ftl.counters;
  if (const double unmapped = share(f.unmapped_reads, f.host_pages_read); unmapped >= kUnmappedShare) {
    found.push_back(human_percent(unmapped) + " of the pages read had " +
                    (s.workload.trims != 0 ? "been trimmed, or never been written," : "never been written") +
                    " and were answered without flash (precondition, or a smaller address range)");
  }
  warn_of_alignment(found, s);
  if (s.workload.folded != 0) {
    found.push_back(count(s.workload.folded) + " requests (" +
                    human_percent(share(s.workload.folded, s.workload.requests)) +
                    ") lay beyond the drive's end and were folded into it (host.remap)");
  }
  if (falls_behind(s)) {
    found.push_back(
        count(s.workload.left_at_last_arrival) +
        " requests were not finished when the last one arrived: the drive does not keep up, and the "
        "latencies depend on the length of the run");
  }
  const WriteVolume written = write_volume(f, s.ftl.sizes);
  if (f.gc_invocations != 0 && f.gc_pages_moved == 0 && written.host_bytes >= s.ftl.exported_bytes) {
    found.push_back(
        "the drive was written over, and collection never moved a page: every block it took had been "
        "overwritten whole (sequential addresses, or the same ones in the same order), so write "
        "amplification tells nothing of other workloads");
  }
  warn_of_write_buffer(found, s, written);
  if (s.host.latency_drift && std::abs(*s.host.latency_drift - 1) > kDrift) {
    found.push_back("not steady: the mean latency of the last quarter of the requests is " +
                    human_fixed(*s.host.latency_drift, 2) + " times that of the quarter before");
  }
  return found;
}

} // namespace twinplane::platform
