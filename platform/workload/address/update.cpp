// New addresses in scattered order, and updates of those used before.
#include <algorithm>

#include "platform/workload/address/address_model.h"
#include "platform/workload/permutation.h"

namespace twinplane::platform {
namespace {

/// Which requests are new is drawn so that exactly `addresses` of `requests` are (selection sampling, Knuth,
/// TAOCP 3.4.2, algorithm S). Updates choose evenly among the addresses used so far.
class UpdateAddress final : public AddressSampler {
 public:
  explicit UpdateAddress(const AddressRange& range)
      : scatter_(range.addresses, mix64(range.seed)), left_(range.requests) {}

  std::uint64_t draw(Random& random) override {
    const std::uint64_t new_left = scatter_.size() - used_;
    const bool is_new = used_ == 0 || (left_ != 0 && random.below(left_) < new_left);
    left_ -= left_ != 0 ? 1 : 0;
    return scatter_(is_new ? used_++ : random.below(used_));
  }

 private:
  Permutation scatter_;
  std::uint64_t used_ = 0;
  std::uint64_t left_;
};

} // namespace

std::unique_ptr<AddressSampler> make_update_address(const AddressSpec&, const AddressRange& range) {
  return std::make_unique<UpdateAddress>(range);
}

} // namespace twinplane::platform
