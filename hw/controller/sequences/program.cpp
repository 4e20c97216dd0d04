#include "hw/controller/sequences/program.h"

#include <algorithm>

#include "hw/controller/sequences/table.h"
#include "hw/core/dma_fence.h"

namespace twinplane::hw {

bool ProgramSequence::accept(FlashGroup& group) {
  if (!c_.addresses.pages_in_dram(group)) return false;
  c_.statistics.programs += group.count;
  return true;
}

// When the host data of all planes is in DRAM: the DMA ring is done in order, so the newest fence tells. The DMA
// engine can be held up by a full completion queue; then it cannot say yet, and the controller asks again a
// little later.
TimePs ProgramSequence::fence_time(FlashGroup& group, TimePs at) const {
  constexpr TimePs kRetry = us(1);
  std::uint32_t newest = 0;
  const auto take = [&newest](const FlashGroup& part) {
    for (std::uint32_t p = 0; p < part.count; ++p) {
      const std::uint32_t fence = part.planes[p].fence;
      if (fence != 0 && (newest == 0 || static_cast<std::int32_t>(fence - newest) > 0)) newest = fence;
    }
  };
  take(group);
  for (const FlashGroup* load = group.loads; load != nullptr; load = load->next) take(*load);
  if (newest == 0) return 0;
  const TimePs done = c_.fence->done_at(newest);
  group.fence_open = done == kNever;
  return group.fence_open ? at + kRetry : done;
}

TimePs ProgramSequence::tenure(DieQueue& die, TimePs at) {
  if (die.step != command) return has_result(die, at) ? conclude(die) : kNever;
  if (!compose(die, at)) return at;
  launch(die, at);
  return kNever;
}

/// For the bus cannot be faster than it is configured, and spare bytes come on top.
TimePs ProgramSequence::least_time_in(const FlashGroup& group) const {
  std::uint64_t sectors = 0;
  for (std::uint32_t i = 0; i < group.count; ++i)
    sectors += static_cast<std::uint32_t>(__builtin_popcount(group.planes[i].sector_mask));
  return c_.config.data_in.of(sectors * c_.config.geometry.sector_size);
}

StepPower ProgramSequence::power(const DieQueue& die, TimePs /*at*/) {
  const FlashGroup& group = *die.head;
  if (die.step != command || group.fence_open) return {}; // it is not known yet when its data come
  return {{c_.config.power.data_in, array_current(FlashOp::program, group.count), least_time_in(group), 0}};
}

std::unique_ptr<OpSequence> make_programs(const SequenceContext& context) {
  if (context.config.cache_programs) return make_cache_programs(context);
  return std::make_unique<ProgramSequence>(context);
}

} // namespace twinplane::hw
