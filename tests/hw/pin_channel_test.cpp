// Can a channel of wires stand where a channel of tenures does? Functional tenures pass it, the packages get
// what the wires say, and its counters charge the bus's time as the other one's do.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hw/pins/pin_channel.h"
#include "hw/spec/onfi_commands.h"
#include "tests/support/pin_bench.h"

namespace twinplane::test::pin_channel_test {
namespace {

struct CountingObserver final : hw::BusObserver {
  std::uint32_t tenures = 0;
  std::vector<std::uint32_t> functional_phases;
  void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure&, TimePs, TimePs) override { ++tenures; }
  void on_functional(std::uint32_t, std::uint32_t, const hw::OnfiTenure& tenure) override {
    functional_phases.push_back(tenure.phase_count);
  }
};

struct Sender : sc_core::sc_module {
  hw::OnfiInitiatorSocket out{"out"};
  explicit Sender(const sc_core::sc_module_name& name) : sc_module(name) {}
};

struct WireChannel {
  hw::NandConfig config = pins_part(timing::sdr(5), 2);
  hw::PinConfig pin_config = hw::pins_of(config);
  hw::PinChannel channel{"channel", pin_config};
  PinDriver bus{channel.pins, pin_config};
  Sender sender{"sender"};
  std::vector<std::unique_ptr<hw::Package>> packages;
  CountingObserver observer;
  hw::OnfiTenure tenure;
  tlm::tlm_generic_payload payload;

  WireChannel() {
    expect_reports("twinplane.nand");
    sender.out.bind(channel.in);
    for (std::uint32_t chip = 0; chip < 2; ++chip) {
      hw::NandConfig own = config;
      own.chip = chip;
      packages.push_back(std::make_unique<hw::Package>(("package" + std::to_string(chip)).c_str(), own));
      channel.chips[chip].bind(packages.back()->bus);
      channel.listen(*packages.back());
    }
    channel.attach(observer);
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    payload.set_extension(&tenure);
    PinDriver::run(us(1));
  }
  ~WireChannel() { payload.clear_extension(&tenure); }
  WireChannel(const WireChannel&) = delete;
  WireChannel& operator=(const WireChannel&) = delete;

  /// A page of sectors that all hold `value`, programmed on a chip past the wires.
  void program_functionally(std::uint32_t chip, std::vector<std::uint8_t>& bytes) {
    tenure.sequence = hw::Sequence::program;
    tenure.kind = hw::TenureKind::program;
    tenure.plane_count = 1;
    tenure.planes[0].row = 0;
    tenure.planes[0].bytes = config.geometry.page_size;
    tenure.planes[0].sectors = bytes.data();
    tenure.planes[0].sector_mask = 15;
    payload.set_address(chip);
    sender.out->transport_dbg(payload);
  }
};

TEST(PinChannel, PassesFunctionalTenuresToItsPackagesInNoTime) {
  WireChannel bench;
  std::vector<std::uint8_t> bytes = byte_pattern(2048);
  const TimePs before = PinDriver::now();
  bench.program_functionally(1, bytes);
  EXPECT_EQ(PinDriver::now(), before);
  EXPECT_EQ(bench.observer.functional_phases, std::vector<std::uint32_t>{4}) << "80h, address, data, 10h";
  bench.bus.select(1);
  bench.bus.command(0x00);
  bench.bus.page_address(0);
  bench.bus.command(0x30);
  bench.bus.wait_ready(1);
  bench.bus.wait(bench.config.bus.tRR);
  EXPECT_EQ(bench.bus.data_out(2048), bytes);
  bench.bus.deselect(1);
  EXPECT_EQ(bench.channel.transactor().faults().total(), 0u);
}

TEST(PinChannel, TakesNoTenuresWithTime) {
  WireChannel bench;
  bench.tenure.command(onfi::opcode::reset);
  sc_core::sc_time delay;
  bench.sender.out->b_transport(bench.payload, delay);
  EXPECT_EQ(bench.payload.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
  bench.payload.set_address(2);
  EXPECT_EQ(bench.sender.out->transport_dbg(bench.payload), 0u);
  EXPECT_EQ(bench.payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(PinChannel, ChargesTheBusFromEdgeToEdgeOfChipEnable) {
  WireChannel bench;
  std::vector<std::uint8_t> bytes = byte_pattern(2048);
  bench.program_functionally(0, bytes);
  const BusTiming& t = bench.config.bus;
  const TimePs selected = PinDriver::now();
  bench.bus.select();
  bench.bus.command(0x00);
  bench.bus.page_address(0);
  bench.bus.command(0x30);
  bench.bus.wait_ready();
  bench.bus.wait(t.tRR);
  bench.bus.data_out(100);
  const TimePs deselected = PinDriver::now();
  bench.bus.deselect();
  const hw::ChannelStatistics s = bench.channel.statistics();
  EXPECT_EQ(s.tenures, 1u);
  EXPECT_EQ(bench.observer.tenures, 1u);
  EXPECT_EQ(s.busy, deselected - selected);
  TimePs sum = 0;
  for (const TimePs use : s.use) sum += use;
  EXPECT_EQ(sum, s.busy);
  EXPECT_EQ(s.used_for(hw::BusUse::address), 5 * t.tWC);
  EXPECT_EQ(s.used_for(hw::BusUse::status), 0u);
  EXPECT_EQ(s.used_for(hw::BusUse::data_in), 0u);
  EXPECT_GT(s.used_for(hw::BusUse::data_out), t.data_out.of(100));
}

/// A package that does not know how long it will be busy.
class LatePackage final : public hw::PackageBlock, private hw::BlockingTarget<hw::OnfiProtocol> {
 public:
  explicit LatePackage(const sc_core::sc_module_name& name) : PackageBlock(name) { bus.bind(*this); }
  void attach(hw::NandObserver& observer) override { observer_ = &observer; }
  const hw::NandStatistics& statistics() const override { return statistics_; }
  std::uint32_t erase_count(std::uint32_t, std::uint32_t, std::uint32_t) const override { return 0; }
  void tell(bool is_ready) { observer_->on_ready_busy(0, 0, 0, is_ready, PinDriver::now()); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  hw::NandObserver* observer_ = nullptr;
  hw::NandStatistics statistics_;
};

TEST(PinChannel, KeepsReadyBusyLowUntilSomebodyTellsTheEnd) {
  const hw::NandConfig config = pins_part(timing::sdr(5));
  hw::PinChannel channel("channel", hw::pins_of(config));
  Sender sender("sender");
  LatePackage package("package");
  sender.out.bind(channel.in);
  channel.chips[0].bind(package.bus);
  channel.listen(package);
  const auto& ready = channel.pins.rb_n[0];
  PinDriver::run(us(1));
  for (const bool by_package : {true, false}) {
    EXPECT_TRUE(ready.read());
    package.tell(false);
    PinDriver::run(us(500));
    EXPECT_FALSE(ready.read());
    if (by_package) {
      package.tell(true);
    } else {
      channel.on_ready(0, 0, PinDriver::now() + us(2));
      PinDriver::run(us(1));
      EXPECT_FALSE(ready.read());
    }
    PinDriver::run(us(2));
  }
  EXPECT_TRUE(ready.read());
}

} // namespace
} // namespace twinplane::test::pin_channel_test
