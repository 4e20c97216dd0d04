// Sizes with weights.
#include "platform/workload/shuffled_bag.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform {
namespace {

std::vector<double> weights_of(const std::vector<SizeWeight>& mix) {
  std::vector<double> weights;
  for (const SizeWeight& entry : mix) weights.push_back(entry.weight);
  return weights;
}

class MixSize final : public SizeModel {
 public:
  MixSize(const std::vector<SizeWeight>& mix, std::uint64_t requests)
      : mix_(mix), bag_(weights_of(mix), requests) {}
  std::uint32_t draw(Random& random) override { return mix_[bag_.draw(random)].bytes; }

 private:
  std::vector<SizeWeight> mix_;
  ShuffledBag bag_;
};

} // namespace

std::unique_ptr<SizeModel> make_mix_size(const SizeSpec& spec, std::uint64_t requests) {
  return std::make_unique<MixSize>(spec.mix, requests);
}

} // namespace twinplane::platform
