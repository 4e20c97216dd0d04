// Do the rings in front of the Verilog controller keep the contract of hw/spec/registers.h? Completions are
// seen from their times on, and firmware that misuses the rings gets an error bit and an interrupt instead of
// an access to memory that it was not given.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "examples/rtl_controller/descriptor_rings.h"
#include "hw/spec/registers.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::descriptor_rings_test {
namespace {

namespace flash = reg::flash;
namespace flash_error = reg::flash_error;

struct Bench final : example::DescriptorRings::Owner {
  static constexpr std::uint32_t kCompletions = 0x1000;
  std::vector<std::uint8_t> dram = std::vector<std::uint8_t>(0x2000);
  example::DescriptorRings rings{"controller", *this};
  std::vector<std::uint32_t> taken; // cookies
  std::vector<std::uint32_t> interrupts;

  explicit Bench(std::uint32_t submissions = 8, std::uint32_t completions = 8,
                 std::uint32_t base = kCompletions) {
    expect_reports("twinplane.rtl_controller");
    rings.use(dram.data(), dram.size());
    for (std::uint32_t i = 0; i < submissions; ++i) {
      FlashDescriptor d;
      d.cookie = 100 + i;
      std::memcpy(dram.data() + i * sizeof d, &d, sizeof d);
    }
    rings.write(flash::submission_base, 0, 0);
    rings.write(flash::submission_size, submissions, 0);
    rings.write(flash::completion_base, base, 0);
    rings.write(flash::completion_size, completions, 0);
    rings.write(flash::control, 1, 0);
  }
  void on_descriptor(const FlashDescriptor& descriptor, TimePs) override {
    taken.push_back(descriptor.cookie);
  }
  void interrupt(std::uint32_t source, TimePs) override { interrupts.push_back(source); }
  void complete(std::uint32_t cookie, TimePs at) {
    FlashCompletion c;
    c.cookie = cookie;
    rings.post(c, at);
  }
  std::uint32_t error() { return rings.read(flash::error, 0); }
};

TEST(DescriptorRings, HandOutWhatADoorbellAnnouncesOnce) {
  Bench bench;
  bench.rings.write(flash::doorbell, 3, us(1));
  bench.rings.write(flash::doorbell, 5, us(2));
  EXPECT_EQ(bench.taken, (std::vector<std::uint32_t>{100, 101, 102, 103, 104}));
  EXPECT_EQ(bench.rings.read(flash::submission_head, us(2)), 5u);
  EXPECT_EQ(bench.error(), 0u);
}

TEST(DescriptorRings, ShowCompletionsFromTheirTimesOnAndInTheirOrder) {
  Bench bench;
  bench.rings.write(flash::doorbell, 3, 0);
  bench.complete(1, us(5));
  bench.complete(2, us(3)); // comes behind one that is seen later
  bench.complete(3, us(9));
  EXPECT_EQ(bench.rings.read(flash::completion_tail, us(4)), 0u);
  EXPECT_EQ(bench.rings.read(flash::completion_tail, us(5)), 2u);
  EXPECT_EQ(bench.rings.read(flash::completion_tail, us(9)), 3u);
  FlashCompletion second;
  std::memcpy(&second, bench.dram.data() + Bench::kCompletions + sizeof second, sizeof second);
  EXPECT_EQ(second.cookie, 2u);
}

TEST(DescriptorRings, RefuseRingsThatAreNone) {
  EXPECT_EQ(Bench(6, 8).error(), flash_error::bad_ring);
  Bench outside(8, 8, 0x1FC0);
  EXPECT_EQ(outside.error(), flash_error::bad_ring);
  EXPECT_EQ(outside.interrupts, std::vector<std::uint32_t>{reg::irq::flash_error});
  EXPECT_EQ(outside.rings.read(flash::control, 0), 0u);
  Bench enabled;
  enabled.rings.write(flash::submission_size, 16, 0);
  EXPECT_EQ(enabled.error(), flash_error::bad_ring);
  EXPECT_EQ(enabled.rings.read(flash::submission_size, 0), 8u);
}

TEST(DescriptorRings, RefuseADoorbellBeyondTheRing) {
  Bench bench;
  bench.rings.write(flash::doorbell, 9, 0);
  EXPECT_EQ(bench.error(), flash_error::bad_doorbell);
  EXPECT_TRUE(bench.taken.empty());
  bench.rings.write(flash::error, flash_error::bad_doorbell, 0);
  EXPECT_EQ(bench.error(), 0u);
  bench.rings.write(flash::doorbell, 1, 0); // it is not enabled any more
  EXPECT_EQ(bench.error(), flash_error::bad_doorbell);
  EXPECT_TRUE(bench.taken.empty());
}

TEST(DescriptorRings, RefuseADoorbellForMoreThanHasRoomToComplete) {
  Bench bench(8, 4);
  bench.rings.write(flash::doorbell, 4, 0);
  EXPECT_EQ(bench.error(), 0u);
  for (std::uint32_t i = 0; i < 4; ++i) bench.complete(i, us(1));
  EXPECT_EQ(bench.rings.read(flash::completion_tail, us(1)), 4u);
  bench.rings.write(flash::doorbell, 8, us(1));
  EXPECT_EQ(bench.error(), 0u) << "what was read makes room";
  bench.rings.write(flash::doorbell, 9, us(2));
  EXPECT_EQ(bench.error(), flash_error::completion_overflow);
  EXPECT_EQ(bench.taken.size(), 8u);
}

} // namespace
} // namespace twinplane::test::descriptor_rings_test
