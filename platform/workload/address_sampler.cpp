#include "platform/workload/address_sampler.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/workload/permutation.h"

namespace twinplane::platform {
namespace {

[[noreturn]] void refuse(const std::string& expected, double got) {
  throw InputError("random_distribution: expected " + expected + ", got " + std::to_string(got));
}

class UniformSampler final : public AddressSampler {
 public:
  explicit UniformSampler(std::uint64_t blocks) : blocks_(blocks) {}
  std::uint64_t draw(Random& random) override { return random.below(blocks_); }

 private:
  std::uint64_t blocks_;
};

/// Rejection-inversion (Hoermann and Derflinger, "Rejection-inversion to generate variates from monotone
/// discrete distributions", ACM TOMACS 6(3), 1996): exact for any number of blocks, nothing tabulated.
class ZipfSampler final : public AddressSampler {
 public:
  ZipfSampler(double theta, std::uint64_t blocks, std::uint64_t seed)
      : theta_(theta), one_minus_theta_(1.0 - theta), scatter_(blocks, seed) {
    if (!(theta > 0.0) || theta > 20.0) refuse("zipf:THETA with 0 < THETA <= 20", theta);
    low_ = integral(1.5) - 1.0;
    high_ = integral(static_cast<double>(blocks) + 0.5);
    accept_within_ = 2.0 - inverse(integral(2.5) - std::pow(2.0, -theta));
  }

  std::uint64_t draw(Random& random) override {
    const double last = static_cast<double>(scatter_.size());
    for (;;) {
      const double u = high_ + random.uniform() * (low_ - high_);
      const double x = inverse(u);
      const double rank = std::clamp(std::floor(x + 0.5), 1.0, last);
      if (rank - x <= accept_within_ || u >= integral(rank + 0.5) - std::pow(rank, -theta_)) {
        return scatter_(static_cast<std::uint64_t>(rank) - 1);
      }
    }
  }

 private:
  bool harmonic() const { return std::abs(one_minus_theta_) < 1e-9; }
  double integral(double x) const {
    return harmonic() ? std::log(x) : (std::pow(x, one_minus_theta_) - 1.0) / one_minus_theta_;
  }
  double inverse(double y) const {
    if (harmonic()) return std::exp(y);
    return std::pow(std::max(1.0 + y * one_minus_theta_, 0.0), 1.0 / one_minus_theta_);
  }

  double theta_;
  double one_minus_theta_;
  Permutation scatter_;
  double low_ = 0.0;
  double high_ = 0.0;
  double accept_within_ = 0.0;
};

/// fio's pareto is a power law: the rank is n u^p with p = log h / log(1-h), so that the lowest share h of
/// the ranks gets the share 1-h of the requests.
class ParetoSampler final : public AddressSampler {
 public:
  ParetoSampler(double h, std::uint64_t blocks, std::uint64_t seed) : scatter_(blocks, seed) {
    if (!(h > 0.0) || !(h < 1.0)) refuse("pareto:H with 0 < H < 1", h);
    power_ = std::log(h) / std::log(1.0 - h);
  }
  std::uint64_t draw(Random& random) override {
    const double rank = static_cast<double>(scatter_.size()) * std::pow(random.uniform(), power_);
    return scatter_(std::min(static_cast<std::uint64_t>(rank), scatter_.size() - 1));
  }

 private:
  Permutation scatter_;
  double power_ = 1.0;
};

/// Marsaglia's polar method; draws beyond the ends of the space are repeated.
class NormalSampler final : public AddressSampler {
 public:
  NormalSampler(double deviation_percent, std::uint64_t blocks)
      : middle_(static_cast<double>(blocks) / 2.0),
        deviation_(static_cast<double>(blocks) * deviation_percent / 100.0) {
    if (!(deviation_percent > 0.0) || deviation_percent > 100.0) {
      refuse("normal:DEVIATION with 0 < DEVIATION <= 100 (percent of the space)", deviation_percent);
    }
  }
  std::uint64_t draw(Random& random) override {
    for (;;) {
      const double u = 2.0 * random.uniform() - 1.0;
      const double v = 2.0 * random.uniform() - 1.0;
      const double r = u * u + v * v;
      if (r >= 1.0 || r == 0.0) continue;
      const double x = middle_ + deviation_ * u * std::sqrt(-2.0 * std::log(r) / r);
      if (x >= 0.0 && x < 2.0 * middle_) return static_cast<std::uint64_t>(x);
    }
  }

 private:
  double middle_;
  double deviation_;
};

class ZonedSampler final : public AddressSampler {
 public:
  ZonedSampler(const std::vector<Zone>& zones, std::uint64_t blocks) {
    double access = 0.0;
    double size = 0.0;
    std::uint64_t first = 0;
    for (const Zone& zone : zones) {
      if (zone.access_percent < 0.0 || zone.size_percent <= 0.0)
        refuse("zoned: positive sizes", zone.size_percent);
      access += zone.access_percent;
      size += zone.size_percent;
      const auto end = static_cast<std::uint64_t>(
          std::llround(static_cast<double>(blocks) * std::min(size, 100.0) / 100.0));
      if (end == first) refuse("zoned: at least one block per zone", zone.size_percent);
      parts_.push_back({access / 100.0, first, end - first});
      first = end;
    }
    if (std::abs(access - 100.0) > 1e-6) refuse("zoned: access shares that add up to 100", access);
    if (std::abs(size - 100.0) > 1e-6) refuse("zoned: size shares that add up to 100", size);
  }
  std::uint64_t draw(Random& random) override {
    const double u = random.uniform();
    std::size_t i = 0;
    while (i + 1 < parts_.size() && u >= parts_[i].access_until) ++i;
    return parts_[i].first + random.below(parts_[i].blocks);
  }

 private:
  struct Part {
    double access_until;
    std::uint64_t first;
    std::uint64_t blocks;
  };
  std::vector<Part> parts_;
};

} // namespace

std::unique_ptr<AddressSampler> make_address_sampler(const AddressDistribution& distribution,
                                                     std::uint64_t blocks, std::uint64_t seed) {
  using Kind = AddressDistribution::Kind;
  switch (distribution.kind) {
    case Kind::random:
      return std::make_unique<UniformSampler>(blocks);
    case Kind::zipf:
      return std::make_unique<ZipfSampler>(distribution.parameter, blocks, seed);
    case Kind::pareto:
      return std::make_unique<ParetoSampler>(distribution.parameter, blocks, seed);
    case Kind::normal:
      return std::make_unique<NormalSampler>(distribution.parameter, blocks);
    case Kind::zoned:
      return std::make_unique<ZonedSampler>(distribution.zones, blocks);
  }
  throw InputError("random_distribution: unknown kind");
}

} // namespace twinplane::platform
