// Page-level mapping: 4 bytes per exported page. An entry holds PPN + 1, so zeroed memory means
// "unmapped" and table pages of never-written LPNs are never touched.
#include "firmware/ftl/mapping/mapping.h"

namespace twinplane::fw {

namespace {

class PageMapping final : public Mapping {
 public:
  PageMapping(BootMemory& memory, std::uint32_t exported_pages)
      : table_(memory.zeroed<std::uint32_t>(exported_pages)) {}

  Ppn lookup(std::uint32_t lpn) const override { return static_cast<Ppn>(table_[lpn] - 1); }

  Ppn exchange(std::uint32_t lpn, Ppn ppn) override {
    const auto old = static_cast<Ppn>(table_[lpn] - 1);
    table_[lpn] = static_cast<std::uint32_t>(ppn) + 1; // kNoPpn + 1 = 0
    return old;
  }

 private:
  std::uint32_t* table_;
};

} // namespace

Mapping* make_page_mapping(BootMemory& memory, std::uint32_t exported_pages) {
  return memory.make<PageMapping>(memory, exported_pages);
}

} // namespace twinplane::fw
