// Blocks that break their contracts: each is ours inside, and now and then does with a call what it must not. The
// input says at which calls, and what.
#pragma once

#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "hw/core/target_socket.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/support/deaf_blocks.h"
#include "tests/support/odd_blocks.h"

namespace twinplane::fuzz {

/// When a block misbehaves: behind so many calls each time. It behaves when the input has ended.
class Mischief {
 public:
  explicit Mischief(Bytes& bytes) : bytes_(bytes) { draw(); }
  /// What it does at this call; 0: what it should.
  std::uint8_t now() {
    if (calls_left_ != 0) {
      --calls_left_;
      return 0;
    }
    const auto what = bytes_.take<std::uint8_t>();
    draw();
    return what;
  }
  Bytes& bytes() { return bytes_; }
  /// A time that is often near, and sometimes impossible.
  TimePs time(TimePs near) {
    switch (bytes_.take<std::uint8_t>() % 6) {
      case 0:
        return 0;
      case 1:
        return kNever;
      case 2:
        return kNever - bytes_.take<std::uint16_t>();
      case 3:
        return bytes_.take<std::uint64_t>();
      case 4:
        return near - us(bytes_.take<std::uint8_t>());
      default:
        return near + us(bytes_.take<std::uint16_t>());
    }
  }
  double number() {
    switch (bytes_.take<std::uint8_t>() % 6) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return std::numeric_limits<double>::infinity();
      case 2:
        return -1;
      case 3:
        return 1e300;
      default:
        return bytes_.take<std::uint16_t>() / 16.0;
    }
  }

 private:
  void draw() {
    const auto skip = bytes_.take<std::uint8_t>();
    calls_left_ = bytes_.empty() ? ~std::uint64_t{0} : skip < 200 ? skip : (skip - 199u) * 50u;
  }

  Bytes& bytes_;
  std::uint64_t calls_left_ = 0;
};

/// Passes transactions on, but for its mischief. `spoil` changes what has been answered.
template <typename Protocol, typename Socket>
class RogueWay final : public hw::BlockingTarget<Protocol> {
 public:
  using Spoil = std::function<void(tlm::tlm_generic_payload&)>;
  RogueWay(Mischief& mischief, Socket& to, Spoil spoil)
      : mischief_(mischief), to_(to), spoil_(std::move(spoil)) {}

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    const std::uint8_t fault = mischief_.now();
    switch (fault % 10) {
      case 1:
        return payload.set_response_status(status());
      case 2:
        throw std::runtime_error("the pump is out of charge");
      case 3:
        throw 42;
      case 4:
        SC_REPORT_ERROR("mine", "the pump is out of charge");
        break;
      case 5: // a bystander's answer
        return payload.set_response_status(tlm::TLM_OK_RESPONSE);
      default:
        break;
    }
    const sc_core::sc_time before = delay;
    to_->b_transport(payload, delay);
    if (fault % 10 == 6) payload.set_response_status(status());
    if (fault % 10 == 7) delay = before;
    if (fault % 10 == 8) delay += sc_core::sc_time::from_value(mischief_.time(us(1)));
    if (fault % 10 == 9 || fault >= 200) spoil_(payload);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    const unsigned done = to_->transport_dbg(payload);
    return mischief_.now() % 10 == 9 ? mischief_.bytes().take<std::uint8_t>() : done;
  }
  tlm::tlm_response_status status() {
    return static_cast<tlm::tlm_response_status>(mischief_.bytes().take<std::uint8_t>() % 8 - 6);
  }

  Mischief& mischief_;
  Socket& to_;
  Spoil spoil_;
};

/// What a package may answer to a tenure, whether it can be or not.
inline void spoil_answer(Mischief& mischief, hw::OnfiTenure& tenure) {
  Bytes& bytes = mischief.bytes();
  hw::OnfiPlane& plane = tenure.planes[bytes.take<std::uint8_t>() % tenure.planes.size()];
  hw::OnfiPhase& phase = tenure.phases[bytes.take<std::uint8_t>() % tenure.phases.size()];
  switch (bytes.take<std::uint8_t>() % 10) {
    case 0:
      tenure.ready_at = mischief.time(tenure.ready_at);
      break;
    case 1:
      tenure.plane_ready_at = mischief.time(tenure.plane_ready_at);
      break;
    case 2:
      tenure.array_ready_at = mischief.time(tenure.array_ready_at);
      break;
    case 3:
      plane.status = bytes.take<std::uint8_t>();
      break;
    case 4:
      plane.oob = bytes.take<std::uint64_t>();
      plane.lost = bytes.take<std::uint32_t>();
      break;
    case 5:
      plane.blank = !plane.blank;
      plane.corrupt = bytes.take<std::uint8_t>() % 2 != 0;
      break;
    case 6:
      plane.errors.worst = mischief.number();
      plane.errors.total = mischief.number();
      plane.errors.codewords = bytes.take<std::uint32_t>();
      plane.errors.kind = bytes.take<std::uint8_t>();
      break;
    case 7:
      if (phase.data == nullptr || phase.kind != hw::PhaseKind::data_out) break;
      for (std::uint32_t i = 0; i < phase.bytes && i < 8; ++i) phase.data[i] = bytes.take<std::uint8_t>();
      break;
    case 8: {
      static const BusTiming kOther = timing::sdr(0);
      tenure.new_timing = &kOther;
      break;
    }
    default:
      tenure.planes[0].begin = mischief.time(tenure.planes[0].begin);
      tenure.planes[0].end = mischief.time(tenure.planes[0].end);
      break;
  }
}

class RoguePackage final : public hw::PackageBlock {
 public:
  RoguePackage(const sc_core::sc_module_name& name, const hw::NandConfig& config, Mischief& mischief)
      : PackageBlock(name),
        way_(mischief, to_inner_,
             [&mischief](auto& p) { spoil_answer(mischief, *p.template get_extension<hw::OnfiTenure>()); }),
        inner_("inner", config) {
    bus.bind(way_);
    to_inner_.bind(inner_.bus);
  }
  void attach(hw::NandObserver& observer) override { inner_.attach(observer); }
  const hw::NandStatistics& statistics() const override { return inner_.statistics(); }
  std::uint32_t erase_count(std::uint32_t lun, std::uint32_t plane, std::uint32_t block) const override {
    return inner_.erase_count(lun, plane, block);
  }

 private:
  hw::OnfiInitiatorSocket to_inner_{"to_inner"};
  RogueWay<hw::OnfiProtocol, hw::OnfiInitiatorSocket> way_;
  hw::Package inner_;
};

/// Around ours. Its observers may be told anything.
class RogueChannel final : public hw::ChannelBlock, private hw::BusObserver {
 public:
  RogueChannel(const sc_core::sc_module_name& name, const hw::ChannelConfig& config, Mischief& mischief)
      : ChannelBlock(name, config.chips),
        mischief_(mischief),
        way_(mischief, to_inner_, [](auto& p) { p.set_address(7); }),
        inner_("inner", config) {
    in.bind(way_);
    to_inner_.bind(inner_.in);
    for (std::uint32_t chip = 0; chip < config.chips; ++chip) {
      ways_.push_back(std::make_unique<test::OnfiWay>(("way" + std::to_string(chip)).c_str(), chips[chip]));
      inner_.chips[chip].bind(ways_.back()->in);
    }
    inner_.attach(*this);
  }
  void attach(hw::BusObserver& observer) override {
    observers_.push_back(&observer);
    observer.on_timing(index_, timing_, tDBSY_);
  }
  hw::ChannelStatistics statistics() const override { return inner_.statistics(); }
  bool has_external_events() const override { return false; }

 private:
  bool wants_phases() const override { return true; }
  void on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) override {
    index_ = channel;
    timing_ = bus;
    tDBSY_ = tDBSY;
    if (mischief_.now() % 10 == 1) return;
    for (hw::BusObserver* o : observers_) o->on_timing(channel, bus, tDBSY);
  }
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override {
    const std::uint8_t fault = mischief_.now() % 10;
    if (fault == 1) return;
    if (fault == 2) start = mischief_.time(start);
    if (fault == 3) end = mischief_.time(end);
    if (fault == 4) chip = mischief_.bytes().take<std::uint8_t>();
    if (fault == 5) channel = mischief_.bytes().take<std::uint8_t>();
    for (hw::BusObserver* o : observers_) o->on_tenure(channel, chip, tenure, start, end);
  }

  Mischief& mischief_;
  std::uint32_t index_ = 0;
  BusTiming timing_;
  TimePs tDBSY_ = 0;
  std::vector<hw::BusObserver*> observers_;
  std::vector<std::unique_ptr<test::OnfiWay>> ways_;
  hw::OnfiInitiatorSocket to_inner_{"to_inner"};
  RogueWay<hw::OnfiProtocol, hw::OnfiInitiatorSocket> way_;
  hw::Channel inner_;
};

class RogueEcc final : public hw::EccBlock, private hw::EccStage {
 public:
  RogueEcc(const sc_core::sc_module_name& name, Mischief& mischief) : EccBlock(name), mischief_(mischief) {
    stage.bind(*this);
  }
  bool has_external_events() const override { return false; }
  TimePs busy() const override { return 0; }

 private:
  hw::EccResult decode(const hw::EccInput& input) override {
    hw::EccResult result;
    const std::uint8_t fault = mischief_.now();
    result.latency = fault % 4 == 1 ? mischief_.time(us(1)) : us(1);
    result.uncorrectable = fault % 4 == 2;
    if (fault % 4 == 3) throw std::runtime_error("the pump is out of charge");
    if (fault >= 128) result.failed = mischief_.bytes().take<std::uint32_t>();
    if (fault >= 192) result.corrected_bits = hw::whole_bits(input.errors.total);
    return result;
  }

  Mischief& mischief_;
};

/// Goes by address, and answers any time.
class RogueDram final : public hw::DramTiming, public hw::DramBlock, private hw::BlockingTarget<> {
 public:
  RogueDram(const sc_core::sc_module_name& name, const hw::DramConfig& config, Mischief& mischief)
      : DramBlock(name, hw::BandwidthPort(static_cast<hw::DramTiming&>(*this))),
        mischief_(mischief),
        inner_("inner", config.bytes) {
    port.bind(*this);
    to_inner_.bind(inner_.port);
  }
  bool has_external_events() const override { return false; }

 private:
  TimePs access(const hw::DramAccess& access) override {
    const std::uint8_t fault = mischief_.now();
    if (fault % 4 == 3) throw std::runtime_error("the pump is out of charge");
    return fault % 4 == 0 ? access.at + ns(100) : mischief_.time(access.at);
  }
  TimePs busy() const override { return 0; }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    to_inner_->b_transport(payload, delay);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    const bool granted = to_inner_->get_direct_mem_ptr(payload, dmi);
    const std::uint8_t fault = mischief_.now() % 10;
    if (fault == 1) dmi.set_end_address(dmi.get_end_address() / 2);
    if (fault == 2) dmi.set_start_address(4096);
    if (fault == 3) dmi.allow_read();
    if (fault == 4) dmi.set_dmi_ptr(nullptr);
    return granted && fault != 5;
  }

  Mischief& mischief_;
  tlm_utils::simple_initiator_socket<RogueDram> to_inner_{"to_inner"};
  hw::Dram inner_;
};

/// Registers that answer anything.
inline void spoil_register(Mischief& mischief, tlm::tlm_generic_payload& payload) {
  if (payload.is_read()) hw::set_word(payload, mischief.bytes().take<std::uint32_t>());
}

class RogueController final : public hw::ControllerBlock {
 public:
  RogueController(const sc_core::sc_module_name& name, const hw::FlashControllerConfig& config,
                  Mischief& mischief)
      : ControllerBlock(name),
        way_(mischief, to_inner_, [&mischief](auto& p) { spoil_register(mischief, p); }),
        irq_way_(mischief, irq, [](auto&) {}),
        inner_("inner", config) {
    regs.bind(way_);
    to_inner_.bind(inner_.regs);
    irq_in_.bind(irq_way_);
    inner_.irq.bind(irq_in_);
    inner_.dram.bind(dram_.in);
    inner_.bus.bind(bus_.in);
    inner_.dma_fence.bind(dma_fence);
    inner_.ecc_stage.bind(ecc_stage);
  }
  void on_ready(std::uint32_t chip, std::uint32_t lun, TimePs at) override {
    static_cast<hw::ReadyBusy&>(inner_).on_ready(chip, lun, at);
  }
  const hw::FlashControllerStatistics& statistics() const override { return inner_.statistics(); }

 private:
  tlm_utils::simple_initiator_socket<RogueController> to_inner_{"to_inner"};
  RogueWay<tlm::tlm_base_protocol_types, decltype(to_inner_)> way_;
  tlm::tlm_target_socket<32> irq_in_{"irq_in"};
  RogueWay<tlm::tlm_base_protocol_types, decltype(ControllerBlock::irq)> irq_way_;
  test::Through<decltype(ControllerBlock::dram)> dram_{"to_dram", dram};
  test::OnfiWay bus_{"to_bus", bus};
  hw::FlashController inner_;
};

/// Its registers towards the firmware answer anything.
class RogueFrontEnd final : public hw::FrontEndBlock {
 public:
  RogueFrontEnd(const sc_core::sc_module_name& name, const hw::HostInterfaceConfig& config,
                Mischief& mischief)
      : FrontEndBlock(name),
        way_(mischief, to_inner_, [&mischief](auto& p) { spoil_register(mischief, p); }),
        inner_("inner", config) {
    bar.bind(inner_.bar);
    fence.bind(inner_.fence);
    device.bind(way_);
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
  tlm_utils::simple_initiator_socket<RogueFrontEnd> to_inner_{"to_inner"};
  RogueWay<tlm::tlm_base_protocol_types, decltype(to_inner_)> way_;
  test::Through<decltype(FrontEndBlock::dma)> dma_{"to_dma", dma};
  test::Through<decltype(FrontEndBlock::irq)> irq_{"to_irq", irq};
  test::Through<decltype(FrontEndBlock::dram)> dram_{"to_dram", dram};
  hw::HostInterface inner_;
};

/// One of them in a drive of ours.
struct Rogue {
  const char* name;
  void (*make)(test::OddBlocks& blocks, Mischief& mischief);
};

/// Where there are several of a kind, those of channel 1.
inline const Rogue kRogues[] = {
    {"ssd.ch1_chip",
     [](test::OddBlocks& blocks, Mischief& mischief) {
       blocks.package = [&mischief](const char* name,
                                    const hw::NandConfig& c) -> std::unique_ptr<hw::PackageBlock> {
         if (c.channel == 0) return std::make_unique<hw::Package>(name, c);
         return std::make_unique<RoguePackage>(name, c, mischief);
       };
     }},
    {"ssd.ch1",
     [](test::OddBlocks& blocks, Mischief& mischief) {
       blocks.channel = [&mischief](const char* name,
                                    const hw::ChannelConfig& c) -> std::unique_ptr<hw::ChannelBlock> {
         if (c.index == 0) return std::make_unique<hw::Channel>(name, c);
         return std::make_unique<RogueChannel>(name, c, mischief);
       };
     }},
    {"ssd.ecc1",
     [](test::OddBlocks& blocks, Mischief& mischief) {
       blocks.ecc = [&mischief](const char* name, const hw::EccConfig& c) -> std::unique_ptr<hw::EccBlock> {
         if (std::strcmp(name, "ecc0") == 0) return std::make_unique<hw::EccModule>(name, c);
         return std::make_unique<RogueEcc>(name, mischief);
       };
     }},
    {"ssd.dram",
     [](test::OddBlocks& blocks, Mischief& mischief) {
       blocks.dram = [&mischief](const char* name, const hw::DramConfig& c) {
         return std::make_unique<RogueDram>(name, c, mischief);
       };
     }},
    {"ssd.controller1",
     [](test::OddBlocks& blocks, Mischief& mischief) {
       blocks.controller = [&mischief](
                               const char* name,
                               const hw::FlashControllerConfig& c) -> std::unique_ptr<hw::ControllerBlock> {
         if (c.channel == 0) return std::make_unique<hw::FlashController>(name, c);
         return std::make_unique<RogueController>(name, c, mischief);
       };
     }},
    {"ssd.host_if",
     [](test::OddBlocks& blocks, Mischief& mischief) {
       blocks.front_end = [&mischief](const char* name, const hw::HostInterfaceConfig& c) {
         return std::make_unique<RogueFrontEnd>(name, c, mischief);
       };
     }},
};

} // namespace twinplane::fuzz
