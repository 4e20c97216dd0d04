// random_distribution=sized: requests of each size have a space of their own, as where small requests are
// those of one file and large ones those of another.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "platform/workload/address_sampler.h"

namespace twinplane::platform {

/// The spaces lie one after the other, each beginning at a multiple of the largest size; offsets in them are
/// multiples of the request's size from there. What they leave of the whole space is never drawn. Throws
/// InputError when a space has no room for a request of its size, and on shares beyond 100 percent.
class SizedAddresses {
 public:
  SizedAddresses(const std::vector<SizedSpace>& spaces, std::uint64_t size, std::uint64_t seed);

  /// Some space is for requests of that size.
  bool covers(std::uint32_t bytes) const { return find(bytes) != nullptr; }
  /// Where the next request of that size starts, in bytes. Requires covers().
  std::uint64_t draw(std::uint32_t bytes, Random& random) const;

 private:
  struct Space {
    std::uint32_t bytes;
    std::uint64_t first;
    std::unique_ptr<AddressSampler> sampler;
  };
  const Space* find(std::uint32_t bytes) const;

  std::vector<Space> spaces_;
};

} // namespace twinplane::platform
