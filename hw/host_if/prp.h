// Physical region pages: where in host memory a byte of a command's data lies (NVMe 1.4 section 4.3).
//
// PRP1 may start anywhere in a page (dword aligned). Data that ends in the next page has that page in PRP2;
// longer data has in PRP2 a pointer to a list of pages. A list that does not fit in the rest of its page
// continues: the page's last entry points to the next list page. All pages but the first, and all list
// pages but the first, start at offset 0.
#pragma once

#include <cstdint>

#include "hw/host_if/dma_notes.h"
#include "hw/host_if/host_access.h"
#include "hw/host_if/slots.h"

namespace twinplane::hw {

/// Contiguous host memory from the asked byte to the end of its page.
struct HostSegment {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint16_t status = nvme::status::success; // else the segment is empty
};

class PrpWalker {
 public:
  PrpWalker(HostAccess& host, DmaNotes& notes) : host_(host), notes_(notes) {}

  /// For which descriptors addresses are wanted, and when.
  struct Use {
    std::uint32_t index = 0; // of the first one
    HostCall call;
    std::uint32_t begin = 0; // where its data begin in the command's, in bytes
    std::uint32_t piece = 0; // how many bytes each one has; 0: there is one only
    std::uint32_t index_at(std::uint32_t offset) const {
      return piece == 0 ? index : index + (offset - begin) / piece;
    }
  };
  /// Not a status: the address, or the data there, cannot be had without a thread.
  static constexpr std::uint16_t kLater = 0xFFFF;
  static std::uint16_t status_of(HostAnswer answer) {
    if (answer == HostAnswer::ok) return nvme::status::success;
    return answer == HostAnswer::later ? kLater : nvme::status::data_transfer_error;
  }

  /// Resolves byte `offset` < slot.data_bytes. List pages that had to be read for it are noted: their way
  /// over the link is booked with the descriptor.
  HostSegment resolve(Slot& slot, std::uint32_t offset, Use& use) {
    const std::uint32_t position = static_cast<std::uint32_t>(slot.prp1 & kPageMask) + offset;
    const std::uint32_t page = position >> kPageShift;
    const std::uint32_t in_page = position & kPageMask;
    if (page == 0) {
      if ((slot.prp1 & 3) != 0) return refused();
      return HostSegment{slot.prp1 + offset, kPageSize - in_page, nvme::status::success};
    }
    const std::uint32_t entry = page - 1 - slot.list_first; // wraps when it lies before the current list page
    if (entry < slot.list_entries) return resolve_listed(slot, entry, in_page, use.call);
    return resolve_elsewhere(slot, offset, use);
  }

  static constexpr std::uint32_t kPageShift = 12;
  static constexpr std::uint32_t kPageSize = 1u << kPageShift;

 private:
  static constexpr std::uint32_t kPageMask = kPageSize - 1;

  static HostSegment refused() { return HostSegment{0, 0, nvme::status::prp_offset}; }
  static constexpr std::uint32_t kEntryBytes = 8;
  static HostSegment in_page_at(std::uint64_t base, std::uint32_t in_page) {
    if ((base & kPageMask) != 0) return refused();
    return HostSegment{base + in_page, kPageSize - in_page, nvme::status::success};
  }
  /// Page of entry `entry` of the current list page.
  HostSegment resolve_listed(const Slot& slot, std::uint32_t entry, std::uint32_t in_page, HostCall& call) {
    std::uint64_t base = 0;
    const std::uint64_t place = slot.list_address + std::uint64_t{entry} * kEntryBytes;
    const HostAnswer answer = host_.read(place, &base, kEntryBytes, call);
    if (answer == HostAnswer::ok) return in_page_at(base, in_page);
    return HostSegment{0, 0, status_of(answer)};
  }
  HostSegment resolve_elsewhere(Slot& slot, std::uint32_t offset, Use& use);
  std::uint16_t seek(Slot& slot, std::uint32_t entry, std::uint32_t entries, std::uint32_t index,
                     HostCall& call);
  void enter(Slot& slot, std::uint64_t address, std::uint32_t entries, std::uint32_t index);

  HostAccess& host_;
  DmaNotes& notes_;
};

} // namespace twinplane::hw
