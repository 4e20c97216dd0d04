// Out of order per die: reads > urgent garbage collection > writes > garbage collection > erase
// (the transaction order of MQSim's out-of-order scheduler, facts C2).
#include "firmware/ftl/scheduling/lane_choice.h"

namespace twinplane::fw {

namespace {

constexpr Lane kCalm[kLanes] = {Lane::read, Lane::write, Lane::gc_write, Lane::gc_read, Lane::erase};
constexpr Lane kUrgent[kLanes] = {Lane::read, Lane::erase, Lane::gc_write, Lane::gc_read, Lane::write};
constexpr std::uint32_t kWindow = 16; // bounds the cost of a deep queue

class ReadFirst final : public Scheduling {
 public:
  Lane pick(const DieView& die) const override { return first_of(die, die.urgent ? kUrgent : kCalm); }
  std::uint32_t window() const override { return kWindow; }
};

} // namespace

Scheduling* make_read_first_scheduling(BootMemory& memory, const FtlConfig& /*config*/) {
  return memory.make<ReadFirst>();
}

} // namespace twinplane::fw
