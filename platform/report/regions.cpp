#include "platform/report/regions.h"

#include <nlohmann/json.hpp>

#include "firmware/ftl/features/partitions/two_regions.h"
#include "platform/report/number_text.h"

namespace twinplane::platform {
namespace {

using fw::kCold;
using fw::kHot;

double quotient(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}
double utilisation(const fw::RegionGauges& r) {
  return quotient(static_cast<double>(r.valid), static_cast<double>(r.capacity));
}
double hot_capacity(const fw::FtlStatistics& s) {
  const auto hot = static_cast<double>(s.region[kHot].capacity);
  return quotient(hot, hot + static_cast<double>(s.region[kCold].capacity));
}

Json region_json(const fw::FtlStatistics& s, std::size_t r, const fw::FlashCosts& flash) {
  const fw::RegionCounters& c = s.regions[r];
  const fw::RegionGauges& g = s.region[r];
  return Json{{"pages", r == kHot ? "fast" : "all"},
              {"blocks", g.blocks},
              {"erased_blocks", g.erased},
              {"capacity_pages", g.capacity},
              {"valid_pages", g.valid},
              {"utilisation", rounded(utilisation(g))},
              {"host_pages", c.host_pages},
              {"moved_pages", c.moved_pages},
              {"erases", c.erases},
              {"collections",
               {{"own", c.collections - c.across - c.made}, {"across", c.across}, {"for_the_other", c.made}}},
              {"blocks_taken", c.grabs},
              {"victim_valid_pages_mean", rounded(quotient(static_cast<double>(c.victim_valid_pages),
                                                           static_cast<double>(c.collections)))},
              {"cost_us_per_page_write", rounded(page_write_cost(c, flash, r == kHot))}};
}

} // namespace

bool has_regions(const fw::FtlStatistics& s) {
  return s.region[kCold].blocks != 0;
}

double page_write_cost(const fw::RegionCounters& r, const fw::FlashCosts& flash, bool hot) {
  if (r.host_pages == 0) return 0;
  const double program = hot ? flash.program_fast : flash.program_mean;
  const double collection = static_cast<double>(r.read_pages) * flash.read +
                            static_cast<double>(r.moved_pages) * program +
                            static_cast<double>(r.erases) * flash.erase;
  return program + collection / static_cast<double>(r.host_pages);
}

const char* region_columns() {
  return ",hot_blocks,hot_capacity,hot_utilisation,cold_utilisation,hot_writes,hot_took,cold_took,collected,"
         "moved_across,made_for_other,hot_erases,cold_erases,hot_cost_us,cold_cost_us";
}

void append_region_cells(std::string& row, const fw::FtlStatistics& s, const fw::FlashCosts& flash) {
  const fw::RegionCounters& hot = s.regions[kHot];
  const fw::RegionCounters& cold = s.regions[kCold];
  const std::uint64_t across = hot.across + cold.across;
  const std::uint64_t made = hot.made + cold.made;
  const auto count = [&row](std::uint64_t n) {
    row.push_back(',');
    append(row, n);
  };
  const auto real = [&row](double value) {
    row.push_back(',');
    append_fixed(row, value, 4);
  };
  count(s.region[kHot].blocks);
  real(hot_capacity(s));
  real(utilisation(s.region[kHot]));
  real(utilisation(s.region[kCold]));
  real(s.hot_writes);
  count(hot.grabs);
  count(cold.grabs);
  count(hot.collections + cold.collections - across - made);
  count(across);
  count(made);
  count(hot.erases);
  count(cold.erases);
  real(page_write_cost(hot, flash, true));
  real(page_write_cost(cold, flash, false));
}

Json regions_json(const fw::FtlStatistics& s, const fw::FlashCosts& flash) {
  const double hot = static_cast<double>(s.regions[kHot].host_pages);
  const double cold = static_cast<double>(s.regions[kCold].host_pages);
  const double cost = hot * page_write_cost(s.regions[kHot], flash, true) +
                      cold * page_write_cost(s.regions[kCold], flash, false);
  const auto blocks = static_cast<double>(s.region[kHot].blocks);
  return Json{{"hot_writes", rounded(s.hot_writes)},
              {"hot_capacity", rounded(hot_capacity(s))},
              {"hot_blocks", rounded(quotient(blocks, blocks + static_cast<double>(s.region[kCold].blocks)))},
              {"misplaced_pages", s.misplaced_pages},
              {"cost_us_per_page_write", rounded(quotient(cost, hot + cold))},
              {"hot", region_json(s, kHot, flash)},
              {"cold", region_json(s, kCold, flash)}};
}

} // namespace twinplane::platform
