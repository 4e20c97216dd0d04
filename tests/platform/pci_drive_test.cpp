// A whole drive behind its PCI function: does a host that enumerates it reach it, mask its messages, take
// away its bus, and reset it under load without a completion lost or brought twice?
#include <gtest/gtest.h>

#include "examples/banked_dram/blocks.h"
#include "examples/ispp_package/blocks.h"
#include "tests/support/pci_bench.h"

namespace twinplane::test::pci_drive_test {
namespace {

TEST(PciDrive, IsReachedThroughItsBarOnceThatIsAssigned) {
  PciBench b;
  b.run([&] {
    EXPECT_EQ(b.host.read(nvme::bar::vs), 0xFFFF'FFFFu) << "nothing answers there yet";
    b.bring_up();
    EXPECT_EQ(b.host.read(nvme::bar::vs), nvme::kVersion14);
    b.host.start();
    ASSERT_TRUE(b.host.up);
    EXPECT_EQ(b.host.write_sector(3, 0x5A), 0);
    EXPECT_EQ(b.host.read_sector(3), 0x5A);
    EXPECT_GT(b.host.messages, 0u);
  });
}

/// As BAR0 and host memory answer a burst that goes to one place over and over.
TEST(PciDrive, TakesNoStreamsInConfigurationSpace) {
  PciBench b;
  b.run([&] {
    std::uint32_t value = 0;
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(pci::vendor);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(4);
    sc_core::sc_time delay;
    for (const unsigned width : {1u, 2u, 4u, 8u}) {
      p.set_streaming_width(width);
      p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      b.root.config->b_transport(p, delay);
      EXPECT_EQ(p.get_response_status(), width < 4 ? tlm::TLM_BURST_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE)
          << width;
    }
  });
}

TEST(PciDrive, KeepsMessagesBackWhileTheyAreMasked) {
  PciBench b;
  b.run([&] {
    b.bring_up();
    b.host.start();
    ASSERT_TRUE(b.host.up);
    b.host.write_sector(1, 1);
    const std::uint32_t control = nvme::bar::msix_table + 12; // of the first vector
    for (const bool whole : {false, true}) {
      const std::uint64_t before = b.host.messages;
      if (whole) {
        b.root.write(pci::msix::control, 2, pci::msix::enable | pci::msix::mask_all);
      } else {
        b.host.write(control, 1);
      }
      EXPECT_EQ(b.host.write_sector(2, 7), 0) << "the entry comes all the same";
      b.host.pause(us(100));
      EXPECT_EQ(b.host.messages, before);
      EXPECT_EQ(b.host.read(nvme::bar::msix_pba), 1u);
      if (whole) {
        b.root.write(pci::msix::control, 2, pci::msix::enable);
      } else {
        b.host.write(control, 0);
      }
      b.host.pause(us(100));
      EXPECT_EQ(b.host.messages, before + 1) << "one, and only one";
      EXPECT_EQ(b.host.read(nvme::bar::msix_pba), 0u);
    }
  });
}

TEST(PciDrive, HoldsThePinLowWhereTheHostWantsNone) {
  PciBench b;
  b.run([&] {
    b.bring_up();
    b.root.write(pci::msix::control, 2, 0);
    b.host.start();
    ASSERT_TRUE(b.host.up);
    b.host.push(b.host.io, GuestHost::command(nvme::io::read, 0, GuestHost::kBuffer));
    b.host.ring(b.host.io);
    b.host.pause(ms(1));
    EXPECT_FALSE(b.intx.read());
    EXPECT_NE(b.root.read(pci::status, 2) & pci::status_bit::interrupt, 0u);
    b.root.write(pci::command, 2, pci::command_bit::memory_space | pci::command_bit::bus_master);
    b.host.pause(us(10));
    EXPECT_TRUE(b.intx.read());
    EXPECT_EQ(b.host.wait_for(b.host.io), 0);
    b.host.pause(us(10));
    EXPECT_FALSE(b.intx.read());
  });
}

TEST(PciDrive, WithoutTheBusFailsAndIsWellAgainAfterAReset) {
  PciBench b;
  b.run([&] {
    b.bring_up();
    b.host.start();
    ASSERT_TRUE(b.host.up);
    EXPECT_EQ(b.host.write_sector(5, 0x11), 0);
    b.root.write(pci::command, 2, pci::command_bit::memory_space);
    const std::size_t accesses = b.host.accesses.size();
    b.host.push(b.host.io, GuestHost::command(nvme::io::read, 5, GuestHost::kBuffer));
    b.host.ring(b.host.io);
    b.host.pause(ms(1));
    EXPECT_EQ(b.host.accesses.size(), accesses) << "it may not ask";
    EXPECT_NE(b.host.read(nvme::bar::csts) & nvme::csts::cfs, 0u) << "an entry that cannot be fetched";
    b.reset_function();
    b.bring_up();
    b.host.start();
    ASSERT_TRUE(b.host.up);
    EXPECT_EQ(b.host.read_sector(5), 0x11);
  });
}

TEST(PciDrive, IsResetUnderLoadWithoutACompletionLostOrTwice) {
  PciBench b;
  b.run([&] { reset_under_load(b); });
}

TEST(PciDrive, IsResetUnderLoadWhereItsHostGrantsMemory) {
  PciBench b(PciBench::config_of(true));
  b.run([&] { reset_under_load(b); });
}

TEST(PciDrive, IsResetUnderLoadWithPackagesThatSayWhenTheyAreReadyOnlyWhenTheyAre) {
  PciBench b(PciBench::config_of(false), examples::IsppBlocks());
  b.run([&] { reset_under_load(b); });
}

TEST(PciDrive, IsResetUnderLoadWithADramInWhichDataAreOnTheirWayForLong) {
  PciBench b(PciBench::config_of(true), examples::BankedDramBlocks("banks=1,row=64,tRP=500,tRCD=500"));
  b.run([&] { reset_under_load(b); });
}

} // namespace
} // namespace twinplane::test::pci_drive_test
