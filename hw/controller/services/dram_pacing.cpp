#include "hw/controller/services/dram_pacing.h"

#include <algorithm>
#include <utility>

namespace twinplane::hw {

/// When the DRAM that goes by addresses has given or taken what a plane moves, from or to its buffer.
TimePs DramPacing::ask(const OnfiPlane& plane, std::uint32_t buffer, bool write, TimePs at) {
  const std::uint64_t start =
      nominal_address(buffer, config_.data_mode, config_.geometry.sector_size) + plane.column;
  return port_.reserve({start, builder_.data_of(plane.bytes), at, DramMaster::flash, write});
}

bool DramPacing::fetch(FlashGroup& group, OnfiTenure& tenure, TimePs at) {
  builder_.operation(tenure, group);
  const std::uint64_t bytes = tenure.page_bytes();
  TimePs there = port_.by_address() ? at : port_.reserve(at, builder_.data_of(bytes));
  for (std::uint32_t i = 0; i < group.count && port_.by_address(); ++i)
    there = std::max(there, ask(tenure.planes[i], group.planes[i].buffer, false, at));
  const TimePs crossing = config_.data_in.of(bytes);
  group.data_at = there > crossing ? there - crossing : 1;
  return group.data_at > at;
}

TimePs DramPacing::drain(const OnfiPlane& plane, TimePs decoded_from, TimePs decoded, std::uint32_t address) {
  const TimePs taken = port_.by_address() ? ask(plane, address, true, decoded_from)
                                          : port_.reserve(decoded_from, builder_.data_of(plane.bytes));
  drained_[buffer_] = std::max(decoded, taken);
  return drained_[std::exchange(buffer_, buffer_ ^ 1u)];
}

TimePs DramPacing::store(std::uint32_t address, std::uint32_t bytes, TimePs from) {
  if (!paced_) return 0;
  const std::uint64_t start = nominal_address(address, config_.data_mode, config_.geometry.sector_size);
  return port_.reserve({start, bytes, from, DramMaster::flash, true});
}

} // namespace twinplane::hw
