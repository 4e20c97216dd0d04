#include "hw/pins/pin_faults.h"

#include <numeric>
#include <systemc>

namespace twinplane::hw {

namespace {

constexpr char kReportId[] = "twinplane.pins";
constexpr std::uint64_t kMaxMessages = 10;

} // namespace

void PinFaults::report(PinFault fault, TimePs at, const char* detail) {
  const std::uint64_t count = ++counts_[static_cast<std::size_t>(fault)];
  if (count > kMaxMessages) return;
  std::string text = owner_ + ": " + pin_fault_name(fault) + " at " + std::to_string(at / 1000) + "." +
                     std::to_string(1000 + at % 1000).substr(1) + " ns: " + detail;
  if (count == kMaxMessages) text += " (further ones of this kind are only counted)";
  SC_REPORT_WARNING(kReportId, text.c_str());
}

std::uint64_t PinFaults::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

} // namespace twinplane::hw
