#include <algorithm>
#include <cmath>
#include <string>

#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/workload/profile.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform {
namespace {

constexpr double kLongestSpan = 9e18;      // ns, 285 years: what 64 bits hold
constexpr double kLargestFootprint = 1e18; // bytes

void require(bool condition, const Profile& profile, const std::string& message) {
  if (!condition) throw InputError(profile.name + ": " + message);
}

std::uint64_t rounded(double value) {
  return static_cast<std::uint64_t>(std::llround(value));
}

void scale_addresses(KindSpec& kind, double factor) {
  std::uint64_t& addresses = kind.address.addresses;
  if (addresses == 0) return;
  addresses = std::max<std::uint64_t>(1, rounded(static_cast<double>(addresses) * factor));
}

/// Room for one request at an aligned address.
std::uint64_t smallest_footprint(const Profile& profile) {
  std::uint64_t bytes = 0;
  for (const KindSpec* kind : {&profile.read, &profile.write}) {
    bytes = std::max(bytes, largest_bytes(kind->size) + kind->address.align);
  }
  return bytes;
}

void scale_footprint(Profile& profile, std::uint64_t wanted, double factor) {
  const std::uint64_t smallest = smallest_footprint(profile);
  if (wanted != 0) {
    require(wanted >= smallest, profile,
            "footprint: expected at least the largest request and its alignment, " +
                format_quantity(Dimension::size, smallest) + ", got " +
                format_quantity(Dimension::size, wanted));
    profile.footprint = wanted;
    return;
  }
  const double bytes = static_cast<double>(profile.footprint) * factor;
  require(bytes <= kLargestFootprint, profile,
          "requests: the footprint goes along and would not fit 64 bits");
  profile.footprint = std::max(rounded(bytes), smallest);
}

} // namespace

Profile scale(Profile profile, const ProfileScale& by) {
  require(by.time >= 1e-9 && by.time <= 1e9, profile, "time scale: expected 1e-9 to 1e9");
  const std::uint64_t whole = profile.requests;
  if (by.requests != 0) profile.requests = by.requests;
  require(profile.requests <= Profile::kMostRequests, profile,
          "requests: expected at most " + std::to_string(Profile::kMostRequests) + ", got " +
              std::to_string(profile.requests));
  const double factor = static_cast<double>(profile.requests) / static_cast<double>(whole);
  scale_addresses(profile.read, factor);
  scale_addresses(profile.write, factor);
  scale_footprint(profile, by.footprint, factor);
  profile.arrival.rate /= by.time;
  profile.arrival.burst_length_ns = rounded(static_cast<double>(profile.arrival.burst_length_ns) * by.time);
  if (profile.arrival.model != "none") {
    const double span = static_cast<double>(profile.requests) * 1e9 / profile.arrival.rate;
    require(span <= kLongestSpan, profile, "arrival.rate: the requests would take more than 285 years");
  }
  return profile;
}

} // namespace twinplane::platform
