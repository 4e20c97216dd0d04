// Hot and cold by size (BROMS, ComboFTL): requests of up to `ftl.hot_request` bytes are hot and ask for fast
// pages, larger ones are cold and ask for the slowest; all pages of a request alike.
#include "firmware/ftl/classifier/classifier.h"

namespace twinplane::fw {

namespace {

class HotBySize final : public Classifier {
 public:
  explicit HotBySize(const FtlConfig& config)
      : bytes_(config.region.hot_bytes), sector_(config.geometry.sector_size), cold_(cold_page(config)) {}

  PageHint classify(const Request& request, const DeviceState& /*state*/) override {
    return std::uint64_t{request.sectors} * sector_ <= bytes_ ? PageHint{1} : cold_;
  }
  PageHint refine(PageHint request_hint, bool /*partial*/) const override { return request_hint; }

 private:
  std::uint64_t bytes_;
  std::uint32_t sector_;
  PageHint cold_;
};

} // namespace

Classifier* make_hot_size_classifier(BootMemory& memory, const FtlConfig& config) {
  return memory.make<HotBySize>(config);
}

} // namespace twinplane::fw
