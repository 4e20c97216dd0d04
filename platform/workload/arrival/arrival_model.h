// Decision: when the next request arrives.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "platform/workload/profile.h"
#include "platform/workload/random.h"

namespace twinplane::platform {

class ArrivalModel {
 public:
  virtual ~ArrivalModel() = default;
  /// Nanoseconds from the start; never falls.
  virtual std::uint64_t next(Random& random) = 0;
};

/// `requests` is how many will be drawn.
using MakeArrivalModel = std::unique_ptr<ArrivalModel> (*)(const ArrivalSpec& spec, std::uint64_t requests);

struct ArrivalModelRow {
  const char* name;
  const char* summary;
  MakeArrivalModel make;
};

/// none    all at 0, for closed loops
/// linear  at equal distances
/// poisson independent
/// mmpp    a Poisson process of two rates: bursts of exponential length, mean `burst_length`, take the share
///         `burst_share` of the time at `burst_rate` times the mean rate; the quiet time between them has
///         what is left (Fischer and Meier-Hellstern, 1993)
/// b_model a binary cascade: of each interval one half, chosen at random, gets the share `bias` of its
///         requests, down to single requests; bursty on every scale (Wang, Madhyastha, Chan, Papadimitriou
///         and Faloutsos, 2002). The number of requests and the span are exact.
const std::vector<ArrivalModelRow>& arrival_models();

std::unique_ptr<ArrivalModel> make_no_arrival(const ArrivalSpec& spec, std::uint64_t requests);
std::unique_ptr<ArrivalModel> make_linear_arrival(const ArrivalSpec& spec, std::uint64_t requests);
std::unique_ptr<ArrivalModel> make_poisson_arrival(const ArrivalSpec& spec, std::uint64_t requests);
std::unique_ptr<ArrivalModel> make_mmpp_arrival(const ArrivalSpec& spec, std::uint64_t requests);
std::unique_ptr<ArrivalModel> make_b_model_arrival(const ArrivalSpec& spec, std::uint64_t requests);

/// Requires a name of the table and, except for `none`, a rate above 0.
std::unique_ptr<ArrivalModel> make_arrival_model(const ArrivalSpec& spec, std::uint64_t requests);

} // namespace twinplane::platform
