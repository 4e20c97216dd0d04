// Blocks that a careless user might bring: each does one thing wrong.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "hw/core/target_socket.h"
#include "hw/nand/tenure_expansion.h"
#include "hw/spec/registers.h"
#include "platform/ssd/block_factory.h"
#include "tests/support/deaf_blocks.h"

namespace twinplane::test {

/// Our blocks, but for what a test replaces.
struct OddBlocks final : platform::BlockFactory {
  template <typename Block, typename Config>
  using Maker = std::function<std::unique_ptr<Block>(const char*, const Config&)>;

  Maker<hw::DramBlock, hw::DramConfig> dram;
  Maker<hw::FrontEndBlock, hw::HostInterfaceConfig> front_end;
  Maker<hw::CoreBlock, hw::CpuConfig> core;
  Maker<hw::ControllerBlock, hw::FlashControllerConfig> controller;
  Maker<hw::EccBlock, hw::EccConfig> ecc;
  Maker<hw::ChannelBlock, hw::ChannelConfig> channel;
  Maker<hw::PackageBlock, hw::NandConfig> package;

  std::unique_ptr<hw::DramBlock> make_dram(const char* name, const hw::DramConfig& c) override {
    return dram ? dram(name, c) : BlockFactory::make_dram(name, c);
  }
  std::unique_ptr<hw::FrontEndBlock> make_front_end(const char* name,
                                                    const hw::HostInterfaceConfig& c) override {
    return front_end ? front_end(name, c) : BlockFactory::make_front_end(name, c);
  }
  std::unique_ptr<hw::CoreBlock> make_core(const char* name, const hw::CpuConfig& c) override {
    return core ? core(name, c) : BlockFactory::make_core(name, c);
  }
  std::unique_ptr<hw::ControllerBlock> make_controller(const char* name,
                                                       const hw::FlashControllerConfig& c) override {
    return controller ? controller(name, c) : BlockFactory::make_controller(name, c);
  }
  std::unique_ptr<hw::EccBlock> make_ecc(const char* name, std::uint32_t channel_number,
                                         const hw::EccConfig& c) override {
    return ecc ? ecc(name, c) : BlockFactory::make_ecc(name, channel_number, c);
  }
  std::unique_ptr<hw::ChannelBlock> make_channel(const char* name, const hw::ChannelConfig& c) override {
    return channel ? channel(name, c) : BlockFactory::make_channel(name, c);
  }
  std::unique_ptr<hw::PackageBlock> make_package(const char* name, const hw::NandConfig& c) override {
    return package ? package(name, c) : BlockFactory::make_package(name, c);
  }
};

/// A package around ours, with a fault.
class OddPackage final : public hw::PackageBlock, private hw::BlockingTarget<hw::OnfiProtocol> {
 public:
  enum class Fault : std::uint8_t {
    none,
    unbound,
    refuses_timed,
    refuses_untimed,
    never_ready,
    always_busy,
    adds_delay,
    throws
  };

  OddPackage(const sc_core::sc_module_name& name, const hw::NandConfig& config, Fault fault)
      : PackageBlock(name), fault_(fault), inner_("inner", config) {
    if (fault != Fault::unbound) bus.bind(*this);
    to_inner_.bind(inner_.bus);
  }
  void attach(hw::NandObserver& observer) override { inner_.attach(observer); }
  const hw::NandStatistics& statistics() const override { return inner_.statistics(); }
  std::uint32_t erase_count(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) const override {
    return inner_.erase_count(lun, plane, block);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (fault_ == Fault::refuses_timed) return payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    if (fault_ == Fault::throws) throw std::runtime_error("the pump is out of charge");
    to_inner_->b_transport(payload, delay);
    if (fault_ == Fault::adds_delay) delay += sc_core::sc_time(5, sc_core::SC_US);
    auto& tenure = *payload.get_extension<hw::OnfiTenure>();
    if (fault_ == Fault::never_ready && tenure.sequence == hw::Sequence::program) tenure.ready_at = kNever;
    if (fault_ == Fault::always_busy && tenure.sequence == hw::Sequence::status)
      tenure.planes[0].status = 0x80;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    if (fault_ != Fault::refuses_untimed) return to_inner_->transport_dbg(payload);
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return 0;
  }

  Fault fault_;
  hw::OnfiInitiatorSocket to_inner_{"to_inner"};
  hw::Package inner_;
};

/// Tenures of a block inside of a block leave by the outer one's socket.
class OnfiWay final : private hw::BlockingTarget<hw::OnfiProtocol> {
 public:
  hw::OnfiTargetSocket in;
  OnfiWay(const char* name, hw::OnfiInitiatorSocket& to) : in(name), to_(to) { in.bind(*this); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    to_->b_transport(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return to_->transport_dbg(payload); }

  hw::OnfiInitiatorSocket& to_;
};

/// A channel around ours, with a fault.
class OddChannel final : public hw::ChannelBlock,
                         private hw::BlockingTarget<hw::OnfiProtocol>,
                         private hw::BusObserver {
 public:
  enum class Fault : std::uint8_t { none, no_delay, no_phases, no_timing, no_times };

  OddChannel(const sc_core::sc_module_name& name, const hw::ChannelConfig& config, Fault fault)
      : ChannelBlock(name, config.chips), fault_(fault), inner_("inner", config) {
    in.bind(*this);
    to_inner_.bind(inner_.in);
    for (std::uint32_t chip = 0; chip < config.chips; ++chip) {
      ways_.push_back(std::make_unique<OnfiWay>(("way" + std::to_string(chip)).c_str(), chips[chip]));
      inner_.chips[chip].bind(ways_.back()->in);
    }
    inner_.attach(*this);
  }
  void attach(hw::BusObserver& observer) override {
    observers_.push_back(&observer);
    if (fault_ != Fault::no_timing) observer.on_timing(index_, timing_, tDBSY_);
  }
  hw::ChannelStatistics statistics() const override { return inner_.statistics(); }
  bool has_external_events() const override { return false; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    const sc_core::sc_time before = delay;
    to_inner_->b_transport(payload, delay);
    if (fault_ == Fault::no_delay) delay = before;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return to_inner_->transport_dbg(payload);
  }
  bool wants_phases() const override { return fault_ != Fault::no_phases; }
  void on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) override {
    index_ = channel;
    timing_ = bus;
    tDBSY_ = tDBSY;
    for (hw::BusObserver* o : observers_) {
      if (fault_ != Fault::no_timing) o->on_timing(channel, bus, tDBSY);
    }
  }
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override {
    const TimePs shift = fault_ == Fault::no_times ? us(1) : 0; // other times than the planes'
    for (hw::BusObserver* o : observers_) o->on_tenure(channel, chip, tenure, start + shift, end + shift);
  }

  Fault fault_;
  std::vector<std::unique_ptr<OnfiWay>> ways_;
  std::uint32_t index_ = 0;
  BusTiming timing_;
  TimePs tDBSY_ = 0;
  std::vector<hw::BusObserver*> observers_;
  hw::OnfiInitiatorSocket to_inner_{"to_inner"};
  hw::Channel inner_;
};

/// A flash controller with a clock of its own that takes descriptors and does nothing, or refuses everything.
class DeafController final : public hw::ControllerBlock, private hw::BlockingTarget<> {
 public:
  DeafController(const sc_core::sc_module_name& name, bool refuses)
      : ControllerBlock(name), refuses_(refuses) {
    regs.bind(*this);
    SC_HAS_PROCESS(DeafController);
    SC_METHOD(tick);
    sensitive << clock_.posedge_event();
    dont_initialize();
  }
  const hw::FlashControllerStatistics& statistics() const override { return statistics_; }

 private:
  void tick() {}
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(refuses_ ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    if (payload.is_read()) std::fill_n(payload.get_data_ptr(), payload.get_data_length(), std::uint8_t{0});
  }

  bool refuses_;
  sc_core::sc_clock clock_{"clock", 1, sc_core::SC_US};
  hw::FlashControllerStatistics statistics_;
};

/// Ours, behind a front that passes register accesses on as it likes.
class FrontedController : public hw::ControllerBlock, protected hw::BlockingTarget<> {
 public:
  FrontedController(const sc_core::sc_module_name& name, const hw::FlashControllerConfig& config)
      : ControllerBlock(name), inner_("inner", config) {
    regs.bind(*this);
    to_inner_.bind(inner_.regs);
    inner_.irq.bind(irq_.in);
    inner_.dram.bind(dram_.in);
    inner_.bus.bind(bus_.in);
    inner_.dma_fence.bind(dma_fence);
    inner_.ecc_stage.bind(ecc_stage);
  }
  const hw::FlashControllerStatistics& statistics() const override { return inner_.statistics(); }

 protected:
  tlm_utils::simple_initiator_socket<FrontedController> to_inner_{"to_inner"};

 private:
  Through<decltype(ControllerBlock::irq)> irq_{"to_irq", irq};
  Through<decltype(ControllerBlock::dram)> dram_{"to_dram", dram};
  OnfiWay bus_{"to_bus", bus};
  hw::FlashController inner_;
};

/// Loses doorbells: what the firmware asks of targets in boot is never done.
class LosingController final : public FrontedController {
 public:
  using FrontedController::FrontedController;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (payload.is_write() && payload.get_address() == reg::flash::doorbell)
      return payload.set_response_status(tlm::TLM_OK_RESPONSE);
    to_inner_->b_transport(payload, delay);
  }
};

/// Names completions that there are not.
class BoastingController final : public FrontedController {
 public:
  using FrontedController::FrontedController;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    to_inner_->b_transport(payload, delay);
    if (payload.is_read() && payload.get_address() == reg::flash::completion_tail)
      hw::set_word(payload, hw::word_of(payload) - 1);
  }
};

} // namespace twinplane::test
