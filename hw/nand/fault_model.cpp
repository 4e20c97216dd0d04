#include "hw/nand/fault_model.h"

#include <algorithm>

#include "hw/nand/mix.h"

namespace twinplane::hw {

namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 63;

std::uint64_t probability(double p) {
  return p >= 1 ? kOne : p <= 0 ? 0 : static_cast<std::uint64_t>(p * static_cast<double>(kOne));
}

} // namespace

FaultModel::FaultModel(const NandConfig& config, std::uint32_t lun)
    : key_(mix(config.faults.seed ^
               mix(std::uint64_t{config.channel} << 40 | std::uint64_t{config.chip} << 16 | lun))),
      factory_(probability(config.faults.factory_bad)),
      program_(probability(config.faults.program)),
      erase_(probability(config.faults.erase)),
      read_(probability(config.faults.read)),
      endurance_(config.faults.endurance) {}

/// Uniform below 2^63.
std::uint64_t FaultModel::draw(Question question, std::uint32_t plane, std::uint32_t block,
                               std::uint32_t page, std::uint32_t erases) const {
  const std::uint64_t place = std::uint64_t{static_cast<std::uint8_t>(question)} << 56 |
                              std::uint64_t{plane} << 48 | std::uint64_t{page} << 32 | block;
  return mix(key_ ^ mix(place ^ mix(erases))) >> 1;
}

/// (erases / rated - 1)^3 in 2^-63, at most 1.
std::uint64_t FaultModel::wear(std::uint32_t erases) const {
  if (endurance_ == 0 || erases <= endurance_) return 0;
  const std::uint64_t over = erases - endurance_;
  if (over >= endurance_) return kOne;
  const std::uint64_t x = (over << 20) / endurance_; // below 2^20
  return (x * x * x) << 3;
}

bool FaultModel::factory_bad(std::uint32_t plane, std::uint32_t block) const {
  return factory_ != 0 && block != 0 && draw(Question::factory, plane, block, 0, 0) < factory_;
}

bool FaultModel::program_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                               std::uint32_t erases) const {
  return program_ != 0 && draw(Question::program, plane, block, page, erases) < program_;
}

bool FaultModel::erase_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t erases) const {
  const std::uint64_t p = std::min(kOne, erase_ + wear(erases));
  return p != 0 && draw(Question::erase, plane, block, 0, erases) < p;
}

std::uint32_t FaultModel::read_level(std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                                     std::uint32_t erases) const {
  if (read_ == 0 || draw(Question::read, plane, block, page, erases) >= read_) return 0;
  return 1 +
         static_cast<std::uint32_t>(draw(Question::level, plane, block, page, erases) % (kReadLevels - 1));
}

} // namespace twinplane::hw
