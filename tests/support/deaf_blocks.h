// Blocks that do not answer, or answer with errors.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "hw/channel/channel.h"
#include "hw/controller/ecc_block.h"
#include "hw/core/register_access.h"
#include "hw/core/target_socket.h"
#include "hw/cpu/core_block.h"
#include "hw/cpu/cpu.h"
#include "hw/host_if/host_interface.h"
#include "hw/spec/nvme.h"
#include "hw/spec/registers.h"

namespace twinplane::test {

/// A core that boots the software and never gives it a turn, or refuses interrupts.
class DeafCore final : public hw::CoreBlock, private hw::BlockingTarget<> {
 public:
  DeafCore(const sc_core::sc_module_name& name, const hw::CpuConfig& config, bool refuses)
      : CoreBlock(name, config.channels, ns(1)), refuses_(refuses) {
    irq.bind(*this);
    SC_HAS_PROCESS(DeafCore);
    SC_THREAD(run);
  }
  void load(hw::Software& software) override { software_ = &software; }
  void wait_for_interrupt() override { wait(sc_core::sc_time(1, sc_core::SC_US)); } // boot looks again
  std::uint32_t mmio_read(std::uint32_t address) override { return access(address, nullptr); }
  void mmio_write(std::uint32_t address, std::uint32_t value) override { access(address, &value); }

 private:
  void run() {
    software_->boot();
    for (;;) wait(sc_core::sc_time(1, sc_core::SC_US));
  }
  std::uint32_t access(std::uint32_t address, const std::uint32_t* value) {
    if (address >= reg::kIntcBase && address < reg::kFlashBase) return 0;
    const std::uint32_t offset = address - reg::kFlashBase;
    if (address >= reg::kFlashBase)
      return access(flash[offset / reg::kFlashStride], offset % reg::kFlashStride, value);
    return access(host, address - reg::kHostBase, value);
  }
  template <typename Socket>
  std::uint32_t access(Socket& socket, std::uint32_t offset, const std::uint32_t* value) {
    sc_core::sc_time delay;
    if (value == nullptr) return access_.read(socket, offset, delay);
    access_.write(socket, offset, *value, delay);
    return 0;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(refuses_ ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  }

  bool refuses_;
  hw::Software* software_ = nullptr;
  hw::RegisterAccess access_;
};

/// A front end whose registers take everything and do nothing, as one with events of its own or as one that
/// acts only when it is called; or refuse what the firmware asks.
class DeafFrontEnd final : public hw::FrontEndBlock, private hw::DmaFence {
 public:
  enum class Manner : std::uint8_t { silent, silent_when_called, refuses };

  DeafFrontEnd(const sc_core::sc_module_name& name, Manner manner) : FrontEndBlock(name), manner_(manner) {
    bar.bind(bar_);
    device.bind(device_);
    fence.bind(*this);
  }
  bool has_external_events() const override { return manner_ == Manner::silent; }
  hw::PciFunctionConfig pci_function() const override { return {}; }
  hw::FrontEndStatistics statistics() const override { return {}; }
  void reset_function(TimePs) override {}
  void set_msix(std::uint16_t, TimePs) override {}
  void set_bus_master(bool, TimePs) override {}
  void disable_intx(bool, TimePs) override {}
  bool interrupt_pending() const override { return false; }

 private:
  TimePs done_at(std::uint32_t) const override { return kNever; }
  void take(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (payload.is_read()) std::fill_n(payload.get_data_ptr(), payload.get_data_length(), std::uint8_t{0});
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  /// It is enabled and becomes ready; doorbells do nothing.
  void show(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const auto offset = static_cast<std::uint32_t>(payload.get_address());
    if (payload.is_write() && offset == nvme::bar::cc) enabled_ = (hw::word_of(payload) & nvme::cc::en) != 0;
    take(payload, delay);
    if (!payload.is_read()) return;
    if (offset == nvme::bar::cap) hw::set_word(payload, 0xFF00'003F); // CAP.TO, 64 entries
    if (offset == nvme::bar::vs) hw::set_word(payload, nvme::kVersion14);
    if (offset == nvme::bar::csts && enabled_) hw::set_word(payload, nvme::csts::rdy);
  }
  void answer(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    take(payload, delay);
    if (payload.is_read() && payload.get_address() == reg::host::max_slots) hw::set_word(payload, 16);
    if (manner_ == Manner::refuses) payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  Manner manner_;
  bool enabled_ = false;
  hw::TargetCalls<DeafFrontEnd> bar_{*this, &DeafFrontEnd::show, nullptr};
  hw::TargetCalls<DeafFrontEnd> device_{*this, &DeafFrontEnd::answer, nullptr};
};

/// From an initiator inside of a block to the block's own.
template <typename Socket>
class Through final : private hw::BlockingTarget<> {
 public:
  tlm::tlm_target_socket<32> in;
  Through(const char* name, Socket& to) : in(name), to_(to) { in.bind(*this); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    to_->b_transport(payload, delay);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return to_->get_direct_mem_ptr(payload, dmi);
  }
  Socket& to_;
};

/// Ours, behind a front that loses the doorbells of the DMA ring, or names commands that there are not.
class LosingFrontEnd final : public hw::FrontEndBlock, private hw::BlockingTarget<> {
 public:
  LosingFrontEnd(const sc_core::sc_module_name& name, const hw::HostInterfaceConfig& config,
                 bool boasts = false)
      : FrontEndBlock(name), boasts_(boasts), inner_("inner", config) {
    bar.bind(inner_.bar);
    fence.bind(inner_.fence);
    device.bind(*this);
    to_inner_.bind(inner_.device);
    inner_.dma.bind(dma_.in);
    inner_.irq.bind(irq_.in);
    inner_.dram.bind(dram_.in);
    inner_.intx(intx);
    inner_.event_queue.bind(event_queue);
  }
  hw::PciFunctionConfig pci_function() const override { return inner_.pci_function(); }
  hw::FrontEndStatistics statistics() const override { return inner_.statistics(); }
  void reset_function(TimePs at) override { inner_.reset_function(at); }
  void set_msix(std::uint16_t control, TimePs at) override { inner_.set_msix(control, at); }
  void set_bus_master(bool on, TimePs at) override { inner_.set_bus_master(on, at); }
  void disable_intx(bool off, TimePs at) override { inner_.disable_intx(off, at); }
  bool interrupt_pending() const override { return inner_.interrupt_pending(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (!boasts_ && payload.is_write() && payload.get_address() == reg::host::dma_tail) {
      return payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    to_inner_->b_transport(payload, delay);
    if (boasts_ && payload.is_read() && payload.get_address() == reg::host::command_tail)
      hw::set_word(payload, hw::word_of(payload) + (1u << 30));
  }

  bool boasts_;
  Through<decltype(FrontEndBlock::dma)> dma_{"to_dma", dma};
  Through<decltype(FrontEndBlock::irq)> irq_{"to_irq", irq};
  Through<decltype(FrontEndBlock::dram)> dram_{"to_dram", dram};
  hw::HostInterface inner_;
  tlm_utils::simple_initiator_socket<LosingFrontEnd> to_inner_{"to_inner"};
};

/// An ECC engine that takes so long for every page.
class SlowEcc final : public hw::EccBlock, private hw::EccStage {
 public:
  SlowEcc(const sc_core::sc_module_name& name, TimePs latency) : EccBlock(name), latency_(latency) {
    stage.bind(*this);
  }
  bool has_external_events() const override { return false; }
  TimePs busy() const override { return 0; }

 private:
  hw::EccResult decode(const hw::EccInput&) override {
    hw::EccResult result;
    result.latency = latency_;
    return result;
  }

  TimePs latency_;
};

/// A channel that refuses all tenures.
class DeafChannel final : public hw::ChannelBlock, private hw::BlockingTarget<hw::OnfiProtocol> {
 public:
  DeafChannel(const sc_core::sc_module_name& name, const hw::ChannelConfig& config)
      : ChannelBlock(name, config.chips) {
    in.bind(*this);
  }
  bool has_external_events() const override { return false; }
  void attach(hw::BusObserver&) override {}
  hw::ChannelStatistics statistics() const override { return {}; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
};

} // namespace twinplane::test
