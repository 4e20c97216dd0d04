// Hooks: waves, monitors and counters attach here; the models do not know who listens.
// Every call carries absolute simulated times, which may lie in the future of the kernel's time
// (a tenure is announced when it starts, with the times of all its phases). Calls of one source come
// with non-decreasing start times.
#pragma once

#include <cstdint>

#include "hw/core/onfi_tenure.h"
#include "hw/spec/nand_timing.h"
#include "hw/spec/page_order.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class PlaneState : std::uint8_t { idle, reading, programming, erasing, resetting };

struct PlaneAddress {
  std::uint32_t plane = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
};

/// One array operation of one plane.
struct ArrayOperation {
  std::uint32_t chip = 0; // on its channel
  std::uint32_t lun = 0;
  std::uint32_t plane = 0;
  PlaneState state = PlaneState::idle;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
  PageType page_type = 0;
  bool slc = false;                  // in SLC mode, one bit per cell
  std::uint32_t planes_in_group = 1; // planes of the same multi-plane command
  std::uint32_t pages = 1;           // programs: of the wordline in one pass, of which `page` is the last one
  std::uint32_t request_tag = 0;
  TimePs start = 0;
  TimePs end = 0;
};

/// What becomes of an announced operation before its announced end.
enum class ArrayChange : std::uint8_t {
  suspended, // at `start`; `end` is not known
  resumed,   // at `start`; will end at `end`
  aborted,   // by a reset or a power cut at `start`
};

/// A broken rule, as the die judged it.
struct Violation {
  const char* rule = ""; // "pac", "bac", "order", ... (names of summary.json)
  std::uint32_t chip = 0;
  std::uint32_t lun = 0;
  TimePs time = 0;
};

class NandObserver {
 public:
  virtual void on_array(std::uint32_t channel, const ArrayOperation& operation) = 0;
  /// An operation of several planes with the same page address, told at once to observers that override this.
  /// `operation` is that of places[0].
  [[gnu::cold]] virtual void on_group(std::uint32_t channel, const ArrayOperation& operation,
                                      const PlaneAddress* places) {
    ArrayOperation one = operation;
    for (std::uint32_t i = 0; i < operation.planes_in_group; ++i) {
      one.plane = places[i].plane;
      one.block = places[i].block;
      on_array(channel, one);
    }
  }
  virtual void on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                             TimePs at) = 0;
  virtual void on_violation(std::uint32_t channel, const Violation& violation) = 0;
  /// Asked once, when attached: false when nothing is to be done in on_ready_busy().
  virtual bool wants_ready_busy() const { return true; }
  /// For each plane of the operation, whose announced end no longer holds. R/B# edges are announced as
  /// ever; an edge that was announced for the old end does not happen.
  virtual void on_array_change(std::uint32_t channel, ArrayChange change, const ArrayOperation& operation) {
    static_cast<void>(channel);
    static_cast<void>(change);
    static_cast<void>(operation);
  }

 protected:
  ~NandObserver() = default;
};

class BusObserver {
 public:
  /// Raw tenures carry the times of their phases. Sequences carry the times of their planes, and those of
  /// their phases as well when one of the channel's observers wants_phases().
  virtual void on_tenure(std::uint32_t channel, std::uint32_t chip, const OnfiTenure& tenure, TimePs start,
                         TimePs end) = 0;
  /// A tenure of the debug transport: it takes no time and its phases have none.
  virtual void on_functional(std::uint32_t /*channel*/, std::uint32_t /*chip*/,
                             const OnfiTenure& /*tenure*/) {}
  /// Asked once, when attached. Phases of sequences are composed for observers only, at some hundred
  /// instructions per tenure.
  virtual bool wants_phases() const { return true; }
  /// The channel's timing: told when attached, and again whenever it changes.
  virtual void on_timing(std::uint32_t /*channel*/, const BusTiming& /*bus*/, TimePs /*tDBSY*/) {}

 protected:
  ~BusObserver() = default;
};

/// Of the front end: commands of I/O queues.
class FrontEndObserver {
 public:
  /// The firmware can see the command in this slot from `at` on.
  virtual void on_fetched(std::uint32_t slot, TimePs at) = 0;
  /// The firmware has completed it, and its entry leaves the device at `at`.
  virtual void on_completed(std::uint32_t slot, TimePs fetched, TimePs at) = 0;

 protected:
  ~FrontEndObserver() = default;
};

} // namespace twinplane::hw
