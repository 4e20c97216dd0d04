// ECC stage of a flash controller: what happens to page data between bus and DRAM.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// Outcome of decoding one page.
struct EccResult {
  TimePs latency = 0; // added to the read after its last byte left the bus
  std::uint16_t corrected_bits = 0;
  bool uncorrectable = false;
};

/// Decoding never blocks the bus: the stage is pipelined, its latency adds to the read only.
class EccStage {
 public:
  virtual ~EccStage() = default;
  /// `bytes` page bytes with `raw_bit_errors` wrong bits in the worst codeword.
  virtual EccResult decode(std::uint32_t bytes, std::uint32_t raw_bit_errors) = 0;
};

/// The same latency for every page, corrects everything.
std::unique_ptr<EccStage> make_fixed_ecc(TimePs latency);

} // namespace twinplane::hw
