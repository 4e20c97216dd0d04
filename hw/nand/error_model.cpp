#include "hw/nand/error_model.h"

#include <algorithm>
#include <cmath>

#include "hw/nand/mix.h"

namespace twinplane::hw {

namespace {

constexpr double kRatedPartials = 3;
constexpr double kMonth = 30;      // days
constexpr double kMostErrors = 64; // expected in a part of a codeword that is drawn at once
/// Expected in a codeword: from so many on, far more than any code corrects, the draw begins at the mode.
constexpr double kManyErrors = 1024;

/// Uniform, above 0 and below 1.
double uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

/// Binomial by inversion: the smallest k whose distribution function is not below `u`.
std::uint32_t binomial(std::uint32_t n, double p, double u) {
  if (p <= 0) return 0;
  const double odds = p / (1 - p);
  double share = std::exp(n * std::log1p(-p));
  std::uint32_t k = 0;
  while (u > share && k < n) {
    u -= share;
    ++k;
    share *= odds * (n - k + 1) / k;
  }
  return k;
}

/// The same distribution from the mode outwards, in as many steps as the standard deviation is wide.
std::uint32_t binomial_from_mode(std::uint32_t n, double p, double u) {
  const double odds = p / (1 - p);
  const auto mode = static_cast<std::uint32_t>((n + 1.0) * p);
  const double whole = n;
  const double at = mode;
  const double share = std::exp(std::lgamma(whole + 1) - std::lgamma(at + 1) - std::lgamma(whole - at + 1) +
                                at * std::log(p) + (whole - at) * std::log1p(-p));
  std::uint32_t below = mode;
  std::uint32_t above = mode;
  double low = share;
  double high = share;
  for (u -= share; u > 0 && (below != 0 || above != n);) {
    if (above != n) {
      ++above;
      high *= odds * (n - above + 1) / above;
      u -= high;
      if (u <= 0) return above;
    }
    if (below != 0) {
      low *= below / (odds * (n - below + 1));
      --below;
      u -= low;
      if (u <= 0) return below;
    }
  }
  return mode;
}

} // namespace

ErrorModel::ErrorModel(const NandConfig& config, std::uint32_t lun)
    : errors_(config.errors),
      key_(mix(~config.errors.seed ^
               mix(std::uint64_t{config.channel} << 40 | std::uint64_t{config.chip} << 16 | lun))),
      codeword_bits_((config.errors.codeword_bytes + config.errors.parity_bytes) * 8),
      codewords_(on() ? config.geometry.page_size / config.errors.codeword_bytes : 0),
      sector_size_(config.geometry.sector_size) {}

double ErrorModel::table_rate(double cycles) const {
  const auto& points = errors_.rates;
  std::size_t upper = 1;
  while (upper + 1 < points.size() && points[upper].cycles < cycles) ++upper;
  const NandErrors::Point& a = points[upper - 1];
  const NandErrors::Point& b = points[upper];
  return a.rate * std::pow(b.rate / a.rate, (cycles - a.cycles) / (b.cycles - a.cycles));
}

double ErrorModel::disturbance(std::uint32_t erases, double disturbs) const {
  if (disturbs == 0) return 0;
  const double cycles = static_cast<double>(errors_.cycles) + erases;
  return errors_.partial * disturbs / kRatedPartials * cycles / kRatedCycles;
}

double ErrorModel::undisturbed_rate(const CellHistory& h) const {
  double rate = table_rate(static_cast<double>(errors_.cycles) + h.erases) * std::pow(errors_.upper, h.type);
  if (errors_.retention != 0 && h.age != 0)
    rate *= 1 + errors_.retention * std::pow(h.age / kMonth, errors_.retention_power);
  rate *= 1 + errors_.read_disturb * static_cast<double>(h.block_reads) / 1000;
  return rate * errors_.levels[h.level];
}

double ErrorModel::rate(const CellHistory& h) const {
  return std::min(0.5, undisturbed_rate(h) * (1 + disturbance(h.erases, h.disturbs)));
}

std::uint64_t ErrorModel::key(const ReadPlace& p) const {
  const std::uint64_t place = std::uint64_t{p.plane} << 48 | std::uint64_t{p.page} << 32 | p.block;
  return mix(mix(key_ ^ mix(place ^ mix(p.erases))) ^ p.read);
}

double ErrorModel::codeword_errors(double rate, std::uint64_t key, std::uint32_t number) const {
  const double mean = rate * codeword_bits_;
  if (errors_.reading == ErrorReading::expected) return mean;
  if (mean > kManyErrors)
    return binomial_from_mode(codeword_bits_, rate, uniform(mix(key ^ std::uint64_t{number} << 32)));
  // The sum of the parts has the distribution of the whole; each part's needs no number below the doubles'.
  const auto parts = static_cast<std::uint32_t>(mean / kMostErrors) + 1;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::uint32_t bits = codeword_bits_ / parts + (i < codeword_bits_ % parts ? 1 : 0);
    sum += binomial(bits, rate, uniform(mix(key ^ (std::uint64_t{number} << 32 | i))));
  }
  return sum;
}

/// Of codewords with several sectors the mean of theirs.
double ErrorModel::codeword_rate(const double* rates, std::uint32_t codeword) const {
  const std::uint32_t first = codeword * errors_.codeword_bytes / sector_size_;
  const std::uint32_t sectors = std::max(1u, errors_.codeword_bytes / sector_size_);
  double sum = 0;
  for (std::uint32_t s = 0; s < sectors; ++s) sum += rates[first + s];
  return sum / sectors;
}

/// Different bits of the codeword, its data before its parity. Those in the parity are counted, but nothing
/// shows them.
void ErrorModel::place(const Codeword& codeword, std::uint64_t key, std::vector<std::uint32_t>& flips) const {
  std::vector<bool> taken(codeword_bits_);
  const std::uint32_t first = codeword.number * errors_.codeword_bytes;
  std::uint64_t draw = mix(key ^ ~std::uint64_t{codeword.number});
  for (std::uint32_t left = codeword.wrong; left != 0;) {
    draw = mix(draw);
    const auto bit = static_cast<std::uint32_t>(draw % codeword_bits_);
    if (taken[bit]) continue;
    taken[bit] = true;
    --left;
    const std::uint32_t byte = first + bit / 8;
    if (bit / 8 >= errors_.codeword_bytes || (codeword.mask >> byte / sector_size_ & 1u) == 0) continue;
    flips.push_back(byte * 8 + bit % 8);
  }
}

RawErrors ErrorModel::errors(const double* rates, std::uint32_t mask, std::uint64_t key, double* by_sector,
                             std::vector<std::uint32_t>* flips) const {
  RawErrors result;
  result.by_sector = by_sector;
  if (errors_.reading != ErrorReading::drawn) flips = nullptr;
  result.flips = flips;
  if (flips != nullptr) flips->clear();
  std::fill_n(by_sector, codewords_ * errors_.codeword_bytes / sector_size_, 0.0);
  const std::uint32_t width = std::max(1u, errors_.codeword_bytes / sector_size_);
  const auto covered = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
  for (std::uint32_t c = 0; c < codewords_; ++c) {
    const std::uint32_t first = c * errors_.codeword_bytes / sector_size_;
    if ((mask >> first & covered) == 0) continue;
    const double wrong = codeword_errors(codeword_rate(rates, c), key, c);
    for (std::uint32_t s = first; s < first + width; ++s) by_sector[s] = std::max(by_sector[s], wrong);
    if (flips != nullptr) place({c, static_cast<std::uint32_t>(wrong), mask}, key, *flips);
    result.worst = std::max(result.worst, wrong);
    result.total += wrong;
    ++result.codewords;
  }
  return result;
}

} // namespace twinplane::hw
