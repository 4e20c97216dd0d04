// Models that draw each address independently.
#include "platform/workload/address/address_model.h"

namespace twinplane::platform {
namespace {

std::unique_ptr<AddressSampler> sampler(const AddressDistribution& distribution, const AddressRange& range) {
  return make_address_sampler(distribution, range.addresses, range.seed);
}

} // namespace

std::unique_ptr<AddressSampler> make_uniform_address(const AddressSpec&, const AddressRange& range) {
  return sampler({AddressDistribution::Kind::random, 0.0, {}, {}}, range);
}

std::unique_ptr<AddressSampler> make_zipf_address(const AddressSpec& spec, const AddressRange& range) {
  return sampler({AddressDistribution::Kind::zipf, spec.theta, {}, {}}, range);
}

std::unique_ptr<AddressSampler> make_hot_address(const AddressSpec& spec, const AddressRange& range) {
  return sampler({AddressDistribution::Kind::zoned, 0.0, spec.regions, {}}, range);
}

} // namespace twinplane::platform
