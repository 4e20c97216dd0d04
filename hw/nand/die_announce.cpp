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

ArrayOperation Die::describe(const Running& group, std::uint32_t i) const {
  ArrayOperation operation;
  operation.chip = context_.config.chip;
  operation.lun = lun_;
  operation.plane = group.planes[i].plane;
  operation.state = plane_state(group.kind);
  operation.block = group.planes[i].block;
  operation.page = group.planes[i].page;
  operation.page_type = group.kind == ArrayKind::erase ? PageType{0} : page_type(group.planes[i], group.slc);
  operation.planes_in_group = group.count;
  operation.request_tag = context_.request_tag;
  operation.start = group.start;
  operation.end = group.end;
  return operation;
}

void Die::announce(TimePs busy_from) const {
  announce_ready_busy(busy_from, busy_until_);
  announce_running();
}

void Die::announce_running() const {
  for (std::uint32_t i = 0; i < running_.count; ++i) {
    const ArrayOperation operation = describe(running_, i);
    for (NandObserver* observer : context_.observers) observer->on_array(context_.config.channel, operation);
  }
}

void Die::announce_change(ArrayChange change, const Running& group, TimePs at, TimePs end) const {
  if (context_.observers.empty()) return;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    ArrayOperation operation = describe(group, i);
    operation.start = at;
    operation.end = end;
    for (NandObserver* observer : context_.observers) {
      observer->on_array_change(context_.config.channel, change, operation);
    }
  }
}

void Die::announce_ready_busy(TimePs from, TimePs until) const {
  const NandConfig& c = context_.config;
  for (NandObserver* observer : context_.observers) {
    observer->on_ready_busy(c.channel, c.chip, lun_, false, from);
    observer->on_ready_busy(c.channel, c.chip, lun_, true, until);
  }
}

} // namespace twinplane::hw
