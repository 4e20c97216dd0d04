#include "firmware/ftl/checks/disputed_page.h"

namespace twinplane::fw {
namespace {

constexpr std::uint32_t kNowhere = BrokenRule::kNowhere;

class Search {
 public:
  Search(const FtlState& state, bool twice) : state_(state), blocks_(state.blocks), twice_(twice) {}

  TablePlace run() {
    const Geometry& g = blocks_.geometry();
    for (at_.plane = 0; at_.plane < g.planes(); ++at_.plane) {
      at_.block = kNowhere;
      if (agrees()) continue;
      for (at_.block = 0; at_.block < g.blocks_per_plane; ++at_.block) {
        if (!agrees() && find_page()) return at_;
      }
    }
    return TablePlace{};
  }

 private:
  /// Each valid page in the plane or block is named by one LPN.
  bool agrees() {
    at_.page = kNowhere;
    std::uint64_t difference = 0;
    for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
      if (is_here(page_of(lpn))) difference += page_hash(page_of(lpn));
    }
    for (std::uint32_t b = 0; b < blocks_.geometry().blocks_per_plane; ++b) {
      for (std::uint32_t page = blocks_.next_valid(at_.plane, b, 0); page < blocks_.pages_per_block();
           page = blocks_.next_valid(at_.plane, b, page + 1)) {
        const Ppn ppn = blocks_.ppn(at_.plane, b, page);
        if (is_here(ppn)) difference -= page_hash(ppn);
      }
    }
    return difference == 0;
  }

  bool find_page() {
    for (at_.page = 0; at_.page < blocks_.pages_per_block(); ++at_.page) {
      std::uint32_t names = 0;
      at_.lpn = kNowhere;
      for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
        if (!is_here(page_of(lpn))) continue;
        at_.lpn = lpn;
        ++names;
      }
      const bool valid = blocks_.valid(blocks_.ppn(at_.plane, at_.block, at_.page));
      if (twice_ ? names > 1 : names == 0 && valid) return true;
    }
    return false;
  }

  Ppn page_of(std::uint32_t lpn) const { return state_.policy.mapping->lookup(lpn); }

  bool is_here(Ppn ppn) const {
    return is_page(ppn) && blocks_.plane_of(ppn) == at_.plane &&
           (at_.block == kNowhere || blocks_.block_of(ppn) == at_.block) &&
           (at_.page == kNowhere || blocks_.page_of(ppn) == at_.page);
  }

  const FtlState& state_;
  const BlockTable& blocks_;
  bool twice_;
  TablePlace at_;
};

} // namespace

TablePlace find_disputed_page(const FtlState& state, bool twice) {
  return Search(state, twice).run();
}

} // namespace twinplane::fw
