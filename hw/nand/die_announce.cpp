// What a die tells its observers: array operations of its planes and the edges of R/B#.
#include "hw/nand/die.h"

namespace twinplane::hw {

// In order of time: what happens at the same time comes together.
void Die::announce(TimePs busy_from) const {
  const NandConfig& c = context_.config;
  for (NandObserver* observer : context_.edge_observers) {
    observer->on_ready_busy(c.channel, c.chip, lun_, false, busy_from);
  }
  announce_running();
  for (NandObserver* observer : context_.edge_observers) {
    observer->on_ready_busy(c.channel, c.chip, lun_, true, busy_until_);
  }
}

void Die::announce_running() const {
  const std::uint32_t channel = context_.config.channel;
  const std::uint32_t count = running_.planes_in_group;
  std::uint32_t same = 1;
  while (same < count && running_.planes[same].page == running_.page) ++same;
  if (same == count) {
    for (NandObserver* observer : context_.observers) {
      observer->on_group(channel, running_, running_.planes.data());
    }
    return;
  }
  ArrayOperation operation = running_;
  for (std::uint32_t i = 0; i < count; ++i) {
    locate(operation, running_, i);
    for (NandObserver* observer : context_.observers) observer->on_array(channel, operation);
  }
}

void Die::announce_change(ArrayChange change, const Running& group, TimePs at, TimePs end) const {
  if (context_.observers.empty()) return;
  ArrayOperation operation = group;
  operation.request_tag = context_.request_tag;
  operation.start = at;
  operation.end = end;
  for (std::uint32_t i = 0; i < group.planes_in_group; ++i) {
    locate(operation, group, i);
    for (NandObserver* observer : context_.observers) {
      observer->on_array_change(context_.config.channel, change, operation);
    }
  }
}

void Die::announce_ready_busy(TimePs from, TimePs until) const {
  const NandConfig& c = context_.config;
  for (NandObserver* observer : context_.edge_observers) {
    observer->on_ready_busy(c.channel, c.chip, lun_, false, from);
    observer->on_ready_busy(c.channel, c.chip, lun_, true, until);
  }
}

} // namespace twinplane::hw
