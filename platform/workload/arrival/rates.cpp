// Arrivals of one rate: none, linear, poisson.
#include <cmath>

#include "platform/workload/arrival/arrival_model.h"

namespace twinplane::platform {
namespace {

class NoArrival final : public ArrivalModel {
 public:
  std::uint64_t next(Random&) override { return 0; }
};

class LinearArrival final : public ArrivalModel {
 public:
  explicit LinearArrival(double gap_ns) : gap_ns_(gap_ns) {}
  std::uint64_t next(Random&) override {
    return static_cast<std::uint64_t>(static_cast<double>(issued_++) * gap_ns_);
  }

 private:
  double gap_ns_;
  std::uint64_t issued_ = 0;
};

class PoissonArrival final : public ArrivalModel {
 public:
  explicit PoissonArrival(double gap_ns) : gap_ns_(gap_ns) {}
  std::uint64_t next(Random& random) override {
    clock_ns_ -= std::log1p(-random.uniform()) * gap_ns_;
    return static_cast<std::uint64_t>(clock_ns_);
  }

 private:
  double gap_ns_;
  double clock_ns_ = 0.0;
};

} // namespace

std::unique_ptr<ArrivalModel> make_no_arrival(const ArrivalSpec&, std::uint64_t) {
  return std::make_unique<NoArrival>();
}

std::unique_ptr<ArrivalModel> make_linear_arrival(const ArrivalSpec& spec, std::uint64_t) {
  return std::make_unique<LinearArrival>(1e9 / spec.rate);
}

std::unique_ptr<ArrivalModel> make_poisson_arrival(const ArrivalSpec& spec, std::uint64_t) {
  return std::make_unique<PoissonArrival>(1e9 / spec.rate);
}

} // namespace twinplane::platform
