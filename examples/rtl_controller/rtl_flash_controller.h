// A flash controller of the drive whose bus side is Verilog: the registers, descriptor rings, DRAM and
// interrupts that firmware knows (hw/controller/controller_block.h) in front of RtlCore, which moves the
// wires of a PinChannel.
//
// It does what the firmware needs when no optional feature is on: READ, PROGRAM, ERASE and RESET on one or
// several planes. Operations of a die run in ring order, one at a time; dies run in parallel and take the bus
// in turn. The controller has a clock, so it acts unannounced and the drive never runs ahead of the kernel.
//
// Against ours (hw/controller/flash_controller.h): it selects planes with 06h-E0h and LUNs with 78h always,
// moves the out-of-band word over the bus, rounds each time of the data sheet up to its clock, and decides a
// period before it acts. What it does not do is refused by check().
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "descriptor_rings.h"
#include "hw/controller/controller_block.h"
#include "hw/controller/flash_controller.h"
#include "hw/controller/functional_access.h"
#include "hw/core/register_access.h"
#include "hw/core/target_socket.h"
#include "hw/pins/page_bytes.h"
#include "hw/pins/pin_channel.h"
#include "rtl_core.h"

namespace twinplane::example {

class RtlFlashController final : public hw::ControllerBlock,
                                 private hw::BlockingTarget<>,
                                 private DescriptorRings::Owner,
                                 private RtlCore::Client {
 public:
  /// Empty, or what of the configuration this controller cannot do.
  static std::string check(const hw::FlashControllerConfig& config);

  /// A configuration that does not pass check() is an SC_ERROR "twinplane.rtl_controller".
  RtlFlashController(const sc_core::sc_module_name& name, const hw::FlashControllerConfig& config);

  /// Drives the wires of this channel. Once, before the simulation.
  void drive(hw::PinChannel& channel, const RtlClock& clock);

  void on_ready(std::uint32_t chip, std::uint32_t lun, TimePs at) override {
    channel_->on_ready(chip, lun, at);
  }
  const hw::FlashControllerStatistics& statistics() const override;

 private:
  /// One operation.
  struct Group {
    std::array<FlashDescriptor, kMaxPlanesPerDie> planes;
    std::uint32_t count = 0;
    std::uint32_t die = 0;
    TimePs accepted = 0;    // doorbell
    TimePs due = 0;         // doorbell, or the data of the host are there
    bool fetched = false;   // program: DRAM has been asked for its data
    TimePs bus = 0;         // it has had, without the tenure that runs
    TimePs command_end = 0; // 0: its command has not been given
    TimePs ready_at = 0;    // 0: its array is not known to be done

    FlashOp op() const { return static_cast<FlashOp>(planes[0].op); }
  };
  struct Die {
    std::deque<Group> waiting;
    Group running;
    bool busy = false;
  };

  void end_of_elaboration() override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return functional_.serve(payload); }

  // descriptors
  void on_descriptor(const FlashDescriptor& descriptor, TimePs at) override;
  void interrupt(std::uint32_t source, TimePs at) override;
  bool acceptable(const Group& group) const;
  void reject(const Group& group, TimePs at);
  void count(const Group& group);
  std::uint32_t lun_of(const FlashDescriptor& d) const { return rows_.lun(d.row); }

  // operations
  void start_due();
  TimePs start_of(const Group& group) const;
  TimePs fetch(Group& group, TimePs at);
  TimePs ask_dram(const FlashDescriptor& descriptor, bool write, TimePs at);
  void begin(Die& die);
  void fill(const Group& group, std::uint32_t plane);
  TimePs store(const Group& group, std::uint32_t plane, FlashCompletion& completion);
  void post(const FlashCompletion& completion, TimePs visible_at);
  FlashCompletion timed(const Group& group) const;
  hw::PageBytes& buffer(std::uint32_t die, std::uint32_t plane) {
    return buffers_[die * kMaxPlanesPerDie + plane];
  }

  // the Verilog's side
  std::uint8_t byte_to_program(std::uint32_t die, std::uint32_t plane, std::uint32_t column) override;
  void take_byte(std::uint32_t die, std::uint32_t plane, std::uint32_t column, std::uint8_t byte) override;
  void on_result(const RtlCore::Result& result) override;
  void on_bus(std::uint32_t die, bool taken, bool serves) override;
  void on_array_start(std::uint32_t die) override;
  void on_ready(std::uint32_t chip) override;

  hw::FlashControllerConfig config_;
  RowLayout rows_;
  std::uint32_t stride_; // of sectors in DRAM
  DescriptorRings rings_;
  hw::PinChannel* channel_ = nullptr;
  std::unique_ptr<RtlCore> core_;
  std::uint8_t* dram_ = nullptr;
  std::uint64_t dram_size_ = 0;
  Group assembling_;
  std::array<Die, RtlCore::kDies> dies_;
  std::vector<hw::PageBytes> buffers_;
  TimePs bus_since_ = 0;    // the running tenure counts for its operation from there; 0: for none
  bool has_result_ = false; // ... and has brought a result
  sc_core::sc_event start_{"start"};
  hw::FunctionalAccess functional_; // past the wires, which take time
  hw::RegisterAccess irq_access_;
  mutable hw::FlashControllerStatistics statistics_;
};

} // namespace twinplane::example
