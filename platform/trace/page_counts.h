// How often each 4 KiB page of a trace is read and written: an open-addressing hash table.
#pragma once

#include <cstdint>
#include <vector>

namespace twinplane::platform {

struct PageCount {
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  std::uint64_t page = kFree;
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
};

class PageCounts {
 public:
  PageCounts() : slots_(1024) {}

  /// The counts of `page`; valid until the next call.
  PageCount& at(std::uint64_t page) {
    if (2 * used_ >= slots_.size()) grow();
    PageCount& slot = probe(page);
    if (slot.page == PageCount::kFree) {
      slot.page = page;
      ++used_;
    }
    return slot;
  }

  std::uint64_t size() const { return used_; }
  /// In no useful order; slots of page kFree are empty.
  const std::vector<PageCount>& slots() const { return slots_; }

 private:
  PageCount& probe(std::uint64_t page) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = static_cast<std::size_t>(page * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (slots_[i].page != PageCount::kFree && slots_[i].page != page) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    std::vector<PageCount> old(slots_.size() * 2);
    old.swap(slots_);
    for (const PageCount& count : old) {
      if (count.page != PageCount::kFree) probe(count.page) = count;
    }
  }

  std::vector<PageCount> slots_;
  std::uint64_t used_ = 0;
};

} // namespace twinplane::platform
