#include <algorithm>
#include <cmath>

#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/workload/profile.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform {
namespace {

std::uint64_t scaled(std::uint64_t value, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor));
}

void scale_kind(KindSpec& kind, double factor) {
  std::uint64_t& addresses = kind.address.addresses;
  if (addresses != 0) addresses = std::max<std::uint64_t>(1, scaled(addresses, factor));
}

} // namespace

Profile scale(Profile profile, const ProfileScale& by) {
  if (!(by.time > 0.0)) throw InputError(profile.name + ": time scale: expected more than 0");
  const std::uint64_t whole = profile.requests;
  if (by.requests != 0) profile.requests = by.requests;
  const double factor = static_cast<double>(profile.requests) / static_cast<double>(whole);
  scale_kind(profile.read, factor);
  scale_kind(profile.write, factor);
  const std::uint64_t read = largest_bytes(profile.read.size) + profile.read.address.align;
  const std::uint64_t write = largest_bytes(profile.write.size) + profile.write.address.align;
  if (by.footprint != 0) {
    profile.footprint = by.footprint;
    if (by.footprint < std::max(read, write)) {
      throw InputError(profile.name +
                       ": footprint: expected at least the largest request and its alignment, " +
                       format_quantity(Dimension::size, std::max(read, write)) + ", got " +
                       format_quantity(Dimension::size, by.footprint));
    }
  } else {
    profile.footprint = std::max({scaled(profile.footprint, factor), read, write});
  }
  profile.arrival.rate /= by.time;
  profile.arrival.burst_length_ns = scaled(profile.arrival.burst_length_ns, by.time);
  return profile;
}

} // namespace twinplane::platform
