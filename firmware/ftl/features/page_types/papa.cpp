// Classifiers of PAPA (MSST'20): fast pages for what will be read, completed and written again.
//
//   papa  a page that the request covers only in part: LSB (else CSB); a whole page: MSB (else CSB)
//   size  PAPA's rival: all pages of a small request LSB, of a larger one MSB
//
// Its other rival, fast pages first, is LFS. What is given when the wanted type is not there is up to
// the block allocation.
#include "firmware/ftl/features/page_types/page_types.h"

namespace twinplane::fw {

namespace {

constexpr PageHint kFastest = 1;

PageHint slowest(const FtlConfig& config) {
  return static_cast<PageHint>(config.geometry.cell);
}

class Papa final : public Classifier {
 public:
  explicit Papa(const FtlConfig& config) : slowest_(slowest(config)) {}

  PageHint classify(const Request& /*request*/, const DeviceState& /*state*/) override { return kAnyPage; }
  PageHint refine(PageHint /*request_hint*/, bool partial) const override {
    return partial ? kFastest : slowest_;
  }

 private:
  PageHint slowest_;
};

class SizeBased final : public Classifier {
 public:
  explicit SizeBased(const FtlConfig& config)
      : slowest_(slowest(config)),
        small_sectors_(config.small_request_pages * config.geometry.sectors_per_page()) {}

  PageHint classify(const Request& request, const DeviceState& /*state*/) override {
    return request.sectors <= small_sectors_ ? kFastest : slowest_;
  }
  PageHint refine(PageHint request_hint, bool /*partial*/) const override { return request_hint; }

 private:
  PageHint slowest_;
  std::uint32_t small_sectors_;
};

} // namespace

Classifier* make_papa_classifier(BootMemory& memory, const FtlConfig& config) {
  return memory.make<Papa>(config);
}

Classifier* make_size_classifier(BootMemory& memory, const FtlConfig& config) {
  return memory.make<SizeBased>(config);
}

} // namespace twinplane::fw
