// Which blocks are bad from the factory, and which programs, erases and reads fail.
//
// Every answer is a pure function of the seed and of what is asked about (place, erase count), so it
// depends neither on the order of operations nor on what else a run does. Wear: an erase of a block that
// has e erases, more than it is rated for, fails with (e / rated - 1)^3 on top of the configured
// probability, so half of the blocks of a part rated for 3000 cycles are gone after about 3500.
//
// Reads do not lose data: a page that fails at its default read level needs one of the retry levels
// (feature 89h), always the same until its block is erased.
#pragma once

#include <cstdint>

#include "hw/nand/nand_config.h"

namespace twinplane::hw {

class FaultModel {
 public:
  FaultModel(const NandConfig& config, std::uint32_t lun);

  /// False: nothing of the kind ever fails, no need to ask.
  bool reads_fail() const { return (factory_ | read_) != 0; }
  bool programs_fail() const { return (factory_ | program_) != 0; }
  /// Marked by the maker; the first block of every plane never is.
  bool factory_bad(std::uint32_t plane, std::uint32_t block) const;
  bool program_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                     std::uint32_t erases) const;
  bool erase_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t erases) const;
  /// The read level (0 .. kReadLevels - 1) at which the page can be read.
  std::uint32_t read_level(std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                           std::uint32_t erases) const;

 private:
  enum class Question : std::uint8_t { factory, program, erase, read, level };
  std::uint64_t draw(Question question, std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                     std::uint32_t erases) const;
  std::uint64_t wear(std::uint32_t erases) const;

  std::uint64_t key_;
  std::uint64_t factory_, program_, erase_, read_; // probabilities in 2^-63
  std::uint32_t endurance_;
};

} // namespace twinplane::hw
