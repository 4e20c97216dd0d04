#include "hw/core/bandwidth_port.h"

#include <algorithm>
#include <string>
#include <systemc>

#include "hw/core/block_error.h"

namespace twinplane::hw {

namespace {

/// "a read of 4096 bytes by the flash side at address 8192".
std::string words_of(const DramAccess& access) {
  static constexpr const char* kMasters[]{"host DMA", "the flash side", "the core"};
  return std::string(access.write ? "a write of " : "a read of ") + std::to_string(access.bytes) +
         " bytes by " + kMasters[static_cast<std::size_t>(access.master)] + " at address " +
         std::to_string(access.address);
}

std::string name_of(const DramTiming& timing) {
  const auto* const object = dynamic_cast<const sc_core::sc_object*>(&timing);
  return object == nullptr ? "the DRAM" : object->name();
}

} // namespace

TimePs BandwidthPort::ask(const DramAccess& access) {
  TimePs done = 0;
  try {
    done = timing_->access(access);
  } catch (...) {
    rethrow_from(name_of(*timing_), access.at);
  }
  const TimePs since = std::max(access.at, ended_); // others may be in front of it
  const bool waits_too_long = done > since && done - since > patience_;
  if (done >= access.at && !waits_too_long && done != kNever) {
    ended_ = std::max(ended_, done);
    return done;
  }
  report_dram_answer(name_of(*timing_), words_of(access), done < access.at ? access.at : since, done);
  return access.at;
}

} // namespace twinplane::hw
