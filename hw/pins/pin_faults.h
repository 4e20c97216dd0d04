// What can be wrong with the levels on an ONFI bus before any die could judge it, and a collector that
// counts and reports it. Rules of the commands are the die's business (hw/nand/rules.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class PinFault : std::uint8_t {
  two_targets,     // a cycle while two CE# are low: no target gets it
  strobes_overlap, // WE# and RE# both low: the write cycle is lost
  latches_overlap, // WE# rises with CLE and ALE both high: the cycle is lost
  undriven,   // WE# (CLK) rises, or DQS has an edge, and the controller does not drive DQ: the cycle is lost
  contention, // controller and package drive DQ, or DQS, at the same time
  data_by_we, // NV-DDR2: WE# rises with CLE and ALE low: data come with DQS, the cycle is lost
  turned_round,    // NV-DDR: a command or address while W/R# is low: the cycle is lost
  unannounced,     // NV-DDR: DQS rises, and no edge of CLK has announced a byte: it is lost
  unstrobed,       // NV-DDR: a command, address, turn or the end before DQS brought all that CLK announced
  overrun,         // data beyond the end of page and spare area: lost, or read as FFh
  write_protected, // program or erase while WP# is low: ignored
  no_answer,       // the transaction came back with an error response
  timing,          // a time of the data sheet was not kept (PinRule)
};
constexpr std::size_t kPinFaults = 13;

/// Names as in messages, in the order of PinFault.
constexpr std::array<const char*, kPinFaults> kPinFaultNames{
    "two_targets",     "strobes_overlap", "latches_overlap", "undriven",  "contention",
    "data_by_we",      "turned_round",    "unannounced",     "unstrobed", "overrun",
    "write_protected", "no_answer",       "timing"};

constexpr const char* pin_fault_name(PinFault fault) {
  return kPinFaultNames[static_cast<std::size_t>(fault)];
}

class PinFaults {
 public:
  /// `owner` is named in the messages: SC_WARNING with the id "twinplane.pins", the first ten per fault.
  explicit PinFaults(std::string owner) : owner_(std::move(owner)) {}

  void report(PinFault fault, TimePs at, const char* detail);
  std::uint64_t count(PinFault fault) const { return counts_[static_cast<std::size_t>(fault)]; }
  std::uint64_t total() const;

 private:
  std::string owner_;
  std::array<std::uint64_t, kPinFaults> counts_{};
};

} // namespace twinplane::hw
