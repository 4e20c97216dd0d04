#include "tests/support/waf_model.h"

#include <algorithm>
#include <cmath>

namespace twinplane::test {

namespace {

/// Sum of S_i, i = 1..b, S_i = fraction of blocks with at least i valid pages, for a trial A:
///   ((i + 1) / (A rho)) (S_{i+1} - S_{i+2}) = 1 - S_{i+1}^d,   i = b-1 ... 0,   S_{b+1} = 0.
/// Each step solves its equation for S_{i+1} in [S_{i+2}, 1] by bisection.
double sum_of_d_choices(double a, double rho, std::uint32_t b, std::uint32_t d) {
  double above = 0;
  double sum = 0;
  for (std::uint32_t l = b; l >= 1; --l) {
    double low = above;
    double high = 1;
    for (int k = 0; k < 60; ++k) {
      const double s = (low + high) / 2;
      const double balance = l / (a * rho) * (s - above) - (1 - std::pow(s, d));
      (balance > 0 ? high : low) = s;
    }
    above = (low + high) / 2;
    sum += above;
  }
  return sum;
}

/// Greedy: S_l - S_{l+1} = A rho / l from l = b downward until everything is accounted for.
double sum_of_greedy(double a, double rho, std::uint32_t b) {
  double above = 0;
  double sum = 0;
  for (std::uint32_t l = b; l >= 1; --l) {
    above = std::min(1.0, above + a * rho / l);
    sum += above;
  }
  return sum;
}

} // namespace

double write_amplification(double rho, std::uint32_t pages_per_block, std::uint32_t d) {
  double low = 1;
  double high = pages_per_block;
  for (int k = 0; k < 60; ++k) {
    const double a = (low + high) / 2;
    const double sum =
        d == 0 ? sum_of_greedy(a, rho, pages_per_block) : sum_of_d_choices(a, rho, pages_per_block, d);
    (sum > rho * pages_per_block ? high : low) = a;
  }
  return (low + high) / 2;
}

} // namespace twinplane::test
