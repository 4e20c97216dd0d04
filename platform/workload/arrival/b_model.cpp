// The b-model: a cascade that splits requests unevenly between the halves of each interval. A stack of
// intervals still to come, one per level, is all it keeps.
#include <cmath>
#include <vector>

#include "platform/workload/arrival/arrival_model.h"

namespace twinplane::platform {
namespace {

class BModelArrival final : public ArrivalModel {
 public:
  BModelArrival(const ArrivalSpec& spec, std::uint64_t requests) : bias_(spec.bias) {
    const double span_ns = static_cast<double>(requests) * 1e9 / spec.rate;
    ahead_.push_back({0, static_cast<std::uint64_t>(std::llround(span_ns)), requests});
  }

  std::uint64_t next(Random& random) override {
    while (current_.requests == issued_) {
      if (ahead_.empty()) return last_;
      descend(random);
    }
    // A single request lies anywhere in its interval, more than one (too short to split) evenly.
    last_ = current_.requests == 1
                ? current_.begin + random.below(current_.length + 1)
                : current_.begin + current_.length * (2 * issued_ + 1) / (2 * current_.requests);
    ++issued_;
    return last_;
  }

 private:
  struct Interval {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
    std::uint64_t requests = 0;
  };
  static constexpr std::uint64_t kShortest = 1024; // ns

  /// Takes the next interval and splits it until it can be played.
  void descend(Random& random) {
    Interval interval = ahead_.back();
    ahead_.pop_back();
    while (interval.requests > 1 && interval.length >= kShortest) {
      const double share = random.below(2) == 0 ? bias_ : 1.0 - bias_;
      const double exact = static_cast<double>(interval.requests) * share;
      const auto whole = static_cast<std::uint64_t>(exact);
      const std::uint64_t first = whole + (random.uniform() < exact - static_cast<double>(whole) ? 1 : 0);
      const std::uint64_t half = interval.length / 2;
      const Interval second{interval.begin + half, interval.length - half, interval.requests - first};
      if (second.requests != 0) ahead_.push_back(second);
      interval = {interval.begin, half, first};
    }
    current_ = interval;
    issued_ = 0;
  }

  double bias_;
  std::vector<Interval> ahead_;
  Interval current_;
  std::uint64_t issued_ = 0; // of the current interval
  std::uint64_t last_ = 0;
};

} // namespace

std::unique_ptr<ArrivalModel> make_b_model_arrival(const ArrivalSpec& spec, std::uint64_t requests) {
  return std::make_unique<BModelArrival>(spec, requests);
}

} // namespace twinplane::platform
