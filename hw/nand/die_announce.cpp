// What a die tells its observers: array operations of its planes and the edges of R/B#.
#include "hw/nand/die.h"

namespace twinplane::hw {

namespace {

PlaneState plane_state(ArrayKind kind) {
  return kind == ArrayKind::read      ? PlaneState::reading
         : kind == ArrayKind::program ? PlaneState::programming
                                      : PlaneState::erasing;
}

} // namespace

ArrayOperation Die::describe(const Running& group) const {
  ArrayOperation operation;
  operation.chip = context_.config.chip;
  operation.lun = lun_;
  operation.state = plane_state(group.kind);
  operation.planes_in_group = group.count;
  operation.request_tag = context_.request_tag;
  operation.start = group.start;
  operation.end = group.end;
  return operation;
}

void Die::locate(ArrayOperation& operation, const Running& group, std::uint32_t i) const {
  const PlaneAddress& place = group.planes[i];
  operation.plane = place.plane;
  operation.block = place.block;
  operation.page = place.page;
  operation.page_type = group.kind == ArrayKind::erase ? PageType{0} : page_type(place, group.slc);
}

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
  ArrayOperation operation = describe(running_);
  locate(operation, running_, 0);
  std::uint32_t same = 1;
  while (same < running_.count && running_.planes[same].page == operation.page) ++same;
  if (same == running_.count) {
    for (NandObserver* observer : context_.observers) {
      observer->on_group(channel, operation, running_.planes.data());
    }
    return;
  }
  for (std::uint32_t i = 0; i < running_.count; ++i) {
    locate(operation, running_, i);
    for (NandObserver* observer : context_.observers) observer->on_array(channel, operation);
  }
}

void Die::announce_change(ArrayChange change, const Running& group, TimePs at, TimePs end) const {
  if (context_.observers.empty()) return;
  ArrayOperation operation = describe(group);
  operation.start = at;
  operation.end = end;
  for (std::uint32_t i = 0; i < group.count; ++i) {
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
