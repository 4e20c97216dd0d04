// Energy of a drive, from data-sheet currents and what the drive did.
//
// array        ICC1, ICC2, ICC3 at VCC for the time that a plane reads, programs, erases; of the planes of
//              one command the first draws that current and each further one the share `further_planes` of it
// bus          ICC4R, ICC4W at VCC and ICCQ4R, ICCQ4W at VCCQ while data cross the bus
// standby      ISB at VCC, each die, all the time
// core         while it executes; controller: all the time
// link, ecc    for each byte of host data, and of page data that crosses a bus
// dram         for each byte of either, and all the time
//
// An operation counts when it starts, in full, until it is suspended or cut short; what is under way at the
// end of a window is in it whole, as in utilisation.h. Power is that of the instant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

enum class EnergyCause : std::uint8_t {
  array_read,
  array_program,
  array_erase,
  bus_in,
  bus_out,
  standby,
  core,
  controller,
  link,
  dram,
  ecc
};
constexpr std::size_t kEnergyCauses = 11;
/// As in summary.json.
constexpr std::array<const char*, kEnergyCauses> kEnergyCauseNames{
    "array_read", "array_program", "array_erase", "bus_in", "bus_out", "standby",
    "core",       "controller",    "link",        "dram",   "ecc"};

/// Volts, milliamperes, milliwatts, picojoules.
struct EnergyModel {
  double VCC = 0, VCCQ = 0;
  double ICC1 = 0, ICC2 = 0, ICC3 = 0; // a plane that reads, programs, erases
  double further_planes = 1;
  double ICC4R = 0, ICC4W = 0, ICCQ4R = 0, ICCQ4W = 0; // data out, data in
  double ISB = 0;                                      // a die
  double core_mw = 0, controller_mw = 0, dram_mw = 0;
  double link_pj = 0, dram_pj = 0, ecc_pj = 0; // a byte
  std::uint32_t dies = 0;

  /// Drawn all the time.
  double constant_mw() const { return VCC * ISB * dies + controller_mw + dram_mw; }
};

/// What of the drive is counted anyway, since the start of the simulation.
struct EnergyCounts {
  TimePs at = 0;
  TimePs core_busy = 0;
  std::uint64_t link_bytes = 0; // host data, both ways
  std::uint64_t page_bytes = 0; // page data over the buses, both ways
};

struct EnergySummary {
  bool modelled = false;
  std::array<double, kEnergyCauses> nj{}; // by cause, of the measured window
  double average_mw = 0;
  double peak_mw = 0; // highest power of arrays and buses at any instant of the run, and what is drawn always
  double nj_per_host_byte = 0; // 0: no host data
  double total_nj() const;
};

/// `begin_nj` and `end_nj` are of arrays and buses (EnergyMeter); the other causes follow from the counts.
EnergySummary energy_of(const EnergyModel& model, const EnergyCounts& begin, const EnergyCounts& end,
                        const std::array<double, kEnergyCauses>& begin_nj,
                        const std::array<double, kEnergyCauses>& end_nj);

} // namespace twinplane::platform
