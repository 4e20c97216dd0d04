// What does the flash controller do with firmware that misuses its rings? An error bit, an interrupt, a
// message; never an access to memory that it was not given.
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include "hw/controller/flash_controller.h"
#include "hw/core/dram.h"
#include "hw/spec/registers.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::flash_controller_errors_test {
namespace {

/// A controller, its channel and package, and firmware that looks at nothing but interrupts.
struct CarelessFirmware : sc_core::sc_module {
  static constexpr std::uint32_t kCompletions = 0x20000;
  tlm_utils::simple_initiator_socket<CarelessFirmware> regs{"regs"};
  tlm_utils::simple_target_socket<CarelessFirmware> irq{"irq"};

  explicit CarelessFirmware(const sc_core::sc_module_name& name) : sc_module(name) {
    expect_reports("twinplane.flash_controller");
    expect_reports("twinplane.nand");
    irq.register_b_transport(this, &CarelessFirmware::on_irq);
    regs.bind(controller.regs);
    controller.irq.bind(irq);
    controller.dram.bind(dram.port);
    controller.bus.bind(channel.in);
    channel.chips[0].bind(package.bus);
  }
  static void elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  static void run() { sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC)); }
  static hw::FlashControllerConfig small_controller() {
    hw::FlashControllerConfig c;
    c.geometry = small_part().geometry;
    c.max_groups = 64;
    return c;
  }
  void boot(std::uint32_t submissions, std::uint32_t completions,
            std::uint32_t completion_base = kCompletions) {
    if (!sc_core::sc_start_of_simulation_invoked()) elaborate();
    write(reg::flash::submission_base, 0);
    write(reg::flash::submission_size, submissions);
    write(reg::flash::completion_base, completion_base);
    write(reg::flash::completion_size, completions);
    write(reg::flash::control, 1);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    sc_core::sc_time delay;
    access.write(regs, offset, value, delay);
  }
  std::uint32_t read(std::uint32_t offset) {
    sc_core::sc_time delay;
    return access.read(regs, offset, delay);
  }
  /// Erases of blocks, one after the other, with their number as the cookie.
  void put(std::uint32_t first, std::uint32_t count, std::uint32_t ring) {
    for (std::uint32_t i = first; i < first + count; ++i) {
      FlashDescriptor d;
      d.op = static_cast<std::uint8_t>(FlashOp::erase);
      d.row = RowLayout(small_part().geometry).row(0, 0, i % 8, 0);
      d.cookie = i;
      std::memcpy(dram.data() + i % ring * sizeof d, &d, sizeof d);
    }
  }
  FlashCompletion completion(std::uint32_t slot) const {
    FlashCompletion c;
    std::memcpy(&c, const_cast<hw::Dram&>(dram).data() + kCompletions + slot * sizeof c, sizeof c);
    return c;
  }
  void expect_error(std::uint32_t bit) {
    EXPECT_EQ(read(reg::flash::error), bit);
    EXPECT_EQ(error_interrupts, 1u);
    EXPECT_EQ(read(reg::flash::control), 0u);
    EXPECT_EQ(controller.statistics().errors, 1u);
  }
  void on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (hw::word_of(payload) == reg::irq::flash_error) ++error_interrupts;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  hw::RegisterAccess access;
  hw::Dram dram{"dram", 1u << 20};
  hw::Package package{"package", small_part()};
  hw::Channel channel{"channel", hw::ChannelConfig{0, 1, small_part().bus, small_part().array.tDBSY}};
  hw::FlashController controller{"controller", small_controller()};
  unsigned error_interrupts = 0;
};

TEST(FlashControllerErrors, ARingOutsideDramIsRefused) {
  CarelessFirmware f("firmware");
  f.boot(16, 16, 0xFFFF'FF00u);
  f.expect_error(reg::flash_error::bad_ring);
  f.put(0, 1, 16);
  f.write(reg::flash::doorbell, 1);
  f.run();
  EXPECT_EQ(f.controller.statistics().completions, 0u);
}

TEST(FlashControllerErrors, ARingOfNoEntriesIsRefused) {
  CarelessFirmware f("firmware");
  f.boot(16, 0);
  f.expect_error(reg::flash_error::bad_ring);
}

TEST(FlashControllerErrors, ARingOfThreeEntriesIsRefused) {
  CarelessFirmware f("firmware");
  f.boot(3, 16);
  f.expect_error(reg::flash_error::bad_ring);
}

TEST(FlashControllerErrors, ASizeBeyondAllMemoryCostsNothing) {
  CarelessFirmware f("firmware");
  f.boot(16, 1u << 31);
  f.expect_error(reg::flash_error::bad_ring);
}

TEST(FlashControllerErrors, ARingThatIsInUseCannotBeMoved) {
  CarelessFirmware f("firmware");
  f.boot(16, 16);
  f.write(reg::flash::completion_size, 8);
  f.expect_error(reg::flash_error::bad_ring);
  EXPECT_EQ(f.read(reg::flash::completion_size), 16u);
}

/// Completions of what is under way would go to where nothing has been checked.
TEST(FlashControllerErrors, ARingCannotBeMovedAwayFromWhatIsUnderWay) {
  CarelessFirmware f("firmware");
  f.boot(16, 16);
  f.put(0, 1, 16);
  f.write(reg::flash::doorbell, 1);
  f.write(reg::flash::control, 0);
  f.write(reg::flash::completion_base, 0xFFFF'FF00u);
  f.expect_error(reg::flash_error::bad_ring);
  f.run();
  EXPECT_EQ(f.completion(0).cookie, 0u);
  EXPECT_EQ(f.controller.statistics().completions, 1u);
  EXPECT_EQ(f.read(reg::flash::completion_tail), 1u);
  f.write(reg::flash::completion_size, 8);
  EXPECT_EQ(f.read(reg::flash::completion_size), 8u) << "now nothing is, and firmware knows";
}

TEST(FlashControllerErrors, ADoorbellBeyondTheRingIsRefused) {
  CarelessFirmware f("firmware");
  f.boot(16, 64);
  f.put(0, 16, 16);
  f.write(reg::flash::doorbell, 17);
  f.expect_error(reg::flash_error::bad_doorbell);
  EXPECT_EQ(f.read(reg::flash::submission_head), 0u) << "not one descriptor of it is taken";
}

TEST(FlashControllerErrors, ADoorbellOfAControllerThatIsOffIsRefused) {
  CarelessFirmware f("firmware");
  f.elaborate();
  f.write(reg::flash::doorbell, 1);
  f.expect_error(reg::flash_error::bad_doorbell);
}

// 64 commands fit; those that were taken are executed.
TEST(FlashControllerErrors, AFloodOfCommandsStopsTheControllerAndNotTheProcess) {
  CarelessFirmware f("firmware");
  f.boot(1024, 1024);
  f.put(0, 1000, 1024);
  f.write(reg::flash::doorbell, 1000);
  f.expect_error(reg::flash_error::too_many_commands);
  f.run();
  EXPECT_GE(f.controller.statistics().completions, 64u);
  EXPECT_EQ(f.controller.statistics().completions, f.read(reg::flash::submission_head));
}

TEST(FlashControllerErrors, CompletionsThatNobodyHasTakenAreNotOverwritten) {
  CarelessFirmware f("firmware");
  f.boot(16, 16);
  f.put(0, 16, 16);
  f.write(reg::flash::doorbell, 16);
  f.run();
  EXPECT_EQ(f.controller.statistics().completions, 16u);
  f.put(16, 1, 16);
  f.write(reg::flash::doorbell, 17);
  f.expect_error(reg::flash_error::completion_overflow);
  f.run();
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(f.completion(i).cookie, i);
}

TEST(FlashControllerErrors, ReadingTheTailMakesRoomForAsMany) {
  CarelessFirmware f("firmware");
  f.boot(16, 16);
  for (std::uint32_t round = 0; round < 4; ++round) {
    f.put(16 * round, 16, 16);
    f.write(reg::flash::doorbell, 16 * (round + 1));
    f.run();
    EXPECT_EQ(f.read(reg::flash::completion_tail), 16 * (round + 1));
    for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(f.completion(i).cookie, 16 * round + i);
  }
  EXPECT_EQ(f.read(reg::flash::error), 0u);
}

TEST(FlashControllerErrors, AnErrorThatWasClearedIsForgiven) {
  CarelessFirmware f("firmware");
  f.boot(16, 3);
  f.expect_error(reg::flash_error::bad_ring);
  f.write(reg::flash::error, reg::flash_error::bad_ring);
  EXPECT_EQ(f.read(reg::flash::error), 0u);
  f.boot(16, 16);
  f.put(0, 1, 16);
  f.write(reg::flash::doorbell, 1);
  f.run();
  EXPECT_EQ(f.read(reg::flash::completion_tail), 1u);
  EXPECT_EQ(f.completion(0).result, 0u);
}

/// An erase's buffer is not looked at, and as a plane of a program it would be read.
TEST(FlashControllerErrors, PlanesOfDifferentOperationsFail) {
  CarelessFirmware f("firmware");
  f.boot(16, 16);
  FlashDescriptor d;
  d.op = static_cast<std::uint8_t>(FlashOp::program);
  d.flags = flash_flag::more;
  d.buffer = 65536;
  d.sector_mask = 3;
  std::memcpy(f.dram.data(), &d, sizeof d);
  d.op = static_cast<std::uint8_t>(FlashOp::erase);
  d.flags = flash_flag::oob_words;
  d.row = RowLayout(small_part().geometry).row(0, 1, 0, 0);
  d.buffer = 0xFFFF'F000;
  d.oob = 0xFFFF'F001;
  std::memcpy(f.dram.data() + sizeof d, &d, sizeof d);
  f.write(reg::flash::doorbell, 2);
  f.run();
  EXPECT_EQ(f.completion(0).result, flash_result::fail);
  EXPECT_EQ(f.completion(1).result, flash_result::fail);
  EXPECT_EQ(f.controller.statistics().rejected_descriptors, 2u);
}

TEST(FlashControllerErrors, ADescriptorWithSectorsThatAPageDoesNotHaveFails) {
  CarelessFirmware f("firmware");
  f.boot(16, 16);
  FlashDescriptor d;
  d.op = static_cast<std::uint8_t>(FlashOp::program);
  d.buffer = 65536;
  d.sector_mask = 7; // of two
  std::memcpy(f.dram.data(), &d, sizeof d);
  f.write(reg::flash::doorbell, 1);
  f.run();
  EXPECT_EQ(f.completion(0).result, flash_result::fail);
  EXPECT_EQ(f.controller.statistics().rejected_descriptors, 1u);
}

} // namespace
} // namespace twinplane::test::flash_controller_errors_test
