// A feature from nothing: pages that the host reads often are moved to fast pages.
//
// It counts the reads of each LPN whose page is a slow one. After `read_hot.reads` of them the LPN is written again, as
// the drive does with pages that it rescues, with the hint that asks block allocation for a fast page, which
// `ftl.block_allocation = pa` follows. No file of the pipeline or of the platform names this feature.
#pragma once

#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

class ReadHot final : public Feature {
 public:
  static constexpr std::uint32_t kMostWaiting = 64; // LPNs; more are counted anew

  explicit ReadHot(const FtlConfig& config);
  [[nodiscard]] std::uint32_t hooks() const override { return hook_set(Hook::read); }
  void boot(BootMemory& memory, const Pipeline& pipeline) override;
  void host_read(std::uint32_t lpn, Ppn page, const FlashCompletion& c) override;
  bool step(bool admits) override;
  [[nodiscard]] bool idle() const override { return waiting_ == 0; }
  void serialise(StateVisitor& visitor) override;

 private:
  FtlState* state_ = nullptr;
  HostPath* host_ = nullptr;
  std::uint64_t* moved_ = nullptr; // LPNs that have been written again: a counter of the report
  std::uint8_t* reads_ = nullptr;  // by LPN, of its slow page
  std::uint8_t limit_;             // reads of a slow page until it is moved
  std::uint32_t lpns_[kMostWaiting] = {};
  std::uint32_t waiting_ = 0;
};

} // namespace twinplane::fw
