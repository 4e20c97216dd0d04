#include "platform/workload/address_sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/error.h"
#include "platform/workload/falling_sampler.h"
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

/// Hot blocks, scattered: ranks of falling probability and a permutation that says where each rank lies.
class RankedSampler final : public AddressSampler {
 public:
  RankedSampler(std::function<double(std::uint64_t)> weight, std::uint64_t blocks, std::uint64_t seed)
      : ranks_(std::move(weight), blocks), scatter_(blocks, seed) {}
  std::uint64_t draw(Random& random) override { return scatter_(ranks_.draw(random)); }

 private:
  FallingSampler ranks_;
  Permutation scatter_;
};

std::unique_ptr<AddressSampler> make_zipf(double theta, std::uint64_t blocks, std::uint64_t seed) {
  if (!(theta > 0.0) || theta > 20.0) refuse("zipf:THETA with 0 < THETA <= 20", theta);
  const auto weight = [theta](std::uint64_t rank) {
    return std::pow(static_cast<double>(rank) + 1.0, -theta);
  };
  return std::make_unique<RankedSampler>(weight, blocks, seed);
}

/// fio's pareto is a power law: the ranks below x n get the share x^(1/p) with p = log h / log(1-h), so that
/// the lowest share h of the ranks gets the share 1-h of the requests.
std::unique_ptr<AddressSampler> make_pareto(double h, std::uint64_t blocks, std::uint64_t seed) {
  if (!(h > 0.0) || h > 0.5) refuse("pareto:H with 0 < H <= 0.5", h);
  const double power = std::log1p(-h) / std::log(h); // 1/p, at most 1
  const auto weight = [power](std::uint64_t rank) {
    // (rank+1)^power - rank^power without cancellation
    const double x = static_cast<double>(rank);
    return rank == 0 ? 1.0 : std::pow(x, power) * std::expm1(power * std::log1p(1.0 / x));
  };
  return std::make_unique<RankedSampler>(weight, blocks, seed);
}

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
      return make_zipf(distribution.parameter, blocks, seed);
    case Kind::pareto:
      return make_pareto(distribution.parameter, blocks, seed);
    case Kind::normal:
      return std::make_unique<NormalSampler>(distribution.parameter, blocks);
    case Kind::zoned:
      return std::make_unique<ZonedSampler>(distribution.zones, blocks);
    case Kind::sized:
      throw InputError("random_distribution: sized has no blocks: it depends on the request");
  }
  throw InputError("random_distribution: unknown kind");
}

} // namespace twinplane::platform
