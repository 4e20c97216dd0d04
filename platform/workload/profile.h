// A workload profile: what a real trace is like, in numbers, and enough of it to make requests like it.
//
// Shares are fractions of 1, sizes and offsets bytes, times nanoseconds, rates requests per second. The keys
// of the TOML form carry the same names (profile_loader.h); traces/README.md says how each built-in profile
// was fitted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/workload/workload_spec.h"

namespace twinplane::platform {

struct SizeWeight {
  std::uint32_t bytes = 4096;
  double weight = 1.0;
};

struct SizeSpec {
  std::string model = "mix"; // a name of size_models() (size/size_model.h)
  std::vector<SizeWeight> mix = std::vector<SizeWeight>(1);
  std::uint32_t smallest = 4096; // uniform: whole sectors of 512 bytes from `smallest` to `largest`
  std::uint32_t largest = 4096;
};

/// The `addresses` addresses that are used most take `requests` requests.
struct HistogramPoint {
  std::uint64_t addresses = 0;
  std::uint64_t requests = 0;
};

struct AddressSpec {
  std::string model = "uniform"; // a name of address_models() (address/address_model.h)
  std::uint64_t align = 4096;    // start addresses are multiples
  std::uint64_t addresses =
      0;                     // distinct start addresses of the whole trace; 0 = as many as fit the footprint
  double theta = 0.9;        // zipf: P(rank k) ~ k^-theta
  std::vector<Zone> regions; // hot: percent of the requests, percent of the addresses, by address
  std::vector<HistogramPoint>
      histogram;           // cumulated, both rising, ever more slowly; the last point is the whole
  double updates = 0.8;    // update: share of requests that hit an address used before
  double sequential = 0.0; // any model: share of requests that start where the last of their kind ended
};

struct KindSpec {
  SizeSpec size;
  AddressSpec address;
};

struct ArrivalSpec {
  std::string model = "none";               // a name of arrival_models() (arrival/arrival_model.h)
  double rate = 0.0;                        // requests per second on average
  double bias = 0.7;                        // b_model: share of the requests in the busier half
  double burst_rate = 5.0;                  // mmpp: rate within bursts, as a multiple of `rate`
  double burst_share = 0.1;                 // mmpp: share of the time in bursts
  std::uint64_t burst_length_ns = 10000000; // mmpp: mean length of a burst
};

struct Profile {
  static constexpr std::uint64_t kMostRequests = std::uint64_t{1} << 32;

  std::string name;
  std::string summary;                              // what it stands for, in one line
  std::uint64_t requests = 100000;                  // reads and writes of the whole trace
  double writes = 0.5;                              // share of the requests
  std::uint64_t footprint = std::uint64_t{1} << 30; // requests lie in [offset, offset + footprint)
  std::uint64_t offset = 0;
  std::uint64_t seed = 1;
  KindSpec read;
  KindSpec write;
  ArrivalSpec arrival;
};

/// What to change about a profile before it is played.
struct ProfileScale {
  /// 0 = all. The distinct addresses and the footprint shrink or grow alike, so that each address is used as
  /// often as in the whole trace; the rate stays, so the time shrinks as well.
  std::uint64_t requests = 0;
  std::uint64_t footprint = 0; // bytes; 0 = along with the requests
  double time = 1.0;           // arrival times are multiplied by it
};

/// Throws InputError for a scale that leaves nothing.
Profile scale(Profile profile, const ProfileScale& by);

} // namespace twinplane::platform
