// Does a package describe itself truly: parameter page, ID, features?
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "hw/nand/target_registers.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::target_identity_test {
namespace {

using hw::PhaseKind;
namespace pp = onfi::parameter_page;

std::uint64_t number(const std::uint8_t* page, std::size_t offset, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{page[offset + i]} << (8 * i);
  return value;
}

/// The CRC with the bits taken one by one through a shift register: a second way to the same value.
std::uint16_t bitwise_crc(const std::uint8_t* data, std::size_t size) {
  std::uint32_t crc = 0x4F4E;
  for (std::size_t bit = 0; bit < size * 8; ++bit) {
    const std::uint32_t in = (data[bit / 8] >> (7 - bit % 8)) & 1u;
    const std::uint32_t out = (crc >> 15) & 1u;
    crc = (crc << 1) & 0xFFFF;
    if ((in ^ out) != 0) crc ^= 0x8005;
  }
  return static_cast<std::uint16_t>(crc);
}

TEST(TargetIdentity, OutputsTheParameterPageOverTheBus) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  bench.cycles.clear().command(0xEC).short_address(0);
  const TimePs end = bench.send();
  EXPECT_EQ(bench.ready(), end + config.array.tR[0]);
  std::vector<std::uint8_t> pages(pp::bytes * pp::copies);
  bench.cycles.clear().bytes(PhaseKind::data_out, pages.data(), static_cast<std::uint32_t>(pages.size()));
  bench.send(bench.ready());
  EXPECT_EQ(bench.all_violations(), 0u);
  for (std::size_t copy = 0; copy < pp::copies; ++copy) {
    const std::uint8_t* page = pages.data() + copy * pp::bytes;
    EXPECT_EQ(std::string(page, page + 4), "ONFI");
    EXPECT_EQ(number(page, pp::crc, 2), bitwise_crc(page, pp::crc));
  }
}

TEST(TargetIdentity, DescribesTheGeometryTruly) {
  hw::NandConfig config = small_part();
  config.partial_programs = 4;
  const std::vector<std::uint8_t> pages = hw::make_parameter_page(config);
  const std::uint8_t* page = pages.data();
  EXPECT_EQ(number(page, 80, 4), 8192u);
  EXPECT_EQ(number(page, 84, 2), 256u);
  EXPECT_EQ(number(page, 92, 4), 48u);
  EXPECT_EQ(number(page, 96, 4), 16u); // both planes
  EXPECT_EQ(page[100], 2);
  EXPECT_EQ(page[101], 0x23);
  EXPECT_EQ(page[102], 3);
  EXPECT_EQ(page[110], 4);
  EXPECT_EQ(page[113], 1);
  EXPECT_EQ(page[114], 0x16); // no block address restrictions, cache operations with multi-plane
  EXPECT_EQ(number(page, 133, 2), 5500u);
  EXPECT_EQ(number(page, 135, 2), 15000u);
  EXPECT_EQ(number(page, 137, 2), 100u);
  EXPECT_EQ(number(page, 139, 2), 400u);
  config.bac = true;
  EXPECT_EQ(hw::make_parameter_page(config)[114], 0x14);
}

TEST(TargetIdentity, DescribesWhatItCanDo) {
  hw::NandConfig config = small_part();
  config.faults.endurance = 3000;
  config.faults.factory_bad = 0.2;
  config.geometry.blocks_per_plane = 512;
  const std::vector<std::uint8_t> pages = hw::make_parameter_page(config);
  const std::uint8_t* page = pages.data();
  // All optional commands but small data move and LUN features.
  EXPECT_EQ(number(page, 8, 2), 0xFFu | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 13);
  EXPECT_EQ(page[10], 0x0F); // JEDEC forms: 05h after 00h, 81h, copyback with 81h, 60h-60h-D0h
  EXPECT_EQ(page[105] * std::pow(10, page[106]), 3000);
  EXPECT_NEAR(static_cast<double>(number(page, 103, 2)), 1024 * 0.2, 60); // of the worse LUN
  EXPECT_EQ(page[107], 1);
  EXPECT_EQ(page[180], 8);
}

TEST(TargetIdentity, AnswersReadId) {
  FlashBench bench;
  std::uint8_t id[8] = {};
  bench.cycles.clear().command(0x90).short_address(0x20).bytes(PhaseKind::data_out, id, 8);
  bench.send();
  EXPECT_EQ(std::string(id, id + 8), "OONNFFII") << "a DDR interface outputs every byte twice";
}

TEST(TargetIdentity, AnswersReadIdOnSdrOnce) {
  hw::NandConfig config = small_part();
  config.bus = timing::sdr(5);
  FlashBench bench(config);
  std::uint8_t id[4] = {};
  bench.cycles.clear().command(0x90).short_address(0x20).bytes(PhaseKind::data_out, id, 4);
  bench.send();
  EXPECT_EQ(std::string(id, id + 4), "ONFI");
}

TEST(TargetIdentity, KeepsFeatures) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  std::uint8_t in[8] = {1, 1, 2, 2, 3, 3, 4, 4};
  bench.cycles.clear().command(0xEF).short_address(0x89).bytes(PhaseKind::data_in, in, 8);
  TimePs end = bench.send();
  EXPECT_EQ(bench.ready(), end + config.array.tFEAT);
  bench.cycles.clear().command(0xEE).short_address(0x89);
  end = bench.send(bench.ready());
  EXPECT_EQ(bench.ready(), end + config.array.tFEAT);
  std::uint8_t out[8] = {};
  bench.cycles.clear().bytes(PhaseKind::data_out, out, 8);
  bench.send(bench.ready());
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], in[i]);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(TargetIdentity, RefusesUnknownFeatures) {
  FlashBench bench;
  bench.cycles.clear().command(0xEE).short_address(0x77);
  bench.send();
  EXPECT_EQ(bench.violations(hw::Rule::bad_address), 1u);
}

TEST(TargetIdentity, RefusesImpossibleConfigurations) {
  hw::NandConfig config = small_part();
  EXPECT_EQ(hw::check(config), "");
  config.geometry.planes_per_die = 9;
  EXPECT_NE(hw::check(config).find("planes_per_die is 9"), std::string::npos);
  config = small_part();
  config.geometry.pages_per_block = 47;
  EXPECT_NE(hw::check(config).find("pages_per_block 47"), std::string::npos);
  config = small_part();
  config.partial_programs = 8;
  EXPECT_NE(hw::check(config).find("partial_programs is 8"), std::string::npos);
  config = small_part();
  config.geometry.sector_size = 3000;
  EXPECT_NE(hw::check(config).find("sector_size"), std::string::npos);
}

} // namespace
} // namespace twinplane::test::target_identity_test
