// Does check() say what is wrong with a part that cannot be, and nothing about one that can?
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "tests/support/flash_bench.h"

namespace twinplane::test::nand_config_test {
namespace {

using hw::NandConfig;

std::string complaint(const std::function<void(NandConfig&)>& change) {
  NandConfig config = small_part();
  change(config);
  return hw::check(config);
}

TEST(NandConfigCheck, SaysNothingAboutPartsThatThereAre) {
  EXPECT_EQ(complaint([](NandConfig&) {}), "");
  EXPECT_EQ(complaint([](NandConfig& c) { c.slc_enter = 0xA2; }), "");
  EXPECT_EQ(complaint([](NandConfig& c) { std::swap(c.slc_enter, c.slc_leave); }), "");
  EXPECT_EQ(complaint([](NandConfig& c) { c.slc_enter = onfi::opcode::program_load; }), "")
      << "a command of one-pass parts only";
  EXPECT_EQ(complaint([](NandConfig& c) {
              c.subpage_words = true;
              c.geometry.subpages_per_page = 2;
            }),
            "");
  EXPECT_EQ(complaint([](NandConfig& c) { c.faults.program = c.faults.erase = 1; }), "");
}

TEST(NandConfigCheck, FindsCellsThatDoNotExist) {
  for (const std::uint8_t bits : {std::uint8_t{0}, std::uint8_t{5}, std::uint8_t{255}}) {
    EXPECT_NE(complaint([bits](NandConfig& c) { c.geometry.cell = static_cast<CellType>(bits); }), "")
        << +bits;
  }
  EXPECT_NE(complaint([](NandConfig& c) { c.page_table = static_cast<PageTable>(9); }), "");
  EXPECT_NE(complaint([](NandConfig& c) { c.program_order = static_cast<ProgramOrder>(9); }), "");
}

TEST(NandConfigCheck, FindsPagesThatFitNoColumnAddress) {
  EXPECT_NE(complaint([](NandConfig& c) { c.geometry.page_size = c.geometry.sector_size = 0xFFFFFFFF; }), "");
  EXPECT_NE(complaint([](NandConfig& c) {
              c.geometry.page_size = c.geometry.sector_size = 0xFFFFF000;
              c.geometry.spare_size = 0x2000; // their sum is small in 32 bits
            }),
            "");
}

TEST(NandConfigCheck, FindsSubpagesThatDoNotDivideThePage) {
  for (const std::uint32_t subpages : {0u, 3u, 4u, 1000u}) {
    for (const bool words : {false, true}) {
      EXPECT_NE(complaint([&](NandConfig& c) {
                  c.geometry.subpages_per_page = subpages; // of two sectors
                  c.subpage_words = words;
                }),
                "")
          << subpages;
    }
  }
}

TEST(NandConfigCheck, FindsByteTimesWithoutDenominator) {
  EXPECT_NE(complaint([](NandConfig& c) { c.bus.data_in.denominator = 0; }), "");
  EXPECT_NE(complaint([](NandConfig& c) { c.bus.data_out.denominator = 0; }), "");
}

TEST(NandConfigCheck, FindsProbabilitiesThatAreNone) {
  for (const double p : {-0.1, 1.5, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(complaint([p](NandConfig& c) { c.faults.factory_bad = p; }), "") << p;
    EXPECT_NE(complaint([p](NandConfig& c) { c.faults.program = p; }), "") << p;
    EXPECT_NE(complaint([p](NandConfig& c) { c.faults.erase = p; }), "") << p;
    EXPECT_NE(complaint([p](NandConfig& c) { c.faults.read = p; }), "") << p;
  }
}

TEST(NandConfigCheck, FindsPrefixesThatAreOtherCommands) {
  EXPECT_NE(complaint([](NandConfig& c) { c.slc_enter = c.slc_leave; }), "");
  EXPECT_NE(complaint([](NandConfig& c) { c.slc_leave = c.slc_enter = 0xA2; }), "");
  for (const std::uint8_t opcode :
       {std::uint8_t{0x00}, std::uint8_t{0x30}, std::uint8_t{0x80}, std::uint8_t{0xFF}}) {
    EXPECT_NE(complaint([opcode](NandConfig& c) { c.slc_enter = opcode; }), "") << +opcode;
    EXPECT_NE(complaint([opcode](NandConfig& c) { c.slc_leave = opcode; }), "") << +opcode;
  }
  EXPECT_NE(complaint([](NandConfig& c) {
              c.one_pass = true;
              c.page_table = PageTable::wordline;
              c.slc_enter = onfi::opcode::program_load;
            }),
            "");
}

} // namespace
} // namespace twinplane::test::nand_config_test
