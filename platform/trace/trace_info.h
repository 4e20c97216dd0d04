// What a trace or workload is like: `twinplane trace info`.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "platform/trace/io_record.h"
#include "platform/trace/trace_source.h"

namespace twinplane::platform {

struct SizeStatistics {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  double mean_bytes = 0.0;
  std::uint32_t p50_bytes = 0; // the smallest size that half of the requests do not exceed
  std::uint32_t p90_bytes = 0;
  std::uint32_t p99_bytes = 0;
  std::uint32_t max_bytes = 0;
};

/// Pages are 4 KiB of the one address space that the source delivers. Ratios are 0 where nothing was counted.
struct TraceInfo {
  static constexpr std::array<double, 3> kHottestPercent{1.0, 5.0, 20.0};

  std::uint64_t requests = 0; // of every kind
  std::uint64_t trims = 0;
  std::uint64_t flushes = 0;
  std::uint64_t span_ns = 0;   // first to last arrival
  std::uint64_t end_bytes = 0; // end of the highest request
  SizeStatistics reads;
  SizeStatistics writes;
  double write_ratio = 0.0;          // writes / requests
  double large_write_ratio = 0.0;    // writes above 8 KiB / writes
  std::uint64_t footprint_pages = 0; // read or written
  std::uint64_t read_pages = 0;
  std::uint64_t written_pages = 0;
  double sequential_ratio = 0.0; // reads and writes that start where the last one of their kind ended / both
  double update_ratio = 0.0;     // page writes to pages written before / page writes
  std::array<double, 3>
      hottest_share{};               // share of page writes to the hottest 1, 5, 20 % of the written pages
  double mean_bytes = 0.0;           // of reads and writes together
  double small_ratio = 0.0;          // reads and writes of at most 4 KiB / both
  std::uint64_t write_addresses = 0; // distinct addresses at which writes start
  double rewrite_ratio = 0.0;        // writes that start where an earlier write started / writes
  std::array<double, 3> rewrite_size_share{}; // of those: up to 4 KiB, up to 8 KiB, larger
  double hot_write_ratio = 0.0;               // write addresses written at least 4 times / write addresses
  std::array<double, 3>
      hottest_address_share{}; // share of writes to the hottest 1, 5, 20 % of the write addresses
  double requests_per_s = 0.0;
  double peak_requests_per_s = 0.0; // in the busiest 100 ms
  double interarrival_cv2 = 0.0;    // variance / mean^2 of the time between arrivals: 0 regular, 1 Poisson
  /// Bias of the b-model that has the same second moment of requests per window over the measured scales: 0.5
  /// is Poisson, towards 1 ever burstier.
  double burst_bias = 0.5;
};

/// Reads the source from where it is to its end. Memory grows with the footprint (32 bytes a page at most,
/// and as much for each write address).
TraceInfo collect_info(IoSource& source);

/// A table for people.
void print(const TraceInfo& info, std::ostream& out);
/// The same as JSON; ratios as fractions, sizes in bytes, times in nanoseconds.
std::string to_json(const TraceInfo& info, const std::vector<DevicePlace>& devices = {});
/// Number and names of the devices that were read, and how they were laid out.
std::string devices_text(const TraceStatus& status);

} // namespace twinplane::platform
