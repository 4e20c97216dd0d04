// Features (NVMe 1.4 section 5.21.1): their values, defaults and what changing them does.
// None is saveable; the identifiers supported are the rows of the table in features.cpp and the
// special ones below it.
#pragma once

#include <cstdint>

#include "firmware/nvme/logs.h"
#include "firmware/nvme/queue_table.h"
#include "firmware/nvme/supported.h"

namespace twinplane::fw {

class Features {
 public:
  static constexpr std::uint32_t kSimple = 7; // features that are one stored word
  static constexpr std::uint32_t kTimestampBytes = 8;

  struct Outcome {
    std::uint16_t status = nvme::status::success;
    std::uint32_t result = 0;
  };

  struct Parts {
    Hal* hal;
    const NvmeConfig* config;
    QueueTable* queues;
    HealthCounters* health;
  };
  void boot(const Parts& parts) { parts_ = parts; }
  /// Controller enabled: defaults, and the front end is told the arbitration and coalescing ones.
  void reset();

  /// Get and set features without their data (the timestamp has 8 bytes of it).
  Outcome get(const nvme::Sqe& sqe) const;
  Outcome set(const nvme::Sqe& sqe);

  /// The host has switched the volatile write cache off: every write goes through to the flash.
  [[nodiscard]] bool write_through() const { return write_through_; }
  /// Asynchronous events the host wants: SMART critical warning bits in 7:0.
  [[nodiscard]] std::uint32_t wanted_events() const;

  /// Data of feature 0Eh (figure 331): milliseconds since 1970 in 48 bits, origin in byte 6.
  void set_timestamp(const std::uint8_t* data);
  void write_timestamp(std::uint8_t* data) const;

 private:
  Outcome get_special(const nvme::Sqe& sqe, std::uint32_t select) const;
  Outcome set_special(const nvme::Sqe& sqe);
  Outcome set_queues(std::uint32_t cdw11);
  Outcome set_threshold(std::uint32_t cdw11);
  Outcome get_threshold(std::uint32_t cdw11, bool defaults) const;
  void apply(std::uint32_t row);
  [[nodiscard]] bool supported(std::uint8_t id) const;
  static std::uint16_t check_namespace(std::uint8_t id, std::uint32_t nsid);

  Parts parts_{};
  std::uint32_t values_[kSimple] = {};
  bool write_through_ = false;
  std::uint64_t timestamp_ms_ = 0;
  std::uint64_t timestamp_set_ps_ = 0;
  bool timestamp_by_host_ = false;
};

} // namespace twinplane::fw
