#include "hw/host_if/prp.h"

#include <algorithm>

namespace twinplane::hw {

HostSegment PrpWalker::resolve_elsewhere(Slot& slot, std::uint32_t offset, Use& use) {
  const std::uint32_t position = static_cast<std::uint32_t>(slot.prp1 & kPageMask) + offset;
  const std::uint32_t page = position >> kPageShift;
  const std::uint32_t in_page = position & kPageMask;
  const std::uint64_t span = (slot.prp1 & kPageMask) + std::uint64_t{slot.data_bytes};
  const auto entries = static_cast<std::uint32_t>((span + kPageMask) >> kPageShift) - 1; // behind PRP1
  if (entries == 1) return in_page_at(slot.prp2, in_page);
  const std::uint16_t status = seek(slot, page - 1, entries, use.index_at(offset), use.call);
  if (status != nvme::status::success) return HostSegment{0, 0, status};
  return resolve_listed(slot, page - 1 - slot.list_first, in_page, use.call);
}

// Makes the list page that holds `entry` the current one.
std::uint16_t PrpWalker::seek(Slot& slot, std::uint32_t entry, std::uint32_t entries, std::uint32_t index,
                              HostCall& call) {
  if (slot.list_entries == 0 || entry < slot.list_first) {
    if ((slot.prp2 & (kEntryBytes - 1)) != 0) return nvme::status::prp_offset;
    slot.list_first = slot.list_entries = 0;
    enter(slot, slot.prp2, entries, index);
  }
  while (entry >= slot.list_first + slot.list_entries) {
    std::uint64_t next = 0;
    const std::uint64_t link = slot.list_address + std::uint64_t{slot.list_entries} * kEntryBytes;
    const HostAnswer answer = host_.read(link, &next, kEntryBytes, call);
    if (answer != HostAnswer::ok) return status_of(answer);
    if ((next & kPageMask) != 0) return nvme::status::prp_offset;
    enter(slot, next, entries, index);
  }
  return nvme::status::success;
}

/// Goes on to the list page at `address`, behind the current one.
void PrpWalker::enter(Slot& slot, std::uint64_t address, std::uint32_t entries, std::uint32_t index) {
  const auto room = static_cast<std::uint32_t>(kPageSize - (address & kPageMask)) / kEntryBytes;
  const std::uint32_t first = slot.list_first + slot.list_entries;
  const std::uint32_t remaining = entries - first;
  const bool more = remaining > room;
  const auto kind = address == slot.prp2 && first == 0 ? DmaNote::Kind::list : DmaNote::Kind::chained_list;
  slot.list_address = address;
  slot.list_first = first;
  slot.list_entries = more ? room - 1 : remaining;
  notes_.push_back(DmaNote{index, kind, (slot.list_entries + (more ? 1 : 0)) * kEntryBytes, &slot});
}

} // namespace twinplane::hw
