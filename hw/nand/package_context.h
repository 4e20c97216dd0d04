// What the dies of a package share.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/observer.h"
#include "hw/nand/nand_config.h"
#include "hw/nand/rules.h"
#include "hw/nand/statistics.h"

namespace twinplane::hw {

struct PackageContext {
  const NandConfig& config;
  const PageOrderTable& page_order;
  RowLayout layout;
  RefusalSink& refusals;
  std::vector<NandObserver*> observers;
  std::vector<NandObserver*> edge_observers; // those of them that look at R/B#
  NandStatistics statistics;
  std::uint32_t request_tag = 0; // of the tenure being decoded
  BusTiming bus;                 // in force: of the configuration until feature 01h changes it
  TimePs power_cut_at = kNever;  // announced: no array time begins then or later

  PageType page_type(const PlaneAddress& address, bool slc) const {
    return slc ? PageType{0} : page_order.type(address.page);
  }
};

} // namespace twinplane::hw
