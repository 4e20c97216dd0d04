#include "platform/report/breakdown.h"

namespace twinplane::platform {

std::optional<BreakdownNs> BreakdownMeter::mean(IoOp op) const {
  const Sums& s = sums_[static_cast<std::uint32_t>(op)];
  if (s.requests == 0) return std::nullopt;
  const double scale = 1.0 / (1e3 * static_cast<double>(s.requests));
  const auto mean = [scale](Wide ps) { return static_cast<double>(ps) * scale; };
  BreakdownNs b;
  b.host_wait = mean(s.host_wait);
  b.host_queue = mean(s.host_queue);
  b.firmware = mean(s.in_firmware - (s.map + s.die_wait + s.bus_wait + s.bus + s.array + s.ecc + s.retry));
  b.map = mean(s.map);
  b.die_wait = mean(s.die_wait);
  b.bus_wait = mean(s.bus_wait);
  b.bus = mean(s.bus);
  b.array = mean(s.array);
  b.ecc = mean(s.ecc);
  b.retry = mean(s.retry);
  b.completion = mean(s.completion);
  return b;
}

} // namespace twinplane::platform
