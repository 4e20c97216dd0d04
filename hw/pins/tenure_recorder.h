// Puts the phases of one selection (CE# low to high) together again, for observers of whole tenures.
//
// Data out becomes one phase with the bytes that crossed the bus. Small transfers come with their bytes;
// of pages the sectors are told, not their content. A selection of more than OnfiTenure::kMaxPhases
// phases is told in several tenures. Costs one branch per phase while there is no listener.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/core/observer.h"
#include "hw/core/onfi_tenure.h"

namespace twinplane::hw {

class TenureRecorder {
 public:
  /// Tenures are told with this channel and chip.
  TenureRecorder(std::uint32_t channel, std::uint32_t chip) : channel_(channel), chip_(chip) {}

  void attach(BusObserver& observer) { observers_.push_back(&observer); }

  /// CE# falls.
  void open(TimePs at) { start_ = at; }
  /// A phase that went to the die, with its answer; observers are told that it began at `start`, or when CE#
  /// fell.
  void add(const OnfiPhase& phase, TimePs start);
  /// A byte of page data out crossed the bus, of this sector (beyond the last one: of the spare area).
  void page_byte(std::uint32_t sector, TimePs start, TimePs end);
  /// CE# rises.
  void close(TimePs at);

 private:
  /// The last phase, when it is data out, of a page or of registers.
  OnfiPhase* running_output(bool page);
  OnfiPhase& append(const OnfiPhase& phase);

  std::uint32_t channel_;
  std::uint32_t chip_;
  std::vector<BusObserver*> observers_;
  OnfiTenure tenure_;
  TimePs start_ = 0;
  std::vector<std::uint8_t> small_; // bytes of small transfers, in the order of the phases
};

} // namespace twinplane::hw
