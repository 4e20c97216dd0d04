// FlashController: the bandwidth of the DRAM, which page data cross as the host's data do. Where all who use
// the DRAM together cannot ask for more than it has, nothing of this happens.
//
// Programs. DRAM is asked for the data of all planes when the arbiter would give the bus to the command. The
// tenure begins so late that its last byte is there when the bus wants it; until then the bus serves others.
// The data cross the bus at its own rate, and a tenure is never longer than the bus makes it.
//
// Reads. What leaves the bus is decoded, and goes to DRAM as it is decoded. There are two page buffers on the
// way: one takes in what comes over the bus while the other one empties into DRAM. A data out waits for one
// that is empty.
#include <algorithm>

#include "hw/controller/flash_controller.h"

namespace twinplane::hw {

/// When the DRAM that goes by addresses has given or taken what a plane moves, from or to its buffer.
TimePs FlashController::ask_dram(const OnfiPlane& plane, std::uint32_t buffer, bool write, TimePs at) {
  const std::uint64_t start =
      nominal_address(buffer, config_.data_mode, config_.geometry.sector_size) + plane.column;
  return dram_port_.reserve({start, builder_.data_of(plane.bytes), at, DramMaster::flash, write});
}

/// Asks for the data of the group, once. True when they come too late for a tenure at `at`.
bool FlashController::fetch_page_data(FlashGroup& group, TimePs at) {
  if (group.op() != FlashOp::program || group.data_at != 0) return false;
  builder_.operation(tenure_, group);
  std::uint64_t bytes = 0;
  TimePs there = at;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    bytes += tenure_.planes[i].bytes;
    if (!dram_port_.by_address()) continue;
    there = std::max(there, ask_dram(tenure_.planes[i], group.planes[i].buffer, false, at));
  }
  if (!dram_port_.by_address()) there = dram_port_.reserve(at, builder_.data_of(bytes));
  const TimePs crossing = config_.data_in.of(bytes);
  group.data_at = there > crossing ? there - crossing : 1;
  return group.data_at > at;
}

/// When the page data of the last tenure, which come out of the decoder from `decoded_from` to `decoded` and
/// go to `buffer`, are in DRAM.
TimePs FlashController::drain_page_data(TimePs decoded_from, TimePs decoded, std::uint32_t buffer) {
  const OnfiPlane& plane = tenure_.planes[0];
  const TimePs taken = dram_port_.by_address()
                           ? ask_dram(plane, buffer, true, decoded_from)
                           : dram_port_.reserve(decoded_from, builder_.data_of(plane.bytes));
  const TimePs drained = std::max(decoded, taken);
  drained_[page_buffer_] = drained;
  page_buffer_ ^= 1u;
  return drained;
}

} // namespace twinplane::hw
