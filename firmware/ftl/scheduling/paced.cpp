// As read_first, but collection and the host's writes of a die take turns: while a die is collected the host may
// program as many pages as the moves of the collection have earned, each its share of what the collection gains. So
// the space that a victim yields is used up evenly while the next one is emptied, and neither waits for the other to end:
// token-based throttling of collection (MQSim-E, IEEE CAL 2022, throttles in the same way).
#include "firmware/ftl/scheduling/lane_choice.h"

namespace twinplane::fw {

namespace {

class Paced final : public Scheduling {
 public:
  explicit Paced(const FtlConfig& config) : limit_(config) {}
  Lane pick(const DieView& die) const override {
    const Lane overdue = limit_.overdue(die);
    if (overdue != Lane::none) return overdue;
    const Transaction* const erase = die.oldest[static_cast<std::uint32_t>(Lane::erase)];
    const bool write_waits_for_it = erase != nullptr && erase->traits->urgent;
    return first_of(die, die.credit > 0 && !write_waits_for_it ? kWritesNext : kCollectionNext);
  }
  bool paces() const override { return true; }
  std::uint32_t window() const override { return kLaneWindow; }

 private:
  AgeLimit limit_;
};

} // namespace

Scheduling* make_paced_scheduling(BootMemory& memory, const FtlConfig& config) {
  return memory.make<Paced>(config);
}

} // namespace twinplane::fw
