// ECC stage of a flash controller: what happens to page data between bus and DRAM.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <systemc>

#include "hw/core/onfi_tenure.h"
#include "hw/core/reservation.h"
#include "hw/spec/reliability.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// Page data that has left the bus.
struct EccInput {
  std::uint32_t bytes = 0;
  RawErrors errors;          // of its codewords
  TimePs at = 0;             // its last byte
  std::uint32_t sectors = 0; // of the page, as a mask
  std::uint32_t soft = 0;    // further senses for soft decisions that were taken, this one among them
};

/// Outcome of decoding it.
struct EccResult {
  TimePs latency = 0; // from the last byte until the data is in DRAM
  std::uint16_t corrected_bits = 0;
  bool uncorrectable = false;
  std::uint32_t failed = 0; // sectors with codewords that could not be corrected, as a mask
};

/// `errors` in whole bits, as far as they can be told.
inline std::uint16_t whole_bits(double errors) {
  return static_cast<std::uint16_t>(std::min(errors + 0.5, 65535.0));
}

/// Decoding never blocks the bus: its latency adds to the read only.
class EccStage : public virtual sc_core::sc_interface {
 public:
  ~EccStage() override = default;
  /// In the order in which data leaves the bus.
  virtual EccResult decode(const EccInput& input) = 0;
  /// All decodes take the same time, so results come in the order of the data.
  virtual bool constant_latency() const { return false; }
  /// Further senses that soft decisions can use.
  virtual std::uint32_t soft_senses() const { return 0; }
  /// Time in which the engine could take in nothing else.
  virtual TimePs busy() const { return 0; }
};

/// The same latency for every page, corrects everything.
std::unique_ptr<EccStage> make_fixed_ecc(TimePs latency);

struct EccConfig {
  EccCode code = EccCode::fixed;
  TimePs fixed_latency = 0;
  std::uint32_t corrects = 40;       // wrong bits of a codeword, from one sense of the cells
  TimePs fastest = ns(500);          // decoding of a page without errors
  TimePs slowest = us(96) + ns(800); // ... of one with as many as can be corrected
  bool early_termination = true;     // false: decoding always takes the slowest time
  std::uint64_t throughput = 0;      // bytes per second that the engine takes in; 0: any
  std::uint32_t soft_corrects = 80;  // LDPC: wrong bits after all further senses
  std::uint32_t soft_senses = 3;     // LDPC: further senses; 0: hard decisions only
};

/// One engine: data waits for the engine to take in what came before, then is decoded in a pipeline.
///
/// BCH. Time after the intake: fastest + (slowest - fastest) e / corrects, e wrong bits in the worst
/// codeword; the bounds are those of the IPU paper, the line between them is assumed. More than `corrects`
/// are uncorrectable, found out in the slowest time.
///
/// LDPC. The same from hard decisions. When those fail, the flash controller takes further senses, whose data
/// come over the bus like any other and are decoded with those before; n of N senses correct
/// corrects + (soft_corrects - corrects) n / N (assumed).
std::unique_ptr<EccStage> make_ecc(const EccConfig& config);

} // namespace twinplane::hw
