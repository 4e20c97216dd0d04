// Physically addressed queueing (Jung, Wilson, Kandemir, ISCA'12; facts C5): the oldest transaction
// of the die leads, reads before everything else, and the whole lane is searched for transactions
// that fit the same multi-plane command. With ftl.age_limit what has waited for longer goes first.
#include "firmware/ftl/scheduling/lane_choice.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kWindow = 256;

class Paq final : public Scheduling {
 public:
  explicit Paq(const FtlConfig& config) : limit_(config) {}
  Lane pick(const DieView& die) const override {
    const Lane overdue = limit_.overdue(die);
    if (overdue != Lane::none) return overdue;
    if (die.oldest[static_cast<std::uint32_t>(Lane::read)] != nullptr) return Lane::read;
    return oldest_of(die);
  }
  std::uint32_t window() const override { return kWindow; }

 private:
  AgeLimit limit_;
};

} // namespace

Scheduling* make_paq_scheduling(BootMemory& memory, const FtlConfig& config) {
  return memory.make<Paq>(config);
}

} // namespace twinplane::fw
