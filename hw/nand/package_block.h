// A flash package: one CE#, one or more LUNs.
//
//   bus    target: bus tenures (hw/core/onfi_tenure.h), whose phases or planes carry their times. b_transport
//          does the tenure and does not touch the delay: TLM_OK_RESPONSE, also when the die refuses (that
//          shows in the status register); TLM_INCOMPLETE_RESPONSE to a sequence without phases that it wants as
//          phases, having done nothing. A sequence may come with phases at once: a package that executes
//          these calls collect() afterwards, one that executes the sequence calls show_in_phases()
//          (hw/nand/tenure_expansion.h). transport_dbg does the same at once, array operations included,
//          leaves no trace on the bus face but the changed cells, and returns the planes or phases done: this
//          is how a drive is preconditioned.
//   ready  port: when a tenure makes R/B# fall and the package cannot tell yet when it rises, it answers
//          ready_at = kNever and tells this port later. Needed by those only.
#pragma once

#include <cstdint>
#include <systemc>

#include "hw/core/block.h"
#include "hw/core/observer.h"
#include "hw/core/onfi_protocol.h"
#include "hw/nand/statistics.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

class PackageBlock : public Block {
 public:
  OnfiTargetSocket bus{"bus"};
  sc_core::sc_port<ReadyBusy, 1, sc_core::SC_ZERO_OR_MORE_BOUND> ready{"ready"};

  /// Waves, monitors and timelines. Called in the order of attachment; observers outlive the simulation.
  virtual void attach(NandObserver& observer) = 0;
  /// One entry of `dies` per LUN, from the beginning.
  [[nodiscard]] virtual const NandStatistics& statistics() const = 0;
  /// Erases of a block, timed and untimed.
  [[nodiscard]] virtual std::uint32_t erase_count(std::uint32_t lun, std::uint32_t plane,
                                                  std::uint32_t block) const = 0;

  /// Of statistics().dies[lun] what lies behind `at`: operations are counted when they begin. For reports; a
  /// package that cannot tell gives nothing.
  [[nodiscard]] virtual DieStatistics still_to_do(std::uint32_t /*lun*/, TimePs /*at*/) const { return {}; }

  /// The supply will fail at `at`, told before anything is done that ends later: nothing of it reaches the
  /// cells, though the tenure that brings it begins before. A package that cannot be cut says so: SC_ERROR
  /// "twinplane.block" with its name.
  virtual void announce_power_cut(TimePs at);
  /// The time announced has come. The cells stay as the cut leaves them (docs/power_loss.md), all else is as
  /// after power-on. Called while nothing later than that has been done on the bus.
  virtual void cut_power();

  /// What lasts: the cells. Asked for between tenures. A package that cannot say it refuses with its name.
  virtual void serialise(StateVisitor& state);

 protected:
  using Block::Block;
};

} // namespace twinplane::hw
