// Page-level mapping: 4 bytes per exported page. An entry holds PPN + 1, so zeroed memory means
// "unmapped" and table pages of never-written LPNs are never touched.
#include "firmware/ftl/map/page_map.h"

namespace twinplane::fw {

namespace {

class PageMapping : public Mapping {
 public:
  PageMapping(BootMemory& memory, std::uint32_t exported_pages)
      : table_(memory.zeroed<std::uint32_t>(exported_pages)), pages_(exported_pages) {}

  Ppn lookup(std::uint32_t lpn) const override { return static_cast<Ppn>(table_[lpn] - 1); }

  void lookup_run(std::uint32_t first, std::uint32_t count, Ppn* pages) const override {
    for (std::uint32_t n = 0; n < count; ++n) pages[n] = static_cast<Ppn>(table_[first + n] - 1);
  }

  Ppn exchange(std::uint32_t lpn, Ppn ppn) override {
    const auto old = static_cast<Ppn>(table_[lpn] - 1);
    table_[lpn] = static_cast<std::uint32_t>(ppn) + 1; // kNoPpn + 1 = 0
    return old;
  }

  void serialise(StateVisitor& state) override { state.table(table_, pages_); }

 protected:
  ~PageMapping() = default;
  std::uint32_t* table_;
  std::uint32_t pages_;
};

class PlainMapping final : public PageMapping {
  using PageMapping::PageMapping;
};

/// A class of its own, so that the others pay nothing for it.
class TouchingMapping final : public PageMapping {
 public:
  TouchingMapping(BootMemory& memory, std::uint32_t exported_pages)
      : PageMapping(memory, exported_pages), hal_(memory.hal()) {}

  Ppn lookup(std::uint32_t lpn) const override {
    hal_.touch(table_ + lpn, kMapEntryBytes, false);
    return PageMapping::lookup(lpn);
  }
  void lookup_run(std::uint32_t first, std::uint32_t count, Ppn* pages) const override {
    for (std::uint32_t n = 0; n < count; ++n) pages[n] = lookup(first + n);
  }
  Ppn exchange(std::uint32_t lpn, Ppn ppn) override {
    hal_.touch(table_ + lpn, kMapEntryBytes, true);
    return PageMapping::exchange(lpn, ppn);
  }

 private:
  Hal& hal_;
};

} // namespace

Mapping* make_page_mapping(BootMemory& memory, std::uint32_t exported_pages, bool touches) {
  if (touches) return memory.make<TouchingMapping>(memory, exported_pages);
  return memory.make<PlainMapping>(memory, exported_pages);
}

} // namespace twinplane::fw
