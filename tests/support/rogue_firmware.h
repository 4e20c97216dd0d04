// A flash controller, its channel and one package, driven by firmware that a test writes: descriptors go
// out as they are, legal or not.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <string>
#include <systemc>
#include <vector>

#include "hw/channel/channel.h"
#include "hw/controller/flash_controller.h"
#include "hw/core/dram.h"
#include "hw/nand/package.h"
#include "hw/spec/registers.h"

namespace twinplane::test {

class RogueFirmware : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<RogueFirmware> regs{"regs"};
  tlm_utils::simple_target_socket<RogueFirmware> irq{"irq"};

  RogueFirmware(const sc_core::sc_module_name& name, const hw::NandConfig& nand)
      : sc_module(name),
        package("package", nand),
        rows_(nand.geometry),
        channel_("channel", hw::ChannelConfig{0, 1, nand.bus, nand.array.tDBSY}),
        controller_("controller", controller_config(nand)) {
    irq.register_b_transport(this, &RogueFirmware::on_irq);
    regs.bind(controller_.regs);
    controller_.irq.bind(irq);
    controller_.bus.bind(channel_.in);
    controller_.dram.bind(dram_.port);
    channel_.chips[0].bind(package.bus);
  }

  void boot() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    write(reg::flash::submission_base, 0);
    write(reg::flash::submission_size, kRing);
    write(reg::flash::completion_base, kCompletions);
    write(reg::flash::completion_size, kRing);
    write(reg::flash::control, 1);
  }

  /// Sends one command for all of `places` (LUN 0) and runs until it is done; its completions, in order.
  std::vector<FlashCompletion> run(FlashOp op, const std::vector<Ppa>& places) {
    const std::uint32_t first = tail_;
    for (std::size_t i = 0; i < places.size(); ++i) put(op, places[i], i + 1 < places.size());
    write(reg::flash::doorbell, tail_);
    sc_core::sc_start();
    std::vector<FlashCompletion> done(places.size());
    for (std::size_t i = 0; i < done.size(); ++i) {
      const std::uint32_t slot = (first + static_cast<std::uint32_t>(i)) % kRing;
      std::memcpy(&done[i], dram_.data() + kCompletions + slot * sizeof done[i], sizeof done[i]);
    }
    return done;
  }

  hw::Package package;

 private:
  static constexpr std::uint32_t kRing = 64;
  static constexpr std::uint32_t kCompletions = 8192;
  static constexpr std::uint32_t kBuffers = 65536;

  static hw::FlashControllerConfig controller_config(const hw::NandConfig& nand) {
    hw::FlashControllerConfig c;
    c.geometry = nand.geometry;
    return c;
  }
  void put(FlashOp op, const Ppa& at, bool more) {
    FlashDescriptor d;
    d.op = static_cast<std::uint8_t>(op);
    d.flags = more ? flash_flag::more : std::uint8_t{0};
    d.row = rows_.row(0, at.plane, at.block, at.page);
    d.buffer = kBuffers + at.plane * 4096;
    d.sector_mask = op == FlashOp::erase ? 0 : 1;
    d.cookie = tail_;
    std::memcpy(dram_.data() + tail_ % kRing * sizeof d, &d, sizeof d);
    ++tail_;
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    sc_core::sc_time delay;
    access_.write(regs, offset, value, delay);
  }
  void on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  RowLayout rows_;
  hw::Dram dram_{"dram", 1u << 20};
  hw::Channel channel_;
  hw::FlashController controller_;
  std::uint32_t tail_ = 0;
  hw::RegisterAccess access_;
};

} // namespace twinplane::test
