// Sizes with weights.
#include "platform/workload/size/size_model.h"
#include "platform/workload/urn.h"

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
      : mix_(mix), urn_(weights_of(mix), requests) {}
  std::uint32_t draw(Random& random) override { return mix_[urn_.draw(random)].bytes; }

 private:
  std::vector<SizeWeight> mix_;
  Urn urn_;
};

} // namespace

std::unique_ptr<SizeModel> make_mix_size(const SizeSpec& spec, std::uint64_t requests) {
  return std::make_unique<MixSize>(spec.mix, requests);
}

} // namespace twinplane::platform
