// Draws ranks whose probability falls with the rank, for any number of ranks, from small tables.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platform/workload/random.h"

namespace twinplane::platform {

/// The first ranks have a column each in an alias table (Walker, 1977; Vose, 1991). The others share columns:
/// runs of ranks so short that the weight changes by a few percent within one. A column stands for its first
/// weight times its length; a rank drawn from it is kept with probability weight / first weight, which takes
/// the exact weight only when the draw falls between the weights of the run's two ends. So the distribution
/// is exact and one draw costs a few dozen instructions.
class FallingSampler {
 public:
  /// `weight(rank)` is positive and does not rise with the rank, from 0 to ranks - 1. `ranks` is at least 1.
  FallingSampler(std::function<double(std::uint64_t)> weight, std::uint64_t ranks);

  std::uint64_t draw(Random& random) const {
    for (;;) {
      const std::uint64_t r = random.next();
      std::size_t i = static_cast<std::size_t>(scale_down(r, columns_.size()));
      const std::uint64_t fraction = r * columns_.size(); // what is left of r
      if (fraction >= columns_[i].keep_below) i = columns_[i].alias;
      const Column& column = columns_[i];
      if (column.ranks == 1) return column.first;
      const std::uint64_t rank = column.first + random.below(column.ranks);
      const double height = random.uniform();
      if (height < column.lowest || height < weight_(rank) / column.highest) return rank;
    }
  }

 private:
  struct Column {
    std::uint64_t keep_below = 0; // of 2^64: else the alias
    std::size_t alias = 0;
    std::uint64_t first = 0;
    std::uint64_t ranks = 1;
    double highest = 0.0; // weight of the first rank
    double lowest = 1.0;  // weight of the last rank / highest
  };
  void cut_into_columns(std::uint64_t ranks);
  void fill_alias_table();

  std::function<double(std::uint64_t)> weight_;
  std::vector<Column> columns_;
};

} // namespace twinplane::platform
