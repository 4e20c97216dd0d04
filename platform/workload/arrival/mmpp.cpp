// Two-state Markov-modulated Poisson process.
#include <cmath>

#include "platform/workload/arrival/arrival_model.h"

namespace twinplane::platform {
namespace {

class MmppArrival final : public ArrivalModel {
 public:
  explicit MmppArrival(const ArrivalSpec& spec) {
    const double share = spec.burst_share;
    const double length = static_cast<double>(spec.burst_length_ns);
    const double per_ns = spec.rate * 1e-9;
    states_[0] = {per_ns * (1.0 - spec.burst_rate * share) / (1.0 - share), length * (1.0 - share) / share};
    states_[1] = {per_ns * spec.burst_rate, length};
  }

  std::uint64_t next(Random& random) override {
    if (!started_) enter(0, random);
    started_ = true;
    for (;;) {
      const State& state = states_[state_];
      const double gap = state.per_ns > 0.0 ? exponential(random) / state.per_ns : INFINITY;
      if (clock_ns_ + gap < until_ns_) {
        clock_ns_ += gap;
        return static_cast<std::uint64_t>(clock_ns_);
      }
      clock_ns_ = until_ns_; // memoryless: what was drawn for this state counts for nothing in the next
      enter(1 - state_, random);
    }
  }

 private:
  struct State {
    double per_ns = 0.0;
    double length_ns = 0.0;
  };

  static double exponential(Random& random) { return -std::log1p(-random.uniform()); }

  void enter(std::size_t state, Random& random) {
    state_ = state;
    until_ns_ = clock_ns_ + exponential(random) * states_[state].length_ns;
  }

  State states_[2]; // quiet, burst
  std::size_t state_ = 0;
  bool started_ = false;
  double clock_ns_ = 0.0;
  double until_ns_ = 0.0;
};

} // namespace

std::unique_ptr<ArrivalModel> make_mmpp_arrival(const ArrivalSpec& spec, std::uint64_t) {
  return std::make_unique<MmppArrival>(spec);
}

} // namespace twinplane::platform
