// An ECC engine of one's own: two channels share an iterative decoder, which runs at its own clock, takes as
// many iterations as the worst codeword has wrong bits, and gives up after a limit. An engine says at once
// when it is done with what it is given, so one that several channels share keeps its time as a reservation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "hw/controller/ecc_block.h"
#include "hw/core/reservation.h"
#include "platform/ssd/block_factory.h"

namespace examples {

namespace hw = twinplane::hw;

/// What the channels of a pair have in common.
struct SharedDecoder {
  hw::Reservation time;
};

class SharedEcc final : public hw::EccBlock, private hw::EccStage {
 public:
  static constexpr twinplane::TimePs kIteration = twinplane::us(2);
  static constexpr std::uint32_t kMostIterations = 40;

  SharedEcc(const sc_core::sc_module_name& name, std::shared_ptr<SharedDecoder> decoder)
      : EccBlock(name), decoder_(std::move(decoder)) {
    stage.bind(*this);
  }
  /// It does something only when it is asked.
  bool has_external_events() const override { return false; }
  /// Its own use of the decoder.
  twinplane::TimePs busy() const override { return busy_; }

 private:
  hw::EccResult decode(const hw::EccInput& input) override {
    const auto wrong = static_cast<std::uint32_t>(std::min(input.errors.worst, 1e6));
    const std::uint32_t iterations = 1 + std::min(wrong, kMostIterations);
    hw::EccResult result;
    result.latency = decoder_->time.book(input.at, iterations * kIteration) - input.at;
    busy_ += iterations * kIteration;
    result.uncorrectable = wrong > kMostIterations;
    result.failed = result.uncorrectable ? input.sectors : 0;
    if (!result.uncorrectable) result.corrected_bits = hw::whole_bits(input.errors.total);
    return result;
  }

  std::shared_ptr<SharedDecoder> decoder_;
  twinplane::TimePs busy_ = 0;
};

/// Channels 0 and 1 share a decoder, 2 and 3, and so on. A factory serves one drive.
class SharedEccBlocks final : public twinplane::platform::BlockFactory {
 public:
  explicit SharedEccBlocks(const char* /*options*/ = "") {}

  std::unique_ptr<hw::EccBlock> make_ecc(const char* name, std::uint32_t channel,
                                         const hw::EccConfig&) override {
    std::shared_ptr<SharedDecoder>& decoder = decoders_[channel / 2];
    if (decoder == nullptr) decoder = std::make_shared<SharedDecoder>();
    return std::make_unique<SharedEcc>(name, decoder);
  }

 private:
  std::map<std::uint32_t, std::shared_ptr<SharedDecoder>> decoders_;
};

} // namespace examples
