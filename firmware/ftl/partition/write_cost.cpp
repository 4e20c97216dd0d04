#include "firmware/ftl/partition/write_cost.h"

#include <algorithm>

namespace twinplane::fw {
namespace {

/// 0 to 1; what is no number is 1.
double share(double value) {
  if (!(value < 1.0)) return 1.0;
  return value > 0.0 ? value : 0.0;
}

/// Room for products such as (k / n) * n, which may miss k by a last digit: that would be a page.
constexpr double kSlack = 1e-9;

double whole_above(double pages) {
  const double below = static_cast<double>(static_cast<std::uint64_t>(pages));
  return pages - below > kSlack ? below + 1.0 : below;
}

double whole_below(double pages) {
  return static_cast<double>(static_cast<std::uint64_t>(pages + kSlack));
}

double pages_of(const FlashCosts& flash, Partition partition) {
  return partition == Partition::hot ? whole_below(flash.pages_per_block / flash.bits)
                                     : flash.pages_per_block;
}

double program_of(const FlashCosts& flash, Partition partition) {
  return partition == Partition::hot ? flash.program_fast : flash.program_mean;
}

/// 0 times what is not possible is nothing.
double weighted(double weight, double cost) {
  if (weight <= 0.0) return 0.0;
  return cost >= kImpossible ? kImpossible : weight * cost;
}

double ratio_or_full(double data, double capacity) {
  return capacity > 0.0 ? share(data / capacity) : 1.0;
}

Division valid(const Division& d) {
  return {share(d.hot_writes), share(d.misplaced), share(d.hot_capacity), share(d.hot_utilisation),
          share(d.cold_utilisation)};
}

} // namespace

double one_minus_exp(double y) {
  if (y > 64.0) return 1.0;
  const double r = y / 64.0;
  double sum = 1.0; // of the series, from its end: r (1 - r/2 (1 - r/3 (...)))
  for (int n = 18; n > 1; --n) sum = 1.0 - r / n * sum;
  double e = r * sum;
  for (int doubled = 0; doubled < 6; ++doubled) e *= 2.0 - e;
  return e;
}

double capacity_of_blocks(double hot_blocks, double bits) {
  const double f = share(hot_blocks);
  return f / (bits - (bits - 1.0) * f);
}

double blocks_of_capacity(double hot_capacity, double bits) {
  const double beta = share(hot_capacity);
  return bits * beta / (1.0 + (bits - 1.0) * beta);
}

// With y = -ln v, (6) is 1 - e^-y - mu y = 0. The left side is concave in y and has one root above 0; 1 / mu
// lies above it, and so does 2 (1 - mu) / mu, because 1 - e^-y <= y / (1 + y / 2). From there Newton's steps
// come down to it.
double victim_utilisation(double utilisation) {
  const double mu = share(utilisation);
  if (mu <= 0.0 || mu >= 1.0) return mu;
  double y = std::min(1.0, 2.0 * (1.0 - mu)) / mu;
  for (int step = 0; step < 40; ++step) {
    const double e = one_minus_exp(y);
    const double next = y - (e - mu * y) / (1.0 - e - mu);
    if (!(next > 0.0 && next < y)) break;
    y = next;
  }
  return 1.0 - one_minus_exp(y);
}

// y = -ln v: Newton's steps from 1 - v, below the root, as 1 - e^-y is concave. Each adds less than 1 far
// from it.
double utilisation_of_victim(double victim) {
  const double v = share(victim);
  if (v <= 0.0 || v >= 1.0) return v;
  double y = 1.0 - v;
  for (int step = 0; step < 100; ++step) {
    const double e = one_minus_exp(y);
    const double next = y + (1.0 - v - e) / (1.0 - e);
    if (!(next > y && next < 64.0)) break;
    y = next;
  }
  return (1.0 - v) / y;
}

Victims predicted_victims(const Division& d) {
  return {victim_utilisation(d.hot_utilisation), victim_utilisation(d.cold_utilisation)};
}

double collection_cost(const FlashCosts& flash, Partition partition, double victim, PageCount count) {
  const double valid_pages = share(victim) * pages_of(flash, partition);
  const double moved = count == PageCount::whole ? whole_above(valid_pages) : valid_pages;
  return moved * (flash.read + program_of(flash, partition)) + flash.erase;
}

double page_write_cost(const FlashCosts& flash, Partition partition, double victim, PageCount count) {
  const double invalid_pages = (1.0 - share(victim)) * pages_of(flash, partition);
  const double freed = count == PageCount::whole ? whole_below(invalid_pages) : invalid_pages;
  if (freed <= 0.0) return kImpossible;
  const double cost = collection_cost(flash, partition, victim, count) / freed + program_of(flash, partition);
  return std::min(cost, kImpossible);
}

WriteCosts write_costs(const FlashCosts& flash, const Division& division, const Victims& victims,
                       PageCount count) {
  const Division d = valid(division);
  WriteCosts c{};
  c.victims = victims;
  c.hot_page_write = page_write_cost(flash, Partition::hot, victims.hot, count);
  c.cold_page_write = page_write_cost(flash, Partition::cold, victims.cold, count);
  c.migration = std::min(flash.read + c.cold_page_write, kImpossible);
  const double sum = weighted(d.hot_writes, c.hot_page_write) +
                     weighted(1.0 - d.hot_writes, c.cold_page_write) +
                     weighted(d.misplaced * d.hot_writes, c.migration);
  c.overall = std::min(sum, kImpossible);
  return c;
}

Division resized(const Division& division, double growth, double bits) {
  const Division d = valid(division);
  const double hot_before = d.hot_capacity;
  const double cold_before = 1.0 - hot_before;
  const double g = std::clamp(growth, -hot_before, cold_before / bits);
  const double hot = hot_before + g;
  const double cold = cold_before - bits * g;
  Division after = d;
  after.hot_capacity = hot / (hot + cold);
  after.hot_utilisation = ratio_or_full(hot_before * d.hot_utilisation, hot);
  after.cold_utilisation = ratio_or_full(cold_before * d.cold_utilisation, cold);
  return after;
}

double growth_to(const Division& division, double hot_utilisation, double bits) {
  const Division d = valid(division);
  const double wanted = share(hot_utilisation);
  const double most = (1.0 - d.hot_capacity) / bits;
  if (wanted <= 0.0) return most;
  return std::min(d.hot_capacity * (d.hot_utilisation - wanted) / wanted, most);
}

double lowest_hot_utilisation(const Division& division, double bits) {
  const Division d = valid(division);
  const double hot_data = d.hot_capacity * d.hot_utilisation;
  if (hot_data <= 0.0) return 0.0;
  const double cold_data = (1.0 - d.hot_capacity) * d.cold_utilisation;
  return share(bits * hot_data / (1.0 + (bits - 1.0) * d.hot_capacity - cold_data));
}

Division cheapest(const FlashCosts& flash, const Division& division) {
  const Division d = valid(division);
  const auto cost = [&](double growth) {
    const Division r = resized(d, growth, flash.bits);
    return write_costs(flash, r, predicted_victims(r), PageCount::real).overall;
  };
  double low = -d.hot_capacity * (1.0 - d.hot_utilisation); // hot data fill their partition
  double high = (1.0 - d.hot_capacity) * (1.0 - d.cold_utilisation) / flash.bits; // cold data fill theirs
  for (int step = 0; step < 96; ++step) {                                         // each takes a third away
    const double third = (high - low) / 3.0;
    if (cost(low + third) <= cost(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return resized(d, (low + high) / 2.0, flash.bits);
}

} // namespace twinplane::fw
