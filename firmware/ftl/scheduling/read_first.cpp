// Out of order per die: reads > urgent garbage collection > writes > garbage collection > erase
// (the transaction order of MQSim's out-of-order scheduler, facts C2). With ftl.age_limit what has waited for
// longer goes before all of them.
#include "firmware/ftl/scheduling/lane_choice.h"

namespace twinplane::fw {

namespace {

class ReadFirst final : public Scheduling {
 public:
  explicit ReadFirst(const FtlConfig& config) : limit_(config) {}
  Lane pick(const DieView& die) const override {
    const Lane overdue = limit_.overdue(die);
    return overdue != Lane::none ? overdue : first_of(die, die.urgent ? kCollectionNext : kWritesNext);
  }
  bool minds_urgent() const override { return true; }
  std::uint32_t window() const override { return kLaneWindow; }

 private:
  AgeLimit limit_;
};

} // namespace

Scheduling* make_read_first_scheduling(BootMemory& memory, const FtlConfig& config) {
  return memory.make<ReadFirst>(config);
}

} // namespace twinplane::fw
