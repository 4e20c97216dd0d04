// Decision: which of its start addresses the next request of a kind goes to.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "platform/workload/address_sampler.h"
#include "platform/workload/profile.h"

namespace twinplane::platform {

/// What the models draw from: addresses 0 to addresses - 1 in the order in which they lie on the drive.
struct AddressRange {
  std::uint64_t addresses = 1;
  std::uint64_t requests = 1; // how many will be drawn
  std::uint64_t seed = 1;
};

using MakeAddressModel = std::unique_ptr<AddressSampler> (*)(const AddressSpec& spec,
                                                             const AddressRange& range);

struct AddressModelRow {
  const char* name;
  const char* summary;
  MakeAddressModel make;
};

/// uniform   every address alike
/// zipf      hot addresses, scattered: P(rank k) ~ k^-theta
/// hot       regions of the space that take given shares of the requests
/// histogram how often each address is used follows a measured curve, exactly: the requests are a random
///           order of the histogram's, not draws from it, so that addresses used once are used once
/// update    a new address or, with the share `updates`, any of those used before
const std::vector<AddressModelRow>& address_models();

std::unique_ptr<AddressSampler> make_uniform_address(const AddressSpec& spec, const AddressRange& range);
std::unique_ptr<AddressSampler> make_zipf_address(const AddressSpec& spec, const AddressRange& range);
std::unique_ptr<AddressSampler> make_hot_address(const AddressSpec& spec, const AddressRange& range);
std::unique_ptr<AddressSampler> make_histogram_address(const AddressSpec& spec, const AddressRange& range);
std::unique_ptr<AddressSampler> make_update_address(const AddressSpec& spec, const AddressRange& range);

/// Requires a name of the table.
std::unique_ptr<AddressSampler> make_address_model(const AddressSpec& spec, const AddressRange& range);

/// Addresses that `requests` requests of the model start at, of at most `positions`.
std::uint64_t distinct_addresses(const AddressSpec& spec, std::uint64_t requests, std::uint64_t positions);

} // namespace twinplane::platform
