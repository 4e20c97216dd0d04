// What a die tells its package's observers: array operations of its planes and the edges of R/B#.
#pragma once

#include "hw/nand/array_command.h"
#include "hw/nand/package_context.h"

namespace twinplane::hw {

class DieAnnouncer {
 public:
  DieAnnouncer(const PackageContext& context, std::uint32_t lun) : context_(context), lun_(lun) {}

  /// Operation and plane-dependent fields as observers see the group's plane `i`.
  void locate(ArrayOperation& operation, const ArrayGroup& group, std::uint32_t i) const {
    const PlaneAddress& place = group.planes[i];
    operation.plane = place.plane;
    operation.block = place.block;
    operation.page = place.page;
    operation.page_type = group.kind == ArrayKind::erase ? PageType{0} : context_.page_type(place, group.slc);
  }

  bool observed() const { return !context_.observers.empty(); }
  /// One of the observers looks at R/B#.
  bool watched() const { return !context_.edge_observers.empty(); }
  void ready_edge(bool ready, TimePs at) const {
    if (watched()) tell_edge(ready, at);
  }
  /// R/B# is low from `from` until `until`.
  void busy(TimePs from, TimePs until) const {
    ready_edge(false, from);
    ready_edge(true, until);
  }
  void start(const ArrayGroup& group) const;
  /// For each plane; the end that was announced no longer holds.
  void change(ArrayChange change, const ArrayGroup& group, TimePs at, TimePs end) const;

 private:
  void tell_edge(bool ready, TimePs at) const;

  const PackageContext& context_;
  std::uint32_t lun_;
};

} // namespace twinplane::hw
