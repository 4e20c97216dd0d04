#include "tests/nvme/prp_draw.h"

#include <algorithm>

namespace twinplane::test {

namespace {
constexpr std::uint64_t kPage = HostMemory::kPage;
constexpr std::uint32_t kEntries = kPage / 8; // of a list page
} // namespace

PagePool::PagePool(HostMemory& memory, std::uint64_t first) : memory_(memory), owned_(memory.pages()) {
  for (std::uint64_t page = first; page < memory.pages(); ++page) free_.push_back(page);
}

std::uint64_t PagePool::take(Draw& draw, std::uint8_t fill) {
  const std::uint32_t at = draw.below(free_.size());
  const std::uint64_t page = free_[at];
  free_[at] = free_.back();
  free_.pop_back();
  owned_[page] = true;
  std::memset(memory_.at(page * kPage), fill, kPage);
  return page;
}

void PagePool::give(const std::vector<std::uint64_t>& pages) {
  for (const std::uint64_t page : pages) {
    owned_[page] = false;
    memory_.refuse(page, false);
    free_.push_back(page);
  }
}

bool HostBuffer::reachable(std::uint32_t from, std::uint32_t count) const {
  const std::size_t first = (offset + from) / kPage;
  const std::size_t last = (offset + from + count - 1) / kPage;
  return first >= reachable_from && last < reachable_to && (broken < first || broken > last);
}

void HostBuffer::put(HostMemory& memory, std::uint32_t from, const std::uint8_t* data,
                     std::uint32_t count) const {
  for (std::uint32_t done = 0; done < count;) {
    const std::uint64_t at = offset + from + done;
    const auto piece = static_cast<std::uint32_t>(std::min<std::uint64_t>(count - done, kPage - at % kPage));
    std::memcpy(memory.at(pages[at / kPage] * kPage + at % kPage), data + done, piece);
    done += piece;
  }
}

void HostBuffer::get(HostMemory& memory, std::uint32_t from, std::uint8_t* data, std::uint32_t count) const {
  for (std::uint32_t done = 0; done < count;) {
    const std::uint64_t at = offset + from + done;
    const auto piece = static_cast<std::uint32_t>(std::min<std::uint64_t>(count - done, kPage - at % kPage));
    std::memcpy(data + done, memory.at(pages[at / kPage] * kPage + at % kPage), piece);
    done += piece;
  }
}

HostBuffer PrpDraw::lay_out(nvme::Sqe& sqe, std::uint32_t bytes, PrpFault fault, std::uint8_t fill) {
  HostBuffer buffer;
  buffer.bytes = bytes;
  if (draw_.chance(50)) buffer.offset = draw_.chance(20) ? kPage - 4 : draw_.below(kEntries * 2) * 4;
  const std::uint64_t count = (buffer.offset + std::uint64_t{bytes} + kPage - 1) / kPage;
  for (std::uint64_t i = 0; i < count; ++i) buffer.pages.push_back(pool_.take(draw_, fill));
  buffer.reachable_to = count;
  sqe.prp1 = buffer.pages[0] * kPage + buffer.offset;
  sqe.prp2 = count > 1 || draw_.chance(50) ? 0 : draw_.word(); // not used by the command
  if (count == 2) {
    sqe.prp2 = buffer.pages[1] * kPage;
    if (fault == PrpFault::second_misaligned || fault == PrpFault::entry_misaligned)
      sqe.prp2 = break_entry(buffer, 1, PrpFault::entry_misaligned);
    if (fault == PrpFault::list_nowhere || fault == PrpFault::entry_nowhere)
      sqe.prp2 = break_entry(buffer, 1, PrpFault::entry_nowhere);
  }
  if (count > 2) write_list(sqe, buffer, fault);
  break_first(sqe, buffer, fault);
  return buffer;
}

void PrpDraw::break_first(nvme::Sqe& sqe, HostBuffer& buffer, PrpFault fault) {
  if (fault == PrpFault::first_misaligned) {
    sqe.prp1 |= 1 + draw_.below(3);
    buffer.status = nvme::status::prp_offset;
  } else if (fault == PrpFault::first_nowhere) {
    sqe.prp1 = nowhere() + buffer.offset;
    buffer.status = nvme::status::data_transfer_error;
  } else {
    return;
  }
  buffer.reachable_from = 1;
}

/// The entry of data page `page` with the fault in it.
std::uint64_t PrpDraw::break_entry(HostBuffer& buffer, std::size_t page, PrpFault fault) {
  buffer.broken = page;
  if (fault == PrpFault::entry_nowhere) {
    buffer.status = nvme::status::data_transfer_error;
    return nowhere();
  }
  buffer.status = nvme::status::prp_offset;
  return buffer.pages[page] * kPage + 1 + draw_.below(kPage - 1);
}

// The list starts anywhere in a page: often such that it ends with the page, or goes on in the next one.
void PrpDraw::write_list(nvme::Sqe& sqe, HostBuffer& buffer, PrpFault fault) {
  std::vector<std::uint64_t> entries;
  for (std::size_t i = 1; i < buffer.pages.size(); ++i) entries.push_back(buffer.pages[i] * kPage);
  if (fault == PrpFault::entry_misaligned || fault == PrpFault::entry_nowhere) {
    const std::size_t page = 1 + draw_.below(entries.size());
    entries[page - 1] = break_entry(buffer, page, fault);
  }
  buffer.lists.push_back(pool_.take(draw_, 0xEE));
  const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(kEntries - 1, entries.size()));
  const std::uint32_t start =
      draw_.chance(40) ? kEntries - 1 - draw_.below(most) : (draw_.chance(50) ? 0 : draw_.below(kEntries));
  std::uint64_t at = buffer.lists[0] * kPage + start * 8;
  sqe.prp2 = at;
  for (std::size_t i = 0; i < entries.size(); ++i, at += 8) {
    if (at % kPage == kPage - 8 &&
        i + 1 < entries.size()) { // the last place of the page points to the next one
      buffer.lists.push_back(pool_.take(draw_, 0xEE));
      std::uint64_t link = buffer.lists.back() * kPage;
      if (fault == PrpFault::link_misaligned || fault == PrpFault::link_nowhere) {
        const bool odd = fault == PrpFault::link_misaligned;
        buffer.status = odd ? nvme::status::prp_offset : nvme::status::data_transfer_error;
        if (buffer.reachable_to == buffer.pages.size()) buffer.reachable_to = i + 1;
        link = odd ? link + 8 : nowhere();
      }
      memory_.store(at, link);
      at = buffer.lists.back() * kPage;
    }
    memory_.store(at, entries[i]);
  }
  if (fault != PrpFault::second_misaligned && fault != PrpFault::list_nowhere) return;
  const bool odd = fault == PrpFault::second_misaligned;
  sqe.prp2 = odd ? sqe.prp2 + 1 + draw_.below(7) : nowhere() + draw_.below(kEntries - 100) * 8;
  buffer.status = odd ? nvme::status::prp_offset : nvme::status::data_transfer_error;
  buffer.reachable_to = 1;
}

} // namespace twinplane::test
