// IPU: intra-page update. A page is programmed again only with new versions of the data in it, so that
// partial programming disturbs what is invalid or free. Data whose page is full go to a new page one level
// up, data that were not updated in their page go one level down when their block is collected, the last ones
// to native blocks.
#include "firmware/ftl/features/slc_cache/scheme.h"
#include "firmware/ftl/partition/write_cost.h"

namespace twinplane::fw {

namespace {

constexpr double kStampBytes = 4; // per page of the cache
constexpr double kLabelBits = 2;  // four levels

/// Bits that name a subpage of a page.
double offset_bits(double subpages) {
  double bits = 0;
  for (; subpages > 1; subpages /= 2) ++bits;
  return bits;
}

class Ipu final : public CacheScheme {
 public:
  explicit Ipu(const SchemeContext& c)
      : blocks_(c.blocks), map_(c.map), cold_(c.memory.array<ColdSubpages>(c.blocks.pages_per_block())) {}

  bool rewrites_in_place() const override { return true; }
  bool packs() const override { return false; }
  std::uint32_t level_of_update(std::uint32_t old) const override {
    return old == kCacheLevels ? old : old + 1;
  }
  std::uint32_t level_of_move(std::uint32_t level, bool updated) const override {
    return level - 1 + (updated ? 1 : 0);
  }

  double victim_score(std::uint32_t plane, std::uint32_t block, std::uint32_t clock) const override {
    const std::uint32_t pages = blocks_.region_pages(blocks_.block(plane, block).region);
    double sum = 0; // of intervals, over all subpages that hold something
    std::uint32_t count = 0;
    for (std::uint32_t page = 0; page < pages; ++page) {
      const PageRecord& p = map_.page(blocks_.ppn(plane, block, page));
      const auto interval = static_cast<double>(clock - p.stamp); // modulo 2^32
      sum += interval * p.used;
      if (p.valid != 0 && p.updated == 0) cold_[count++] = ColdSubpages{bits_set(p.valid), interval};
    }
    const BlockSums& s = map_.sums(plane, block);
    const double weight = cold_weight(cold_, count, s.used == 0 ? 0 : sum / s.used);
    return invalid_subpage_ratio(s.used - s.valid, weight, pages * map_.units());
  }

  /// With a page map only the offset of the newest version in its page is to be kept.
  CacheFootprint footprint(const CacheSize& size) const override {
    const double pages = size.cache_blocks * size.pages_per_cache_block;
    const double offsets = size.native_by_subpage ? 0 : pages * offset_bits(size.subpages) / 8;
    return CacheFootprint{size.map_bytes() + offsets, size.cache_blocks * kLabelBits / 8,
                          pages * kStampBytes};
  }

 private:
  const BlockTable& blocks_;
  const UnitMap& map_;
  ColdSubpages* cold_; // scratch, by page
};

} // namespace

double cold_weight(const ColdSubpages* pages, std::uint32_t count, double mean) {
  if (!(mean > 0)) return 0; // nothing has happened since
  double sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += pages[i].count * one_minus_exp(pages[i].interval / mean);
  return sum;
}

CacheScheme* make_ipu_scheme(const SchemeContext& c) {
  return c.memory.make<Ipu>(c);
}

} // namespace twinplane::fw
