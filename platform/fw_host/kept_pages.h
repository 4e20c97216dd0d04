// Pages of the firmware's own, beside the cells: in data modes where a sector's content only stands for its
// bytes (fw::Hal::keep_page). By number; a page is had with the out-of-band word that it was programmed with.
// They last as cells do: over power cuts, and in saved drives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hw/spec/state_visitor.h"

namespace twinplane::platform {

class KeptPages {
 public:
  void keep(std::uint32_t ppn, std::uint64_t word, const std::uint8_t* bytes, std::uint32_t count) {
    pages_[ppn] = Page{word, std::vector<std::uint8_t>(bytes, bytes + count)};
  }
  bool fetch(std::uint32_t ppn, std::uint64_t word, std::uint8_t* bytes, std::uint32_t count) const {
    const auto page = pages_.find(ppn);
    if (page == pages_.end() || page->second.word != word || page->second.bytes.size() != count) return false;
    std::copy(page->second.bytes.begin(), page->second.bytes.end(), bytes);
    return true;
  }
  void drop(std::uint32_t first_ppn, std::uint32_t count) {
    pages_.erase(pages_.lower_bound(first_ppn), pages_.lower_bound(first_ppn + count));
  }

  void serialise(StateVisitor& state) {
    std::uint64_t count = pages_.size();
    state.value(count);
    auto page = pages_.begin();
    if (state.loading()) pages_.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint32_t ppn = 0;
      Page loaded;
      if (!state.loading()) ppn = page->first;
      Page& p = state.loading() ? loaded : (page++)->second;
      std::uint64_t bytes = p.bytes.size();
      state.value(ppn);
      state.value(p.word);
      state.value(bytes);
      if (state.loading() && bytes > kMostBytes) return state.refuse("a page of metadata is too long");
      p.bytes.resize(bytes);
      state.bytes(p.bytes.data(), bytes);
      if (state.loading()) pages_.emplace(ppn, std::move(p));
    }
  }

 private:
  static constexpr std::uint64_t kMostBytes = 1u << 20;
  struct Page {
    std::uint64_t word = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::map<std::uint32_t, Page> pages_;
};

} // namespace twinplane::platform
