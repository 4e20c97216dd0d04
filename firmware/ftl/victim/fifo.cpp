// First in, first out: the block that was closed first. Blocks without an invalid page are passed
// over and keep their age.
#include "firmware/ftl/victim/scan.h"

namespace twinplane::fw {

namespace {

class Fifo final : public ScanningVictim {
 public:
  using ScanningVictim::ScanningVictim;

  std::uint32_t select(std::uint32_t domain) override {
    std::uint32_t best = kNoBlock;
    std::uint32_t best_age = 0;
    for (std::uint32_t block = 0; block < units_.blocks(); ++block) {
      if (!units_.reclaimable(domain, block)) continue;
      const std::uint32_t age = units_.age(domain, block);
      if (best != kNoBlock && age <= best_age) continue;
      best = block;
      best_age = age;
    }
    return best;
  }
};

} // namespace

VictimSelection* make_fifo_victim(const VictimContext& c) {
  return c.memory.make<Fifo>(c);
}

} // namespace twinplane::fw
