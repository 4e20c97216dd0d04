// The NVMe controller as its host sees it in BAR0 (NVMe 1.4 section 3.1): registers, doorbells, and what
// firmware says of the controller's state.
//
// Reset (CC.EN 1 -> 0): queues are gone at once, and with them the completions they held; commands in
// firmware's hands no longer reach the host, whatever firmware does with them. CSTS.RDY falls when firmware
// writes host_control::clear_ready; by then it must have answered all those commands: `inflight` is 0.
#pragma once

#include <cstdint>
#include <string>
#include <tlm>

#include "hw/core/register_target.h"
#include "hw/core/target_socket.h"
#include "hw/host_if/front_end.h"
#include "hw/host_if/shadow_doorbells.h"
#include "hw/host_if/timed_level.h"
#include "hw/spec/nvme.h"

namespace twinplane::hw {

class ControllerRegisters final : public BlockingTarget<>, public RegisterTarget {
 public:
  /// `name` of the module stands in messages.
  ControllerRegisters(std::string name, const HostInterfaceConfig& config, FrontEnd& front);

  /// Doorbells that the host keeps in memory.
  ShadowDoorbells& shadow_doorbells() { return shadow_doorbells_; }
  std::uint64_t bad_doorbells() const { return bad_doorbells_; }

  // what firmware sees of it, and says
  /// reg::host_event bits since they were taken.
  std::uint32_t events() const { return event_; }
  std::uint32_t take_events() {
    const std::uint32_t bits = event_;
    event_ = 0;
    return bits;
  }
  std::uint32_t event_info() const { return event_info_; }
  /// An answer of firmware's is for the host that asked.
  bool answers_host() const;
  /// reg::host_control bits.
  void control(std::uint32_t bits, TimePs at);

  // what the PCI function asks
  void reset(TimePs at);
  void set_msix(std::uint16_t control, TimePs at);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool read32(std::uint64_t address, std::uint32_t& value, TimePs& at) override;
  bool write32(std::uint64_t address, std::uint32_t value, TimePs& at) override;
  bool takes_word(std::uint64_t address, TimePs at) const {
    return (address & 3) == 0 && address < nvme::bar::size &&
           (front_.ahead == nullptr || !front_.ahead->passed(at));
  }
  void refuse_late_access(tlm::tlm_generic_payload& payload, TimePs at);
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload, TimePs at);
  std::uint32_t read(std::uint32_t offset, TimePs at);
  void write(std::uint32_t offset, std::uint32_t value, TimePs at);
  std::uint64_t capabilities() const;
  std::uint32_t controller_status(TimePs at) const;
  void write_cc(std::uint32_t value, TimePs at);
  bool enable();
  void enable_or_fail(TimePs at);
  void disable(TimePs at);
  void doorbell(std::uint32_t offset, std::uint32_t value, TimePs at);
  bool sq_doorbell(std::uint32_t id, std::uint32_t value, TimePs at);
  bool cq_doorbell(std::uint32_t id, std::uint32_t value, TimePs at);
  void shadowed_doorbell(std::uint32_t number, std::uint32_t value, TimePs at);
  ShadowDoorbells::User doorbell_user();
  bool bad_doorbell(std::uint32_t info, TimePs at);
  void post_event(std::uint32_t bits, TimePs at) {
    event_ |= bits;
    front_.raise(reg::irq::host_event, at);
  }

  const std::string name_;
  const HostInterfaceConfig& config_;
  FrontEnd& front_;
  ShadowDoorbells shadow_doorbells_;
  std::uint32_t cc_ = 0;
  bool halted_ = false;               // fatal for good
  TimedLevel ready_;                  // CSTS.RDY
  std::uint32_t shutdown_status_ = 0; // CSTS.SHST in place
  std::uint32_t aqa_ = 0;
  std::uint64_t asq_ = 0;
  std::uint64_t acq_ = 0;
  std::uint32_t event_ = 0;
  std::uint32_t event_info_ = 0;
  std::uint64_t bad_doorbells_ = 0;
};

} // namespace twinplane::hw
