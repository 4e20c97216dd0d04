#include "hw/nand/die_announcer.h"

namespace twinplane::hw {

void DieAnnouncer::tell_edge(bool ready, TimePs at) const {
  const NandConfig& c = context_.config;
  for (NandObserver* observer : context_.edge_observers)
    observer->on_ready_busy(c.channel, c.chip, lun_, ready, at);
}

void DieAnnouncer::start(const ArrayGroup& group) const {
  const std::uint32_t channel = context_.config.channel;
  const std::uint32_t count = group.planes_in_group;
  std::uint32_t same = 1;
  while (same < count && group.planes[same].page == group.page) ++same;
  if (same == count) {
    for (NandObserver* observer : context_.observers) observer->on_group(channel, group, group.planes.data());
    return;
  }
  ArrayOperation operation = group;
  for (std::uint32_t i = 0; i < count; ++i) {
    locate(operation, group, i);
    for (NandObserver* observer : context_.observers) observer->on_array(channel, operation);
  }
}

void DieAnnouncer::change(ArrayChange change, const ArrayGroup& group, TimePs at, TimePs end) const {
  if (!observed()) return;
  ArrayOperation operation = group;
  operation.request_tag = context_.request_tag;
  operation.start = at;
  operation.end = end;
  for (std::uint32_t i = 0; i < group.planes_in_group; ++i) {
    locate(operation, group, i);
    for (NandObserver* observer : context_.observers)
      observer->on_array_change(context_.config.channel, change, operation);
  }
}

} // namespace twinplane::hw
