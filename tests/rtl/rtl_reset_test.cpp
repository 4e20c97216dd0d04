// Is a drive with the Verilog controller on channel 0, and a DRAM that goes by addresses, reset under load
// without a completion lost or brought twice, and do both blocks agree about the bytes between them?
#include <gtest/gtest.h>

#include "examples/banked_dram/blocks.h"
#include "examples/rtl_controller/rtl_blocks.h"
#include "hw/spec/onfi_commands.h"
#include "tests/support/pci_bench.h"

namespace twinplane::test::rtl_reset_test {
namespace {

/// Two examples in one drive.
class RtlAndBanks final : public example::RtlBlocks {
 public:
  std::unique_ptr<hw::DramBlock> make_dram(const char* name, const hw::DramConfig& config) override {
    return banks.make_dram(name, config);
  }
  examples::BankedDramBlocks banks{"banks=2,row=1024"};
};

constexpr const char* kSdr = "[bus]\ninterface = \"sdr\"\nmode = 5\nspare_area = false\n";

TEST(RtlReset, UnderLoadLosesNoCompletionAndBringsNoneTwice) {
  RtlAndBanks blocks;
  PciBench b(PciBench::config_of(true, kSdr), std::move(blocks));
  b.run([&] { reset_under_load(b, 6); });
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  for (const auto& controller : b.ssd.controllers()) {
    in += controller->statistics().page_bytes_in;
    out += controller->statistics().page_bytes_out;
  }
  EXPECT_EQ(blocks.banks.dram().bytes_of(hw::DramMaster::flash, false), in);
  // ... and the parameter page of the chip behind our own controller
  EXPECT_EQ(blocks.banks.dram().bytes_of(hw::DramMaster::flash, true), out + onfi::parameter_page::bytes);
  EXPECT_EQ(blocks.wires().transactor().faults().total(), 0u);
}

} // namespace
} // namespace twinplane::test::rtl_reset_test
