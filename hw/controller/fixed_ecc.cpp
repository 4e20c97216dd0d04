#include "hw/controller/ecc.h"

namespace twinplane::hw {
namespace {

class FixedEcc final : public EccStage {
 public:
  explicit FixedEcc(TimePs latency) : latency_(latency) {}
  EccResult decode(const EccInput& input) override {
    EccResult result;
    result.latency = latency_;
    result.corrected_bits = whole_bits(input.errors.total);
    return result;
  }
  bool constant_latency() const override { return true; }

 private:
  TimePs latency_;
};

} // namespace

std::unique_ptr<EccStage> make_fixed_ecc(TimePs latency) {
  return std::make_unique<FixedEcc>(latency);
}

} // namespace twinplane::hw
