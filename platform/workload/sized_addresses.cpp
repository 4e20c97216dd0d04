#include "platform/workload/sized_addresses.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "platform/config/error.h"
#include "platform/workload/permutation.h"

namespace twinplane::platform {

SizedAddresses::SizedAddresses(const std::vector<SizedSpace>& spaces, std::uint64_t size,
                               std::uint64_t seed) {
  std::uint64_t largest = 1;
  for (const SizedSpace& space : spaces) largest = std::max<std::uint64_t>(largest, space.bytes);
  double percent = 0.0;
  std::uint64_t first = 0;
  for (const SizedSpace& space : spaces) {
    const std::string words = "random_distribution: sized: ";
    if (covers(space.bytes)) throw InputError(words + "expected one space for each size");
    percent += space.size_percent;
    if (!(space.size_percent > 0.0) || percent > 100.0 + 1e-6) {
      throw InputError(words + "expected shares of the space above 0 that add up to 100 at most");
    }
    const auto end = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(size) * std::min(percent, 100.0) / 100.0));
    const std::uint64_t last = percent < 100.0 - 1e-6 ? end / largest * largest : end;
    const std::uint64_t blocks = last > first ? (last - first) / space.bytes : 0;
    if (blocks == 0) {
      throw InputError(words + "expected room for a request of " + std::to_string(space.bytes) + " bytes");
    }
    AddressDistribution inside;
    if (space.theta != 0.0) {
      inside.kind = AddressDistribution::Kind::zipf;
      inside.parameter = space.theta;
    }
    spaces_.push_back({space.bytes, first, make_address_sampler(inside, blocks, mix64(seed + space.bytes))});
    first = last;
  }
}

const SizedAddresses::Space* SizedAddresses::find(std::uint32_t bytes) const {
  const auto found = std::find_if(spaces_.begin(), spaces_.end(),
                                  [bytes](const Space& space) { return space.bytes == bytes; });
  return found == spaces_.end() ? nullptr : &*found;
}

std::uint64_t SizedAddresses::draw(std::uint32_t bytes, Random& random) const {
  const Space& space = *find(bytes);
  return space.first + space.sampler->draw(random) * space.bytes;
}

} // namespace twinplane::platform
