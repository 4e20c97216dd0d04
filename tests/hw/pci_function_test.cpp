// Does an operating system that enumerates find the function, size its BAR, walk its capabilities and reset
// it?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hw/pci/pci_function.h"

namespace twinplane::test::pci_function_test {
namespace {

using hw::PciFunction;

/// Notes what it is told, in order.
struct Device final : hw::PciClient {
  std::vector<std::string> told;
  bool master = true;
  bool intx_off = false;
  bool pending = false;
  std::uint16_t msix = 0;

  void reset_function(TimePs /*at*/) override { told.emplace_back(master ? "reset while master" : "reset"); }
  void set_msix(std::uint16_t control, TimePs /*at*/) override { msix = control; }
  void set_bus_master(bool enabled, TimePs /*at*/) override { master = enabled; }
  void disable_intx(bool disabled, TimePs /*at*/) override { intx_off = disabled; }
  bool interrupt_pending() const override { return pending; }
};

class PciFunctionTest : public testing::Test {
 protected:
  static hw::PciFunctionConfig config() {
    hw::PciFunctionConfig c;
    c.bar_bytes = 0x10000;
    c.msix_vectors = 65;
    c.msix_table = 0x8000;
    c.msix_pending = 0xC000;
    return c;
  }
  void SetUp() override { function.reset(0); }
  std::uint32_t read(std::uint32_t offset, std::uint32_t bytes) const { return function.read(offset, bytes); }
  void write(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) {
    function.write(offset, bytes, value, 0);
  }
  void assign(std::uint64_t address) {
    write(pci::bar0, 4, static_cast<std::uint32_t>(address));
    write(pci::bar1, 4, static_cast<std::uint32_t>(address >> 32));
  }
  /// Offset of the capability with this id, as Linux' pci_find_capability() looks for it; 0: none.
  std::uint32_t find(std::uint8_t id) const {
    if ((read(pci::status, 2) & pci::status_bit::capability_list) == 0) return 0;
    std::uint32_t at = read(pci::capabilities, 1) & ~3u;
    for (int left = 48; at >= 0x40 && left != 0; --left) {
      if (read(at, 1) == id) return at;
      at = read(at + 1, 1) & ~3u;
    }
    return 0;
  }

  Device device;
  PciFunction function{config(), device};
};

TEST_F(PciFunctionTest, IsAnNvmeControllerWithATypeZeroHeader) {
  EXPECT_EQ(read(pci::vendor, 4), 0x0001'5450u);
  EXPECT_EQ(read(pci::revision, 4) >> 8, pci::kNvmeClass);
  EXPECT_EQ(read(pci::header_type, 1), 0u);
  EXPECT_EQ(read(pci::interrupt_pin, 1), 1u);
  EXPECT_EQ(read(pci::command, 2), 0u) << "nothing is on after power-on";
  EXPECT_FALSE(device.master);
}

TEST_F(PciFunctionTest, TellsTheSizeOfItsBar) {
  assign(~std::uint64_t{0});
  EXPECT_EQ(read(pci::bar0, 4), 0xFFFF'0004u) << "64 KiB of memory, anywhere, not prefetchable";
  EXPECT_EQ(read(pci::bar1, 4), 0xFFFF'FFFFu);
  for (std::uint32_t other = pci::bar1 + 4; other < 0x28; other += 4) {
    write(other, 4, 0xFFFF'FFFF);
    EXPECT_EQ(read(other, 4), 0u) << other;
  }
  write(0x30, 4, 0xFFFF'FFFF);
  EXPECT_EQ(read(0x30, 4), 0u) << "no expansion ROM";
}

TEST_F(PciFunctionTest, AnswersInItsBarWhileMemorySpaceIsOn) {
  constexpr std::uint64_t kBar = 0x12'3456'0000;
  assign(kBar);
  EXPECT_FALSE(function.decode(kBar, 4));
  write(pci::command, 2, pci::command_bit::memory_space);
  EXPECT_EQ(function.decode(kBar, 4), 0u);
  EXPECT_EQ(function.decode(kBar + 0xFFF8, 8), 0xFFF8u);
  EXPECT_FALSE(function.decode(kBar + 0xFFFC, 8)) << "half of it is outside";
  EXPECT_FALSE(function.decode(kBar - 4, 4));
  EXPECT_FALSE(function.decode(kBar & 0xFFFF'FFFF, 4)) << "the upper half counts";
}

TEST_F(PciFunctionTest, HasThreeCapabilities) {
  EXPECT_EQ(find(pci::power::id), pci::power::offset);
  EXPECT_EQ(find(pci::msix::id), pci::msix::offset);
  EXPECT_EQ(find(pci::express::id), pci::express::offset);
  EXPECT_EQ(find(0x05), 0u) << "no MSI";
  EXPECT_EQ(read(pci::msix::control, 2), 64u) << "vectors - 1";
  EXPECT_EQ(read(pci::msix::table, 4), 0x8000u);
  EXPECT_EQ(read(pci::msix::pending, 4), 0xC000u);
  EXPECT_EQ(read(pci::express::link_status, 2), 4u << 4 | 3u) << "x4, 8 GT/s";
  EXPECT_NE(read(pci::express::device_capabilities, 4) & pci::express::flr_capable, 0u);
  EXPECT_EQ(read(0x100, 4), 0u) << "no extended capability";
}

TEST_F(PciFunctionTest, KeepsWhatIsNotToBeWritten) {
  std::vector<std::uint32_t> before;
  for (std::uint32_t i = 0; i < 256; ++i) before.push_back(read(i, 1));
  for (const std::uint32_t at : {pci::vendor, pci::device, pci::class_code, pci::capabilities,
                                 pci::msix::table, pci::express::device_capabilities, pci::subsystem}) {
    write(at, 1, ~before[at] & 0xFF);
    EXPECT_EQ(read(at, 1), before[at]) << at;
  }
  write(0x100, 4, 1);
  EXPECT_EQ(read(0x100, 4), 0u);
}

TEST_F(PciFunctionTest, PassesOnWhatItsRegistersSay) {
  write(pci::command, 2, pci::command_bit::bus_master | pci::command_bit::intx_disable);
  EXPECT_TRUE(device.master);
  EXPECT_TRUE(device.intx_off);
  write(pci::msix::control, 2, pci::msix::enable | pci::msix::mask_all);
  EXPECT_EQ(device.msix & 0xC000, 0xC000);
  write(pci::msix::control + 1, 1, 0x80); // a byte of it
  EXPECT_EQ(device.msix & 0xC000, 0x8000);
  device.pending = true;
  EXPECT_EQ(read(pci::status, 2), pci::status_bit::interrupt | pci::status_bit::capability_list);
  EXPECT_EQ(read(pci::command, 4) >> 19 & 1, 1u) << "in a wider read, too";
}

TEST_F(PciFunctionTest, SleepsInD3AndWakesUnchanged) {
  assign(0x8000'0000);
  write(pci::command, 2, pci::command_bit::memory_space | pci::command_bit::bus_master);
  write(pci::power::control, 2, pci::power::d3_hot);
  EXPECT_FALSE(function.decode(0x8000'0000, 4));
  EXPECT_FALSE(device.master);
  write(pci::power::control, 2, 0);
  EXPECT_EQ(function.decode(0x8000'0000, 4), 0u) << "No_Soft_Reset";
  EXPECT_TRUE(device.master);
  EXPECT_EQ(device.told.size(), 1u) << "the one of power-on";
}

TEST_F(PciFunctionTest, IsResetByItsOwnBitAndStopsBeforeThat) {
  assign(0x8000'0000);
  write(pci::command, 2, 0x0406);
  write(pci::msix::control, 2, pci::msix::enable);
  write(pci::interrupt_line, 1, 11);
  const std::uint32_t control = read(pci::express::device_control, 2);
  device.told.clear();
  write(pci::express::device_control, 2, control | pci::express::initiate_flr);
  EXPECT_EQ(device.told, std::vector<std::string>{"reset"}) << "it may not reach the host any more";
  EXPECT_EQ(function.resets(), 1u);
  EXPECT_EQ(read(pci::express::device_control, 2), control) << "the bit reads as 0";
  EXPECT_EQ(read(pci::command, 2), 0u);
  EXPECT_EQ(function.bar(), 0u);
  EXPECT_EQ(read(pci::interrupt_line, 1), 0u);
  EXPECT_EQ(device.msix & 0xC000, 0);
  write(pci::express::device_control, 1, 0x10); // its other byte
  EXPECT_EQ(function.resets(), 1u);
}

} // namespace
} // namespace twinplane::test::pci_function_test
