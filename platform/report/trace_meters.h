// What the requests of each of several traces took that were replayed together.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/report/io_meter.h"

namespace twinplane::platform {

/// Finished requests of one trace, by IoOp.
struct TraceMeter {
  std::string name;
  std::array<IoTotals, kIoOps> totals;
  std::uint64_t failed = 0;
};

class TraceMeters {
 public:
  explicit TraceMeters(const std::vector<std::string>& names) : all_(names.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) all_[i].name = names[i];
  }

  /// A request of the trace of that number has finished.
  void add(std::size_t trace, IoOp op, std::uint64_t bytes, TimePs latency, bool failed) {
    TraceMeter& meter = all_[trace];
    IoTotals& totals = meter.totals[static_cast<std::size_t>(op)];
    totals.bytes += bytes;
    totals.latency.record(latency);
    meter.failed += failed ? 1 : 0;
  }
  const std::vector<TraceMeter>& all() const { return all_; }

 private:
  std::vector<TraceMeter> all_;
};

} // namespace twinplane::platform
