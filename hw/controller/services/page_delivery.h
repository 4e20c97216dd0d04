// What happens to a page between the bus and its completion: the ECC engine decodes it, DRAM takes it, and its
// errors are counted. A page that cannot be corrected may be read again (read_retries.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/controller/bus_scheduler.h"
#include "hw/controller/ecc.h"
#include "hw/controller/group_pool.h"
#include "hw/controller/rings.h"
#include "hw/controller/services/dram_pacing.h"
#include "hw/controller/services/read_retries.h"

namespace twinplane::hw {

/// What `data`, out of a die for `d`, is worth after its decoding: its sectors that are not to be used, and why.
inline void set_result(FlashCompletion& completion, const FlashDescriptor& d, const OnfiPlane& data,
                       const EccResult& ecc = {}) {
  const std::uint32_t lost = data.lost & d.sector_mask;
  const bool uncorrectable = data.corrupt || ecc.uncorrectable || lost != 0;
  completion.oob = data.oob;
  completion.failed_sectors = (data.corrupt ? d.sector_mask : ecc.failed) | lost;
  if (d.sector_mask == 0 && !data.corrupt) completion.failed_sectors = data.lost;
  completion.result = static_cast<std::uint8_t>((data.blank ? flash_result::blank : 0) |
                                                (uncorrectable ? flash_result::uncorrectable : 0));
}

class PageDelivery {
 public:
  using EccPort = decltype(ControllerBlock::ecc_stage);

  /// What it works with.
  struct Parts {
    const BusScheduler& bus;
    Rings& rings;
    DramPacing& pacing;
    FlashControllerStatistics& statistics;
  };

  /// There is an engine inside when `port`, the controller's, is not bound.
  PageDelivery(const FlashControllerConfig& config, EccPort& port, const Parts& parts)
      : config_(config), port_(port), c_(parts), retries_(parts.rings, parts.statistics) {}
  /// Once the port is bound. `dram`: device DRAM.
  void connect(std::uint8_t* dram);
  bool constant_latency() const { return ecc_->constant_latency(); }

  /// The last tenure was data out of page `next_out` of the group, whose array took `array`: completes the page, or
  /// keeps it to be read again.
  void deliver(const DieQueue& die, FlashGroup& group, TimePs array);
  /// All pages of the group have left the die.
  void end(FlashGroup& group, GroupPool& groups) {
    group.retry == nullptr ? groups.release(group) : retries_.defer(group);
  }
  ReadRetries& retries() { return retries_; }

 private:
  EccResult decode(const EccInput& input);
  [[gnu::cold]] void check_latency(TimePs since, TimePs latency);
  void correct(std::uint32_t buffer, const std::vector<std::uint32_t>& flips, std::uint32_t failed);
  void count(const RawErrors& errors, bool for_host);

  const FlashControllerConfig& config_;
  EccPort& port_;
  const Parts c_;
  ReadRetries retries_;
  std::unique_ptr<EccStage> own_ecc_;
  EccStage* ecc_ = nullptr;
  std::uint8_t* dram_ = nullptr;
  TimePs decoded_until_ = 0; // of the pages that took longer than the timeout the latest end
};

} // namespace twinplane::hw
