// What the platform asks of the firmware beside what a host can: the debug window. Host code and an image of
// a target core serve it alike. Usable once the firmware has booted, between two of its turns; what only
// reads may be asked at any time.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/ftl/bring_up/times.h"
#include "firmware/ftl/issue_observer.h"
#include "firmware/ftl/recovery/recovery_counters.h"
#include "firmware/ftl/statistics.h"
#include "firmware/hal/dram_layout.h"
#include "firmware/hal/work_probe.h"
#include "firmware/nvme/command_observer.h"
#include "firmware/nvme/logs.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::platform {

class FirmwareWindow {
 public:
  [[nodiscard]] virtual const fw::FtlStatistics& statistics() const = 0;
  virtual void set_statistics(const fw::FtlStatistics& statistics) = 0;
  [[nodiscard]] virtual std::uint64_t exported_sectors() const = 0;
  [[nodiscard]] virtual const fw::RecoveryCounters& recovery() const = 0;
  [[nodiscard]] virtual const fw::BringUpTimes& bring_up() const = 0;
  [[nodiscard]] virtual const fw::HealthCounters& health() const = 0;
  [[nodiscard]] virtual fw::DramUse dram_use() const = 0;
  [[nodiscard]] virtual std::uint32_t cache_level(std::uint32_t plane, std::uint32_t block) const = 0;
  [[nodiscard]] virtual std::uint32_t flash_under_way(std::uint32_t channel) const = 0;
  [[nodiscard]] virtual std::uint32_t flash_completed(std::uint32_t channel) const = 0;
  [[nodiscard]] virtual std::uint32_t dma_posted() const = 0;

  // --- see fw::Ftl for these ---
  virtual const char* functional_write(std::uint32_t lpn, const std::uint8_t* payload) = 0;
  virtual const char* functional_store(std::uint32_t lpn, const std::uint8_t* payload) = 0;
  virtual const char* functional_write_packed(const std::vector<std::uint32_t>& units,
                                              const std::uint8_t* payload) = 0;
  virtual const char* functional_age(double fraction) = 0;
  virtual const char* functional_scatter(std::uint64_t seed) = 0;
  virtual void functional_end() = 0;
  virtual bool quiesce() = 0;
  virtual void serialise(StateVisitor& state) = 0;

  // --- once booted: who accounts for the time of planes (fw::WorkProbe) ---
  virtual void attach(fw::WorkProbe& probe) = 0;
  virtual void tell_waiting(fw::WorkProbe& probe) = 0;
  [[nodiscard]] virtual std::uint32_t class_of_plane(std::uint32_t plane) const = 0;

  // --- before it boots ---
  virtual void attach(fw::CommandObserver& observer) = 0;
  virtual void attach(fw::IssueObserver& observer) = 0;

 protected:
  ~FirmwareWindow() = default;
};

} // namespace twinplane::platform
