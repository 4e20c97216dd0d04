// Relocation inside the plane with a page type wanted.
//
//   ubs   drawn for each page by the free pages of each type (PA-SSD section 4.2)
//   slow  the slowest type: what is moved is a whole page, which PAPA does not give fast pages to
#include "firmware/ftl/features/page_types/free_page_draw.h"
#include "firmware/ftl/features/page_types/page_types.h"

namespace twinplane::fw {

namespace {

class ByFreePages final : public Relocation {
 public:
  ByFreePages(const BlockTable& blocks, const FtlConfig& config)
      : blocks_(blocks), types_(static_cast<std::uint32_t>(config.geometry.cell)), random_(~config.seed) {}

  Placement destination(Ppn source, std::uint64_t /*oob*/) override {
    const PageHint hint = draw_by_free_pages(random_, blocks_.free_pages_by_type(), types_);
    return Placement{blocks_.plane_of(source), Stream::relocation, hint};
  }

  void serialise(StateVisitor& state) override { state.value(random_); }

 private:
  const BlockTable& blocks_;
  std::uint32_t types_;
  Random random_;
};

class ToSlowPages final : public Relocation {
 public:
  ToSlowPages(const BlockTable& blocks, const FtlConfig& config)
      : blocks_(blocks), slowest_(static_cast<PageHint>(config.geometry.cell)) {}

  Placement destination(Ppn source, std::uint64_t /*oob*/) override {
    return Placement{blocks_.plane_of(source), Stream::relocation, slowest_};
  }

  void serialise(StateVisitor& /*state*/) override {}

 private:
  const BlockTable& blocks_;
  PageHint slowest_;
};

} // namespace

Relocation* make_ubs_relocation(BootMemory& memory, const BlockTable& blocks, const FtlConfig& config) {
  return memory.make<ByFreePages>(blocks, config);
}

Relocation* make_slow_relocation(BootMemory& memory, const BlockTable& blocks, const FtlConfig& config) {
  return memory.make<ToSlowPages>(blocks, config);
}

} // namespace twinplane::fw
