// How long a tenure takes: a pure function of its phases and the bus timing.
//
// A phase takes n * tWC (command, address) or n byte times (data). Before a phase the bus waits for the
// longest of the rows of hw/spec/timing_rules.h that stand between the phase before and this one:
//   first phase          tCS                       (data out: + tRR + tRPRE + tDQSRE)
//   address -> data in   tADL;  after 85h: tCCS    (both contain tWPRE)
//   data in -> command   tWPST + tWPSTH + tCALS    (SDR: 0, it is inside tWC)
//   command or address -> data out   tWHR (after E0h: tCCS) + tRPRE + tDQSRE
//   data out -> next     max(tRHW, tRPST + tRPSTH)
//   confirm -> next      tWB;  32h, 11h, D1h -> next (not a status command): tWB + tDBSY
// and at the end of the tenure tWB after a confirm or a command with tFEAT or tR of its own, and
// max(tRHW, tRPST + tRPSTH) after data out: the time until any other tenure may begin.
// (Facts: ONFI bus timing, "how to turn a sequence into channel time".)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/core/onfi_tenure.h"
#include "hw/spec/nand_timing.h"
#include "hw/spec/sim_time.h"
#include "hw/spec/timing_rules.h"

namespace twinplane::hw {

/// What the bus was used for. A wait belongs to the phase that waits; the wait at the end to the last.
/// Everything of a status command counts as status.
enum class BusUse : std::uint8_t { command, address, data_in, data_out, status };
constexpr std::size_t kBusUses = 5;
using BusUseTimes = std::array<TimePs, kBusUses>;

class TenureTiming {
 public:
  TenureTiming(const BusTiming& bus, TimePs tDBSY);

  /// Fills in start and end of every phase of a tenure that begins at `start`, adds the times to
  /// `use`, and returns the end of the tenure.
  TimePs stamp(OnfiTenure& tenure, TimePs start, BusUseTimes& use) const;
  /// The tenure's length; leaves the tenure alone.
  TimePs duration(const OnfiTenure& tenure) const;

  const BusTiming& bus() const { return bus_; }

 private:
  /// What a phase leaves behind for its successor.
  enum class After : std::uint8_t {
    start,
    command,
    status,
    confirm,
    plane_confirm,
    column_confirm,
    address,
    column_address, // of 85h
    busy_address,   // of ECh, EEh, FAh, 84h, 13h, 61h: the register or array access starts
    data_in,
    feature_in, // data in of EFh
    data_out,
  };
  static constexpr std::size_t kAfters = 12;

  /// What follows a command, its address and its data: one row per opcode.
  struct Opcode {
    After command = After::command;
    After address = After::address;
    After data_in = After::data_in;
    bool status = false;
  };

  template <typename Visit>
  TimePs walk(const OnfiTenure& tenure, TimePs start, Visit&& visit) const;
  static timing::EventMask events(After after);
  void build_gaps(TimePs tDBSY);
  void build_opcodes();

  BusTiming bus_;
  static constexpr std::size_t kStatus = 4;           // column of status commands
  std::array<std::array<TimePs, 5>, kAfters> gaps_{}; // [After][PhaseKind of the next phase, or kStatus]
  std::array<TimePs, kAfters> ends_{};                // wait at the end of the tenure
  std::array<Opcode, 256> opcodes_{};
};

} // namespace twinplane::hw
