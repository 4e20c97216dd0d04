// The factory: our drive with the DRAM of this example.
#pragma once

#include <memory>

#include "banked_dram.h"
#include "platform/ssd/block_factory.h"

namespace examples {

/// Of "banks=4,row=2048,tRP=20": numbers of BankTiming by name, times in nanoseconds; what is not named keeps
/// its default. Throws std::invalid_argument that names what cannot be used.
BankTiming to_bank_timing(const char* options);

class BankedDramBlocks final : public twinplane::platform::BlockFactory {
 public:
  explicit BankedDramBlocks(const char* options = "") : timing_(to_bank_timing(options)) {}
  explicit BankedDramBlocks(const BankTiming& timing) : timing_(timing) {}

  std::unique_ptr<hw::DramBlock> make_dram(const char* name, const hw::DramConfig& config) override {
    auto dram = std::make_unique<BankedDram>(name, config, timing_);
    dram_ = dram.get();
    return dram;
  }
  /// The drive's; once it has been made.
  const BankedDram& dram() const { return *dram_; }

 private:
  BankTiming timing_;
  const BankedDram* dram_ = nullptr;
};

} // namespace examples
