// random_distribution: which block the next random request goes to.
#pragma once

#include <cstdint>
#include <memory>

#include "platform/workload/random.h"
#include "platform/workload/workload_spec.h"

namespace twinplane::platform {

class AddressSampler {
 public:
  virtual ~AddressSampler() = default;
  /// A block in [0, blocks).
  virtual std::uint64_t draw(Random& random) = 0;
};

/// Hot blocks of zipf and pareto are scattered over the space by a seeded permutation, as fio scatters them
/// by a hash; zoned and normal go by address. Throws InputError on a parameter out of range.
std::unique_ptr<AddressSampler> make_address_sampler(const AddressDistribution& distribution,
                                                     std::uint64_t blocks, std::uint64_t seed);

} // namespace twinplane::platform
