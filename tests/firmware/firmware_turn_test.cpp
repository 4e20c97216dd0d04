// The whole firmware, booted over simulated flash: boot refusals, turns, and host data through NVMe and FTL.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "firmware/boot/firmware.h"
#include "tests/support/nvme_bench.h"
#include "tests/support/sim_hal.h"

namespace twinplane::test::firmware_turn_test {
namespace {

constexpr std::uint32_t kSlots = 64;

Geometry small_geometry(std::uint32_t channels) {
  Geometry g;
  g.channels = channels;
  g.planes_per_die = 2;
  g.blocks_per_plane = 32;
  g.pages_per_block = 16;
  return g;
}

SimHalConfig flash_config(std::uint32_t channels) {
  SimHalConfig config;
  config.geometry = small_geometry(channels);
  config.slots = kSlots;
  config.slot_sectors = 32;
  return config;
}

/// Simulated flash and DMA of SimHal, with the command ring, the mailbox and the interrupt controller.
class Machine final : public fw::Hal {
 public:
  explicit Machine(std::uint32_t channels = 2) : sim(flash_config(channels)) {}

  std::uint16_t fetch(std::uint16_t slot, std::uint16_t sqid, const nvme::Sqe& entry) {
    CommandEntry e;
    std::memcpy(e.sqe, &entry, sizeof entry);
    e.slot = slot;
    e.sqid = sqid;
    std::memcpy(sim.dram() + command_base_ + (command_tail_++ & (command_size_ - 1)) * sizeof e, &e,
                sizeof e);
    causes[0] |= 1u << reg::irq::host_command;
    return slot;
  }
  void raise_event(std::uint32_t bits) {
    event_ |= bits;
    causes[0] |= 1u << reg::irq::host_event;
  }

  std::uint32_t mmio_read(std::uint32_t address) override {
    ++reads;
    switch (address) {
      case reg::kIntcBase + reg::intc::cause_lo:
        return std::exchange(causes[0], 0);
      case reg::kIntcBase + reg::intc::cause_hi:
        return std::exchange(causes[1], 0);
      case reg::kIntcBase + reg::intc::cause_top:
        return std::exchange(causes[2], 0);
      case reg::kHostBase + reg::host::max_slots:
        return slots;
      case reg::kHostBase + reg::host::command_tail:
        return command_tail_;
      case reg::kHostBase + reg::host::event:
        return std::exchange(event_, 0);
      case reg::kHostBase + reg::host::queue_result:
        return 0;
      case reg::kHostBase + reg::host::inflight:
        return 0;
      default:
        return sim.mmio_read(address);
    }
  }
  void mmio_write(std::uint32_t address, std::uint32_t value) override {
    const std::uint32_t offset = address - reg::kHostBase;
    const bool dma = (offset >= reg::host::dma_base && offset <= reg::host::dma_tail) ||
                     (offset >= reg::host::dma_status && offset <= reg::host::data_slot);
    if (address >= reg::kFlashBase || dma) {
      sim.mmio_write(address, value);
    } else if (offset == reg::host::command_base) {
      command_base_ = value;
    } else if (offset == reg::host::command_size) {
      command_size_ = value;
    } else if (offset == reg::host::control) {
      control = value;
    }
  }
  std::uint8_t* dram() override { return sim.dram(); }
  std::uint32_t dram_size() const override { return dram_bytes; }
  void* boot_alloc(std::size_t bytes) override { return sim.boot_alloc(bytes); }
  void charge(std::uint32_t cycles) override { sim.charge(cycles); }
  std::uint64_t now_ps() const override { return sim.now_ps(); }
  void wait_for_interrupt() override { sim.wait_for_interrupt(); }
  FlashCompletion flash_functional(std::uint32_t channel, const FlashDescriptor& d,
                                   std::uint8_t* p) override {
    return sim.flash_functional(channel, d, p);
  }
  [[noreturn]] void panic(const char* what) override { sim.panic(what); }

  SimHal sim;
  std::uint32_t causes[3] = {};
  std::uint32_t slots = kSlots;
  std::uint32_t dram_bytes = 16u << 20;
  std::uint32_t control = 0;
  std::uint32_t reads = 0;

 private:
  std::uint32_t command_base_ = 0, command_size_ = 1, command_tail_ = 0;
  std::uint32_t event_ = 0;
};

fw::FirmwareConfig firmware_config(std::uint32_t channels = 2) {
  fw::FirmwareConfig config;
  config.ftl.geometry = small_geometry(channels);
  config.ftl.over_provisioning = 0.4;
  return config;
}

class FirmwareTurn : public testing::Test {
 protected:
  void boot(std::uint32_t channels = 2) {
    machine = std::make_unique<Machine>(channels);
    const auto error = firmware.boot(*machine, firmware_config(channels));
    ASSERT_EQ(error.text, nullptr) << error.step << ": " << error.text;
    machine->raise_event(reg::host_event::enabled);
    run();
    ASSERT_EQ(machine->control, reg::host_control::set_ready);
    machine->fetch(0, 0, create_cq(1, 64));
    machine->fetch(1, 0, create_sq(1, 64, 1));
    run();
    ASSERT_EQ(machine->sim.take_completed().size(), 2u);
  }
  /// Turns and hardware events until nothing moves. As on the core, nothing but an interrupt or the
  /// firmware's own wish brings a turn: one more would hide a lost wake-up.
  void run() {
    for (;;) {
      while ((machine->causes[0] | machine->causes[1] | machine->causes[2]) != 0 || more) {
        more = firmware.step();
      }
      if (!machine->sim.step()) break;
      if (machine->sim.take_dma_irq()) machine->causes[0] |= 1u << reg::irq::host_dma;
      const std::uint64_t irqs = machine->sim.take_irqs();
      for (std::uint32_t channel = 0; channel < 64; ++channel) {
        const std::uint32_t source = reg::irq::flash0 + channel;
        if ((irqs >> channel & 1) != 0) machine->causes[source / 32] |= 1u << source % 32;
      }
    }
  }
  std::uint16_t execute(std::uint16_t slot, const nvme::Sqe& entry) {
    machine->fetch(slot, 1, entry);
    run();
    const auto completed = machine->sim.take_completed();
    EXPECT_EQ(completed.size(), 1u);
    return completed.empty() ? 0xFFFF : static_cast<std::uint16_t>(completed[0].status & ~nvme::status::dnr);
  }
  void fill(std::uint16_t slot, std::uint64_t lba, std::uint32_t sectors, std::uint64_t sequence) {
    for (std::uint32_t i = 0; i < sectors; ++i) {
      const SectorTag tag{lba + i, sequence};
      std::memcpy(machine->sim.host_data(slot) + i * sizeof tag, &tag, sizeof tag);
    }
  }
  SectorTag tag(std::uint16_t slot, std::uint32_t i) {
    SectorTag t;
    std::memcpy(&t, machine->sim.host_data(slot) + i * sizeof t, sizeof t);
    return t;
  }

  std::unique_ptr<Machine> machine;
  fw::Firmware firmware;
  bool more = false; // the last turn asked for another one
};

TEST_F(FirmwareTurn, DataGoesThroughNvmeFtlAndFlashAndComesBack) {
  boot();
  fill(3, 100, 32, 9);
  EXPECT_EQ(execute(3, transfer(nvme::io::write, 100, 32)), nvme::status::success);
  EXPECT_EQ(execute(5, transfer(nvme::io::read, 100, 32)), nvme::status::success);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(tag(5, i).lba, 100 + i);
    EXPECT_EQ(tag(5, i).sequence, 9u);
  }
  EXPECT_TRUE(firmware.idle());
}

TEST_F(FirmwareTurn, ReadOfNeverWrittenSectorsIsZero) {
  boot();
  fill(5, 0, 4, 1);
  EXPECT_EQ(execute(5, transfer(nvme::io::read, 0, 4)), nvme::status::success);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(tag(5, i).sequence, 0u);
}

TEST_F(FirmwareTurn, CompareSeesStoredDataAndZerosOfUnmappedSectors) {
  boot();
  fill(3, 8, 2, 7);
  execute(3, transfer(nvme::io::write, 8, 2));
  EXPECT_EQ(execute(3, transfer(nvme::io::compare, 8, 2)), nvme::status::success);
  fill(3, 8, 2, 8);
  EXPECT_EQ(execute(3, transfer(nvme::io::compare, 8, 2)), nvme::status::compare_failure);
  std::memset(machine->sim.host_data(4), 0, 2 * sizeof(SectorTag));
  EXPECT_EQ(execute(4, transfer(nvme::io::compare, 200, 2)), nvme::status::success);
}

TEST_F(FirmwareTurn, AFullRingIsTakenInBatchesWithoutLosingACommand) {
  boot();
  for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
    fill(slot, slot * 4u, 4, 1);
    machine->fetch(slot, 1, transfer(nvme::io::write, slot * 4u, 4));
  }
  run();
  EXPECT_EQ(machine->sim.take_completed().size(), kSlots);
}

TEST_F(FirmwareTurn, MoreCommandsThanABatchAskForAnotherTurn) {
  machine = std::make_unique<Machine>();
  machine->slots = 128;
  ASSERT_EQ(firmware.boot(*machine, firmware_config()).text, nullptr);
  for (std::uint16_t slot = 0; slot < 128; ++slot) machine->fetch(slot, 0, sqe(0x80)); // disabled: dropped
  EXPECT_TRUE(firmware.step());
  EXPECT_FALSE(firmware.step());
  EXPECT_EQ(firmware.nvme().in_flight(), 0u);
}

TEST_F(FirmwareTurn, ATurnWithoutCauseReadsOnlyTheCauseRegister) {
  boot();
  machine->reads = 0;
  EXPECT_FALSE(firmware.step());
  EXPECT_EQ(machine->reads, 1u);
}

TEST_F(FirmwareTurn, ChannelsBeyondTheFirstCauseWordAreServed) {
  boot(64); // sources 8 to 71: all three words
  for (std::uint16_t i = 0; i < 16; ++i) {
    fill(i, i * 32u, 32, 3);
    machine->fetch(i, 1, transfer(nvme::io::write, i * 32u, 32));
  }
  run();
  EXPECT_EQ(machine->sim.take_completed().size(), 16u);
}

// --- boot ---

TEST(FirmwareBoot, RefusalNamesTheStepAndTheReason) {
  struct Case {
    const char* step;
    const char* text;
    void (*spoil)(Machine&, fw::FirmwareConfig&);
  };
  const Case cases[] = {
      {"check the configuration", "sector_size",
       [](Machine&, fw::FirmwareConfig& c) { c.ftl.geometry.sector_size = 520; }},
      {"check the configuration", "page_size",
       [](Machine&, fw::FirmwareConfig& c) { c.ftl.geometry.page_size = 6000; }},
      {"check the configuration", "channels",
       [](Machine&, fw::FirmwareConfig& c) { c.ftl.geometry.channels = 65; }},
      {"check the configuration", "mdts", [](Machine&, fw::FirmwareConfig& c) { c.nvme.mdts = 13; }},
      {"check the configuration", "slots", [](Machine& m, fw::FirmwareConfig&) { m.slots = 0; }},
      {"check the configuration", "slots", [](Machine& m, fw::FirmwareConfig&) { m.slots = 1; }},
      {"lay out device DRAM", "DRAM", [](Machine& m, fw::FirmwareConfig&) { m.dram_bytes = 4096; }},
      {"boot the flash translation layer", "ftl.",
       [](Machine&, fw::FirmwareConfig& c) { c.ftl.victim = "nonsense"; }},
      {"boot the NVMe controller", "max_io_queues",
       [](Machine&, fw::FirmwareConfig& c) { c.nvme.max_io_queues = 0; }},
  };
  for (const Case& c : cases) {
    Machine machine;
    fw::FirmwareConfig config = firmware_config();
    c.spoil(machine, config);
    fw::Firmware firmware;
    const auto error = firmware.boot(machine, config);
    ASSERT_NE(error.text, nullptr) << c.step << ", " << c.text;
    EXPECT_STREQ(error.step, c.step);
    EXPECT_NE(std::string(error.text).find(c.text), std::string::npos) << error.text;
  }
}

} // namespace
} // namespace twinplane::test::firmware_turn_test
