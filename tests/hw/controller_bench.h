// A flash controller with one channel of real packages, driven by a test instead of a CPU.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <memory>
#include <systemc>
#include <vector>

#include "hw/channel/channel.h"
#include "hw/controller/flash_controller.h"
#include "hw/core/dram.h"
#include "hw/nand/package.h"
#include "hw/spec/registers.h"

namespace twinplane::test {

/// 4 KiB pages of one 4 KiB sector, SLC, one plane, `chips` single-die chips on one channel.
inline Geometry small_geometry(std::uint32_t chips, std::uint32_t planes = 1) {
  Geometry g;
  g.chips_per_channel = chips;
  g.planes_per_die = planes;
  g.blocks_per_plane = 8;
  g.pages_per_block = 16;
  return g;
}

/// A bus without command overhead: a 4 KiB page takes `transfer`, everything else nothing.
inline BusTiming data_only_bus(TimePs transfer = us(25)) {
  BusTiming t;
  t.data_in = {static_cast<std::uint32_t>(transfer), 4096};
  t.data_out = t.data_in;
  return t;
}

/// tR 65 us and tPROG 500 us for every page, no tDBSY.
inline ArrayTiming slow_array() {
  ArrayTiming t;
  t.tR = {us(65), us(65), us(65), us(65)};
  t.tPROG = {us(500), us(500), us(500), us(500)};
  t.tDBSY = 0;
  return t;
}

/// An operation as the controller reported it.
struct Done {
  FlashCompletion completion;
  TimePs visible_at = 0; // from the interrupt's stamp
};

class ControllerBench : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<ControllerBench> regs{"regs"};
  tlm_utils::simple_target_socket<ControllerBench> irq{"irq"};

  ControllerBench(const sc_core::sc_module_name& name, const Geometry& geometry, const BusTiming& bus,
                  const ArrayTiming& array, bool poll = false)
      : ControllerBench(name, geometry, bus, array, polling(poll)) {}
  ControllerBench(const sc_core::sc_module_name& name, const Geometry& geometry, const BusTiming& bus,
                  const ArrayTiming& array, hw::FlashControllerConfig cc, const hw::NandConfig& part = {})
      : sc_module(name),
        rows(geometry),
        stride_(geometry.sectors_per_page() * payload_bytes(cc.data_mode, geometry.sector_size)) {
    irq.register_b_transport(this, &ControllerBench::on_irq);
    cc.geometry = geometry;
    controller = std::make_unique<hw::FlashController>("controller", cc);
    hw::ChannelConfig ch;
    ch.chips = geometry.chips_per_channel;
    ch.bus = bus;
    ch.tDBSY = array.tDBSY;
    channel = std::make_unique<hw::Channel>("channel", ch);
    for (std::uint32_t chip = 0; chip < geometry.chips_per_channel; ++chip) {
      hw::NandConfig nc = part; // what it says beyond the other arguments
      nc.geometry = geometry;
      nc.data_mode = cc.data_mode;
      nc.array = array;
      nc.bus = bus;
      nc.chip = chip;
      nc.independent_plane_reads = cc.independent_reads;
      packages.push_back(std::make_unique<hw::Package>(("chip" + std::to_string(chip)).c_str(), nc));
      channel->chips[chip].bind(packages.back()->bus);
    }
    regs.bind(controller->regs);
    controller->irq.bind(irq);
    controller->bus.bind(channel->in);
    controller->dram.bind(dram.port);
  }

  void boot() {
    write(reg::flash::submission_base, 0);
    write(reg::flash::submission_size, 64);
    write(reg::flash::completion_base, 8192);
    write(reg::flash::completion_size, 64);
    write(reg::flash::control, 1);
  }

  void write(std::uint32_t offset, std::uint32_t value, TimePs ahead = 0) {
    sc_core::sc_time delay = hw::to_sc_time(ahead);
    access_.write(regs, offset, value, delay);
  }
  std::uint32_t read(std::uint32_t offset, TimePs ahead = 0) {
    sc_core::sc_time delay = hw::to_sc_time(ahead);
    return access_.read(regs, offset, delay);
  }

  void put(FlashDescriptor d) {
    d.cookie = tail_;
    std::memcpy(dram.data() + (tail_++ & 63u) * sizeof d, &d, sizeof d);
  }
  void ring(TimePs ahead = 0) { write(reg::flash::doorbell, tail_, ahead); }

  FlashDescriptor descriptor(FlashOp op, const Ppa& at, std::uint8_t flags = 0) const {
    FlashDescriptor d;
    d.op = static_cast<std::uint8_t>(op);
    d.flags = flags;
    d.chip = static_cast<std::uint8_t>(at.die);
    d.row = rows.row(0, at.plane, at.block, at.page);
    d.buffer = buffer(at.die, at.plane);
    d.sector_mask = 1;
    return d;
  }
  std::uint32_t buffer(std::uint32_t die, std::uint32_t plane) const {
    return 65536 + (die * kMaxPlanesPerDie + plane) * stride_;
  }

  /// Programs a page in zero time.
  void program_now(const Ppa& at) {
    hw::FunctionalFlash f;
    std::vector<std::uint8_t> payload(stride_, 0x5A);
    f.descriptor = descriptor(FlashOp::program, at);
    f.payload = payload.data();
    tlm::tlm_generic_payload p;
    p.set_address(reg::flash::functional);
    p.set_extension(&f);
    regs->transport_dbg(p);
    p.clear_extension(&f);
  }

  hw::Dram dram{"dram", 1u << 20};
  RowLayout rows;
  std::unique_ptr<hw::FlashController> controller;
  std::unique_ptr<hw::Channel> channel;
  std::vector<std::unique_ptr<hw::Package>> packages;
  std::vector<Done> done;

  /// Refused commands of all packages.
  std::uint64_t violations() const {
    std::uint64_t sum = 0;
    for (const auto& package : packages) {
      for (const std::uint64_t v : package->statistics().violations) sum += v;
    }
    return sum;
  }

 private:
  static hw::FlashControllerConfig polling(bool poll) {
    hw::FlashControllerConfig cc;
    cc.poll_status = poll;
    return cc;
  }

  void on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    while (done.size() < controller->statistics().completions) { // one interrupt may stand for several
      Done d;
      std::memcpy(&d.completion, dram.data() + 8192 + (done.size() & 63u) * sizeof d.completion,
                  sizeof d.completion);
      d.visible_at = hw::kernel_now() + delay.value();
      done.push_back(d);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::uint32_t stride_;
  std::uint32_t tail_ = 0;
  hw::RegisterAccess access_;
};

} // namespace twinplane::test
