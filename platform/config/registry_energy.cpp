// Section [energy]: currents of a part's data sheet, and what the rest of the drive draws.
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

void add_energy_rows(Rows& rows) {
  using E = EnergyKeys;
  constexpr auto e = &Config::energy;
  constexpr Type volts = limited(Kind::real, 0.1, 20);
  constexpr Type milliamperes = limited(Kind::real, 0, 1e4);
  constexpr Type milliwatts = limited(Kind::real, 0, 1e6);
  constexpr Type picojoules = limited(Kind::real, 0, 1e6);
  rows.insert(
      rows.end(),
      {
          {"energy.VCC", volts, "V: supply of the arrays", at<e, &E::VCC>},
          {"energy.VCCQ", volts, "V: supply of the parts' bus drivers", at<e, &E::VCCQ>},
          {"energy.ICC1", milliamperes, "mA at VCC: a plane that reads", at<e, &E::ICC1>},
          {"energy.ICC2", milliamperes, "mA at VCC: a plane that programs", at<e, &E::ICC2>},
          {"energy.ICC3", milliamperes, "mA at VCC: a plane that erases", at<e, &E::ICC3>},
          {"energy.further_planes", limited(Kind::real, 0, 1),
           "share of that current which each further plane of a multi-plane command draws",
           at<e, &E::further_planes>},
          {"energy.ICC4R", milliamperes, "mA at VCC: data out of a part", at<e, &E::ICC4R>},
          {"energy.ICC4W", milliamperes, "mA at VCC: data into a part", at<e, &E::ICC4W>},
          {"energy.ICCQ4R", milliamperes, "mA at VCCQ: data out of a part", at<e, &E::ICCQ4R>},
          {"energy.ICCQ4W", milliamperes, "mA at VCCQ: data into a part", at<e, &E::ICCQ4W>},
          {"energy.ISB", milliamperes, "mA at VCC: each die, all the time", at<e, &E::ISB>},
          {"energy.core", milliwatts, "mW: the core while it executes", at<e, &E::core>},
          {"energy.controller", milliwatts, "mW: the controller, all the time", at<e, &E::controller>},
          {"energy.link", picojoules, "pJ per byte of host data", at<e, &E::link>},
          {"energy.dram", picojoules, "pJ per byte of host data, and of page data that crosses a bus",
           at<e, &E::dram>},
          {"energy.dram_standby", milliwatts, "mW: the DRAM, all the time", at<e, &E::dram_standby>},
          {"energy.ecc", picojoules, "pJ per byte of page data that crosses a bus", at<e, &E::ecc>},
          {"energy.peak_limit", limited(Kind::real, 0, 1e8),
           "mA at VCC that all parts may draw together: arrays, transfers, standby; 0: no limit",
           at<e, &E::peak_limit>},
      });
}

} // namespace twinplane::platform::rows
