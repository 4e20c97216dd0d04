// First in, first out per die over all kinds of work. Only direct neighbours in a lane are joined to
// multi-plane commands.
#include "firmware/ftl/scheduling/lane_choice.h"

namespace twinplane::fw {

namespace {

class Fifo final : public Scheduling {
 public:
  explicit Fifo(std::uint32_t planes) : window_(planes - 1) {}
  Lane pick(const DieView& die) const override { return oldest_of(die); }
  std::uint32_t window() const override { return window_; }

 private:
  std::uint32_t window_;
};

} // namespace

Scheduling* make_fifo_scheduling(BootMemory& memory, const FtlConfig& config) {
  return memory.make<Fifo>(config.geometry.planes_per_die);
}

} // namespace twinplane::fw
