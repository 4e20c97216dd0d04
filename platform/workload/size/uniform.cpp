// Whole sectors between two sizes.
#include "platform/workload/size/size_model.h"

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kSector = 512;

class UniformSize final : public SizeModel {
 public:
  explicit UniformSize(const SizeSpec& spec)
      : smallest_(spec.smallest), choices_((spec.largest - spec.smallest) / kSector + 1) {}
  std::uint32_t draw(Random& random) override {
    return smallest_ + static_cast<std::uint32_t>(random.below(choices_)) * kSector;
  }

 private:
  std::uint32_t smallest_;
  std::uint32_t choices_;
};

} // namespace

std::unique_ptr<SizeModel> make_uniform_size(const SizeSpec& spec, std::uint64_t) {
  return std::make_unique<UniformSize>(spec);
}

} // namespace twinplane::platform
