// Interrupts towards the host: MSI-X messages (PCI Local Bus Specification 3.0, section 6.8.2) or the
// INTx pin (NVMe 1.4 section 7.5.1), with interrupt coalescing of I/O completion queues (feature 08h).
#pragma once

#include <cstdint>
#include <vector>

#include "hw/host_if/host_access.h"
#include "hw/host_if/pcie_link.h"
#include "hw/host_if/queues.h"
#include "hw/spec/pci.h"

namespace twinplane::hw {

class HostInterrupts {
 public:
  HostInterrupts(HostAccess& host, PcieLink& link, QueueSet& queues, std::uint32_t vectors);

  // MSI-X capability: bit 15 enable, bit 14 function mask (nvme::bar::msix_control).
  void set_control(std::uint32_t control, TimePs at);
  std::uint32_t control() const { return control_; }
  // Table and pending bits by 32-bit word.
  std::uint32_t read_table(std::uint32_t word) const;
  void write_table(std::uint32_t word, std::uint32_t value, TimePs at);
  std::uint32_t read_pending(std::uint32_t word) const;
  // INTMS, INTMC: mask of the pin interrupt by vector.
  void set_mask(std::uint32_t bits, TimePs at);
  void clear_mask(std::uint32_t bits, TimePs at);
  std::uint32_t mask() const { return mask_; }
  /// Messages stay pending while they may not leave (PCI: the function is no bus master).
  void set_blocked(bool blocked, TimePs at);
  /// The pin stays low (PCI command register, bit 10).
  void disable_pin(bool disabled, TimePs at);
  /// The pin would be high at `now`, were it not disabled.
  bool pin_wanted(TimePs now) const;
  bool pin_in_use() const { return !msix(); }
  /// reg::host::coalescing.
  void set_coalescing(std::uint32_t value);

  /// An entry of `queue` was posted: left the device at `sent`, can be seen by the host at `visible`.
  void on_completion(const CompletionQueue& queue, bool admin, TimePs sent, TimePs visible);
  /// Something that decides the pin's level changes at `at`.
  void review_pin(TimePs at);
  /// Controller reset: forgets pending and aggregated interrupts.
  void reset(TimePs at);
  /// Reset of the function: the table, too. Message Control is the function's.
  void reset_table(TimePs at);

  /// When service() wants to be called; kNever when nothing is to be done.
  TimePs due() const { return due_; }
  /// Sends what is due; returns the level of the pin.
  bool service(TimePs now);

  std::uint64_t messages() const { return messages_; }

 private:
  struct Vector {
    std::uint32_t words[4] = {0, 0, 0, 1}; // address low, address high, data, control (bit 0 mask)
    bool pending = false;
    std::uint32_t aggregated = 0; // completions not yet signalled (coalescing)
    TimePs deadline = kNever;     // of the aggregated ones
  };
  bool msix() const { return (control_ & pci::msix::enable) != 0; }
  bool masked(const Vector& vector) const {
    return blocked_ || (control_ & pci::msix::mask_all) != 0 || (vector.words[3] & 1) != 0;
  }
  void aggregate(Vector& vector, TimePs sent);
  void signal(Vector& vector, TimePs at);
  void release_pending(Vector& vector, TimePs at);
  bool pin_level(TimePs now);
  bool entries_wait(TimePs now, TimePs& next) const;
  void service_by(TimePs at) { due_ = at < due_ ? at : due_; }

  HostAccess& host_;
  PcieLink& link_;
  QueueSet& queues_;
  const TimePs message_wire_; // of a message on the link
  std::vector<Vector> vectors_;
  std::uint32_t control_ = 0;
  std::uint32_t mask_ = 0;
  bool blocked_ = false;
  bool pin_disabled_ = false;
  std::uint32_t threshold_ = 0; // 0's based
  TimePs aggregation_time_ = 0; // 0 = no coalescing
  TimePs due_ = kNever;
  std::uint64_t messages_ = 0;
};

} // namespace twinplane::hw
