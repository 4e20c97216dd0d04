// Are settings of bit errors and of their correction that contradict each other refused, by name?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "platform/config/convert.h"
#include "platform/config/error.h"
#include "platform/config/loader.h"
#include "tests/support/config_text.h"

namespace twinplane::platform::config_errors_test {
namespace {

using test::complaint;
using test::load;
using testing::HasSubstr;

TEST(ErrorKeys, AreOffByDefault) {
  const Config c = load("");
  EXPECT_EQ(c.nand.errors.reading, ErrorReading::off);
  EXPECT_EQ(c.controller.ecc.code, EccCode::fixed);
  EXPECT_EQ(parity_per_sector(c), 448 / 2u) << "the spare area's share";
}

TEST(ErrorKeys, AreReadWithTheirUnits) {
  const Config c = load(
      "[nand.errors]\nreading = \"drawn\"\nworn = 2.8e-4\ncycles = 4000\n[controller.ecc]\ncode = \"ldpc\"\n"
      "codeword = \"2KiB\"\nslowest = \"96.8us\"\nthroughput = \"400MB/s\"\n");
  EXPECT_EQ(c.nand.errors.worn, 2.8e-4);
  EXPECT_EQ(c.controller.ecc.codeword, 2048u);
  EXPECT_EQ(c.controller.ecc.slowest, us(968) / 10);
  EXPECT_EQ(c.controller.ecc.throughput, 400'000'000u);
}

TEST(ConfigErrors, TellARealNumberFromAWholeOne) {
  EXPECT_THAT(complaint("[geometry]\nchannels = 4.0\n"), HasSubstr("got 4.0"));
  EXPECT_THAT(complaint("[geometry]\nchannels = 4.5\n"), HasSubstr("got 4.5"));
  EXPECT_THAT(complaint("[geometry]\nchannels = 1e300\n"), HasSubstr("got 1e+300"));
}

TEST(ErrorKeys, ThatContradictEachOtherAreRefused) {
  EXPECT_THAT(complaint("[nand.errors]\nreading = \"drawn\"\nfresh = 1e-3\nworn = 1e-4\n"),
              HasSubstr("nand.errors.fresh: must not exceed nand.errors.worn"));
  EXPECT_THAT(complaint("[controller.ecc]\ncodeword = \"3000B\"\n"), HasSubstr("must be a power of two"));
  const std::string small_pages = "[geometry]\npage_size = \"4KiB\"\n[controller.ecc]\ncodeword = \"8KiB\"\n";
  EXPECT_THAT(complaint(small_pages + "[nand.errors]\nreading = \"drawn\"\n"), HasSubstr("fit into a page"));
  EXPECT_EQ(complaint(small_pages), "") << "no page has codewords";
  EXPECT_THAT(complaint("[controller.ecc]\nfastest = \"200us\"\n"),
              HasSubstr("controller.ecc.fastest: must not exceed controller.ecc.slowest"));
  EXPECT_THAT(complaint("[controller.ecc]\ncorrects = 100\n"),
              HasSubstr("controller.ecc.soft_corrects: must not be below controller.ecc.corrects"));
}

TEST(ErrorKeys, ParityOnTheBusMustFitIntoTheSpareArea) {
  EXPECT_THAT(complaint("[geometry]\nspare_size = \"1119B\"\npage_size = \"16KiB\"\n[controller.ecc]\n"
                        "parity_on_bus = true\n"),
              HasSubstr("do not fit into geometry.spare_size"));
  const Config c = load(
      "[geometry]\nspare_size = \"1120B\"\npage_size = \"16KiB\"\n[controller.ecc]\nparity_on_bus = true\n");
  EXPECT_EQ(parity_per_sector(c), 280u);
}

} // namespace
} // namespace twinplane::platform::config_errors_test
