// Randomised greedy ("d choices"): the best of d distinct random closed blocks (Li, Lee, Lui,
// SIGMETRICS'13; facts C4). Ties go to the block with fewer erases. d = 1 is random selection.
#include "firmware/ftl/random.h"
#include "firmware/ftl/victim/scan.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kMaxSet = 64;
constexpr std::uint32_t kDrawsPerMember = 32; // then the set stays smaller: hardly any block is closed

class RandomizedGreedy final : public ScanningVictim {
 public:
  RandomizedGreedy(const VictimContext& c, std::uint32_t d)
      : ScanningVictim(c), d_(d < kMaxSet ? d : kMaxSet), random_(c.config.seed) {}

  std::uint32_t select(std::uint32_t domain) override {
    std::uint32_t set[kMaxSet];
    std::uint32_t size = 0;
    std::uint32_t best = kNoBlock;
    for (std::uint32_t draws = d_ * kDrawsPerMember; size < d_ && draws != 0; --draws) {
      const std::uint32_t block = random_.below(units_.blocks());
      if (!units_.closed(domain, block) || member(set, size, block)) continue;
      set[size++] = block;
      if (best == kNoBlock || better(domain, block, best)) best = block;
    }
    if (best != kNoBlock && units_.reclaimable(domain, best)) return best;
    return next_reclaimable(domain,
                            random_.below(units_.blocks())); // moving a full block gains nothing
  }

  void serialise(StateVisitor& state) override { state.value(random_); }

 private:
  static bool member(const std::uint32_t* set, std::uint32_t size, std::uint32_t block) {
    for (std::uint32_t i = 0; i < size; ++i) {
      if (set[i] == block) return true;
    }
    return false;
  }

  bool better(std::uint32_t domain, std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t x = units_.invalid_data(domain, a);
    const std::uint64_t y = units_.invalid_data(domain, b);
    return x != y ? x > y : units_.erases(domain, a) < units_.erases(domain, b);
  }

  std::uint32_t d_;
  Random random_;
};

} // namespace

VictimSelection* make_rga_victim(const VictimContext& c) {
  return c.memory.make<RandomizedGreedy>(c, c.config.victim_d);
}

VictimSelection* make_random_victim(const VictimContext& c) {
  return c.memory.make<RandomizedGreedy>(c, 1u);
}

} // namespace twinplane::fw
