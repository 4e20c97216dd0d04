// Cost-benefit (Rosenblum, Ousterhout 1992, as used for flash by Kawaguchi 1995): the largest
// age * (1 - u) / (2 u), u = valid fraction, age since the block was closed in pages written.
#include "firmware/ftl/victim/scan.h"

namespace twinplane::fw {

namespace {

struct Score {
  std::uint64_t gain; // age * invalid data
  std::uint64_t cost; // valid data
};

/// a.gain / a.cost > b.gain / b.cost without a division; a cost of 0 is infinitely good.
bool better(const Score& a, const Score& b) {
  if (a.cost == 0 || b.cost == 0) return a.cost < b.cost;
  return a.gain * b.cost > b.gain * a.cost;
}

class CostBenefit final : public ScanningVictim {
 public:
  using ScanningVictim::ScanningVictim;

  std::uint32_t select(std::uint32_t domain) override {
    std::uint32_t best = kNoBlock;
    Score best_score{};
    for (std::uint32_t block = 0; block < units_.blocks(); ++block) {
      if (!units_.reclaimable(domain, block)) continue;
      const Score score = score_of(domain, block);
      if (best != kNoBlock && !better(score, best_score)) continue;
      best = block;
      best_score = score;
    }
    return best;
  }

 private:
  /// Of a superblock the mean of its units, rounded.
  Score score_of(std::uint32_t domain, std::uint32_t block) const {
    const std::uint64_t age = units_.age(domain, block) + 1u;
    const std::uint64_t data = units_.data(domain, block);
    return Score{age * (units_.invalid_data(domain, block) / units_.span()),
                 (data + units_.span() - 1) / units_.span()};
  }
};

} // namespace

VictimSelection* make_cost_benefit_victim(const VictimContext& c) {
  return c.memory.make<CostBenefit>(c);
}

} // namespace twinplane::fw
