// One-pass programming: 80h A5 data 1Ah for each page of a wordline but the last one, 10h behind that
// (hw/spec/onfi_commands.h; vendor practice). From the data sheets' command tables as well: page types ascend
// without a gap, in the same planes and blocks, and nothing that needs the array comes between.
#pragma once

#include "hw/monitor/lun_watch.h"
#include "hw/monitor/monitor_config.h"

namespace twinplane::hw {

class PassRules {
 public:
  explicit PassRules(const MonitorConfig& config) : config_(config) {}

  /// The page, of the `last` type of its wordline or not, is the one that its plane needs next.
  CellBook::RuleResult check_page(const LunWatch& lun, const BusPlace& place, bool last) const;
  /// The cells of plane `i` of the group that ends the pass take all its pages.
  CellBook::RuleResult check_cells(const LunWatch& lun, const PlaneGroup& group, std::uint32_t i) const;

 private:
  const MonitorConfig& config_;
};

} // namespace twinplane::hw
