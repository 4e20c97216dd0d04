// Baseline and MGA as IPU compares itself with them, what drives for consumers do, and the table of schemes.
//
// MGA: Feng, Feng, Yu, Tong, Liu, "Mapping granularity adaptive FTL based on flash page re-programming", DATE
// 2017.
#include "firmware/ftl/features/slc_cache/scheme.h"
#include "firmware/ftl/policies.h"

namespace twinplane::fw {

namespace {

/// Everything that is not moved to a higher level: what both have in common.
class OneLevel : public CacheScheme {
 public:
  bool rewrites_in_place() const override { return false; }
  std::uint32_t level_of_update(std::uint32_t /*old*/) const override { return kWork; }
  std::uint32_t level_of_move(std::uint32_t /*level*/, bool /*updated*/) const override { return 0; }

 protected:
  ~OneLevel() = default;
};

class Baseline final : public OneLevel {
 public:
  explicit Baseline(const SchemeContext& c) : blocks_(c.blocks) {}
  bool packs() const override { return false; }
  double victim_score(std::uint32_t plane, std::uint32_t block, std::uint32_t /*clock*/) const override {
    return blocks_.block(plane, block).invalid();
  }
  CacheFootprint footprint(const CacheSize& size) const override {
    return CacheFootprint{size.map_bytes(), 0, 0};
  }

 private:
  const BlockTable& blocks_;
};

/// Subpages of different logical pages are in a page.
class Packing : public OneLevel {
 public:
  explicit Packing(const SchemeContext& c) : map_(c.map) {}
  bool packs() const override { return true; }
  double victim_score(std::uint32_t plane, std::uint32_t block, std::uint32_t /*clock*/) const override {
    const BlockSums& s = map_.sums(plane, block);
    return s.used - s.valid;
  }
  /// The second level: logical and physical number of each subpage of the cache. Or one level, of all
  /// subpages.
  CacheFootprint footprint(const CacheSize& size) const override {
    if (size.native_by_subpage) return CacheFootprint{size.map_bytes(), 0, 0};
    const double subpages = size.cache_blocks * size.pages_per_cache_block * size.subpages;
    return CacheFootprint{size.map_bytes() + subpages * 2 * kMapEntry, 0, 0};
  }

 protected:
  ~Packing() = default;

 private:
  const UnitMap& map_;
};

class Mga final : public Packing {
 public:
  using Packing::Packing;
  bool appends() const override { return true; }
};

class Pslc final : public Packing {
 public:
  using Packing::Packing;
  bool fills_pages() const override { return true; }
};

struct SchemeRow {
  const char* name;
  CacheScheme* (*make)(const SchemeContext&);
};

constexpr SchemeRow kSchemes[] = {
    {"slc_cache", make_baseline_scheme},
    {"mga", make_mga_scheme},
    {"ipu", make_ipu_scheme},
    {"pslc", make_pslc_scheme},
};

} // namespace

CacheScheme* make_baseline_scheme(const SchemeContext& c) {
  return c.memory.make<Baseline>(c);
}

CacheScheme* make_mga_scheme(const SchemeContext& c) {
  return c.memory.make<Mga>(c);
}

CacheScheme* make_pslc_scheme(const SchemeContext& c) {
  return c.memory.make<Pslc>(c);
}

CacheScheme* make_cache_scheme(const SchemeContext& c, const char* regions) {
  for (const SchemeRow& row : kSchemes) {
    if (same_name(row.name, regions)) return row.make(c);
  }
  return nullptr;
}

} // namespace twinplane::fw
