#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "platform/workload/address/address_model.h"

namespace twinplane::platform {

const std::vector<AddressModelRow>& address_models() {
  static const std::vector<AddressModelRow> kRows = {
      {"uniform", "every address alike", make_uniform_address},
      {"zipf", "scattered hot addresses, rank k in proportion to k^-`theta`", make_zipf_address},
      {"hot", "`regions`: percent of the requests and of the space", make_hot_address},
      {"histogram", "`histogram`: how many requests the most used addresses take, exactly",
       make_histogram_address},
      {"update", "the share `updates` goes to addresses used before, the rest to new ones",
       make_update_address},
  };
  return kRows;
}

std::unique_ptr<AddressSampler> make_address_model(const AddressSpec& spec, const AddressRange& range) {
  for (const AddressModelRow& row : address_models()) {
    if (spec.model == row.name) return row.make(spec, range);
  }
  throw std::logic_error("address model " + spec.model + " is in no table");
}

std::uint64_t distinct_addresses(const AddressSpec& spec, std::uint64_t requests, std::uint64_t positions) {
  std::uint64_t wanted = spec.addresses == 0 ? positions : spec.addresses;
  if (spec.model == "update") {
    wanted = static_cast<std::uint64_t>(std::llround(static_cast<double>(requests) * (1.0 - spec.updates)));
  }
  return std::clamp<std::uint64_t>(wanted, 1, positions);
}

} // namespace twinplane::platform
