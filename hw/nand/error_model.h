// How many bits of a codeword are wrong when it is read. Off by default.
//
// rate = R(cycles) x type x (1 + disturb) x (1 + retention) x (1 + reads) x level, at most one half
//
//   R(cycles)  table over program/erase cycles, logarithms interpolated, beyond the table its last slope. The
//              two points of the default are the exponential 1e-5 exp(cycles / 1200.4): 2.8e-4 at 4000 cycles
//              is the conventional rate of the IPU paper (after Zhang et al., FAST 2016); 1e-5 is assumed.
//   type       upper^t for page type t: with a Gray code page type t is told apart at 2^t thresholds, each of
//              which can be misread (derived). Blocks in SLC mode have type 0.
//   disturb    partial x n / 3 x cycles / 4000, n = partial programs that came after the data: those of the
//              page itself count 1, those of the next wordlines `neighbour` (assumed). Three at 4000 cycles
//              make 3.8e-4, the paper's rate of partial programming. A page's first program is part of R.
//   retention  r x (t / 30 days)^p: charge leaks fast at first, slowly later (Cai et al., HPCA 2015:
//              retention dominates); the law and its numbers are the
//              user's.
//   reads      of the block since its erase, linear (Cai et al., DSN 2015); the number is the user's.
//   level      a factor of each read level (feature 89h): a retry reads with better thresholds. The user's;
//              halving from level to level is assumed.
//
// Every answer is a pure function of the seed and of what is asked about: place, erase count, which read of
// the page it is and which codeword. No answer depends on those before it.
#pragma once

#include <cstdint>

#include "hw/core/onfi_tenure.h"
#include "hw/nand/nand_config.h"

namespace twinplane::hw {

/// What a sector has been through when it is read.
struct CellHistory {
  std::uint32_t erases = 0; // of its block, in this run
  PageType type = 0;
  double disturbs = 0; // the n of above
  double age = 0;      // in days
  std::uint64_t block_reads = 0;
  std::uint32_t level = 0;
};

/// Which read of which page.
struct ReadPlace {
  std::uint32_t plane = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  std::uint32_t erases = 0;
  std::uint64_t read = 0; // number of reads of the page before, since its block's erase
};

class ErrorModel {
 public:
  ErrorModel(const NandConfig& config, std::uint32_t lun);

  bool on() const { return errors_.reading != ErrorReading::off; }
  double rate(const CellHistory& history) const;
  /// The same without the disturbance of partial programs, for sectors that differ in nothing else.
  double undisturbed_rate(const CellHistory& history) const;
  double disturbance(std::uint32_t erases, double disturbs) const;

  /// What all draws of one read start from.
  std::uint64_t key(const ReadPlace& place) const;
  /// Wrong bits of codeword `number` of the page at this rate: the mean, or drawn from `key`.
  double codeword_errors(double rate, std::uint64_t key, std::uint32_t number) const;
  /// Of the codewords that the sectors of `mask` touch; `rates` has one entry per sector of the page, and so
  /// has `by_sector`, which takes the errors of each sector's worst codeword. `flips` (null: not wanted)
  /// takes the bits of the page's data that are wrong in the sectors of `mask`; only drawn errors are at
  /// places.
  RawErrors errors(const double* rates, std::uint32_t mask, std::uint64_t key, double* by_sector,
                   std::vector<std::uint32_t>* flips = nullptr) const;

  std::uint32_t codeword_bits() const { return codeword_bits_; }
  double neighbour() const { return errors_.neighbour; }
  double age() const { return errors_.age; }

 private:
  double table_rate(double cycles) const;
  struct Codeword {
    std::uint32_t number;
    std::uint32_t wrong; // bits
    std::uint32_t mask;  // sectors that are asked about
  };
  void place(const Codeword& codeword, std::uint64_t key, std::vector<std::uint32_t>& flips) const;
  double codeword_rate(const double* rates, std::uint32_t codeword) const;

  NandErrors errors_;
  std::uint64_t key_;
  std::uint32_t codeword_bits_;
  std::uint32_t codewords_; // of a page
  std::uint32_t sector_size_;
};

} // namespace twinplane::hw
