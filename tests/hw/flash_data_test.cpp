// Does every page give back what was stored, and what do blank, aborted and functional pages show?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/flash_bench.h"

namespace twinplane::test::flash_data_test {
namespace {

using hw::PhaseKind;

/// Page images of one test.
class Pages {
 public:
  Pages(FlashBench& bench, const hw::NandConfig& config)
      : bench_(bench),
        size_(config.geometry.sectors_per_page() *
              payload_bytes(config.data_mode, config.geometry.sector_size)) {}

  std::vector<std::uint8_t> image(std::uint32_t seed) const {
    std::vector<std::uint8_t> content(size_);
    for (std::size_t i = 0; i < size_; ++i) content[i] = static_cast<std::uint8_t>(seed * 37 + i * 11 + 1);
    return content;
  }
  void load(const Place& p, std::vector<std::uint8_t>& image, std::uint64_t* word, std::uint32_t mask) {
    bench_.cycles.command(0x80).page_address(bench_.row(p));
    bench_.cycles.page_data(PhaseKind::data_in, mask, image.data(), word);
  }
  std::uint8_t program(const Place& p, std::vector<std::uint8_t> image, std::uint64_t word) {
    bench_.cycles.clear();
    load(p, image, &word, bench_.full_mask());
    bench_.cycles.command(0x10);
    return bench_.finish(p.lun);
  }
  /// Data out of a page that is in the register; the phase with its response.
  hw::OnfiPhase output(const Place& p, std::uint32_t mask) {
    bytes.assign(size_, 0xA5);
    oob = 0;
    bench_.cycles.clear().command(0x06).page_address(bench_.row(p)).command(0xE0);
    bench_.cycles.page_data(PhaseKind::data_out, mask, bytes.data(), &oob);
    bench_.now = bench_.send(bench_.now);
    return bench_.cycles.tenure().phases[3];
  }
  hw::OnfiPhase read(const Place& p) {
    EXPECT_EQ(bench_.read(p), 0xE0);
    return output(p, bench_.full_mask());
  }

  std::vector<std::uint8_t> bytes;
  std::uint64_t oob = 0;

 private:
  FlashBench& bench_;
  std::size_t size_;
};

void round_trip(DataMode mode) {
  hw::NandConfig config = small_part();
  config.data_mode = mode;
  FlashBench bench(config);
  Pages pages(bench, config);
  for (std::uint32_t page = 0; page < 48; ++page) {
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      ASSERT_EQ(pages.program({1, plane, 5, page}, pages.image(page * 2 + plane), page * 1000 + plane), 0xE0);
    }
  }
  for (std::uint32_t page = 0; page < 48; ++page) {
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      const hw::OnfiPhase phase = pages.read({1, plane, 5, page});
      EXPECT_FALSE(phase.blank);
      EXPECT_FALSE(phase.corrupt);
      EXPECT_EQ(pages.oob, page * 1000 + plane);
      EXPECT_EQ(pages.bytes, pages.image(page * 2 + plane));
    }
  }
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(FlashData, SurvivesTheRoundTripAsTags) {
  round_trip(DataMode::tag);
}
TEST(FlashData, SurvivesTheRoundTripAsBytes) {
  round_trip(DataMode::full);
}
TEST(FlashData, KeepsOutOfBandDataWithoutContents) {
  round_trip(DataMode::none);
}

TEST(FlashData, KeepsThePlanesOfAGroupApart) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  auto first = pages.image(1);
  auto second = pages.image(2);
  std::uint64_t oob[] = {111, 222};
  bench.cycles.clear();
  pages.load({0, 0, 2, 0}, first, &oob[0], 3);
  bench.cycles.command(0x11);
  pages.load({0, 1, 2, 0}, second, &oob[1], 3);
  bench.cycles.command(0x10);
  ASSERT_EQ(bench.finish(0), 0xE0);

  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 2, 0})).command(0x32);
  bench.cycles.command(0x00).page_address(bench.row({0, 1, 2, 0})).command(0x30);
  ASSERT_EQ(bench.finish(0), 0xE0);
  pages.output({0, 0, 2, 0}, 3);
  EXPECT_EQ(pages.bytes, first);
  EXPECT_EQ(pages.oob, 111u);
  pages.output({0, 1, 2, 0}, 3);
  EXPECT_EQ(pages.bytes, second);
  EXPECT_EQ(pages.oob, 222u);
  EXPECT_EQ(bench.package().statistics().multiplane_read.units, 2u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(FlashData, MovesOnlyTheSectorsOfTheMask) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  auto image = pages.image(9);
  ASSERT_EQ(pages.program({0, 0, 0, 0}, image, 5), 0xE0);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), 0xE0);
  pages.output({0, 0, 0, 0}, 2);
  EXPECT_TRUE(std::equal(pages.bytes.begin() + kTagBytes, pages.bytes.end(), image.begin() + kTagBytes));
  EXPECT_TRUE(
      std::all_of(pages.bytes.begin(), pages.bytes.begin() + kTagBytes, [](auto b) { return b == 0xA5; }));
}

void gather_partial_programs(DataMode mode, std::uint8_t erased) {
  hw::NandConfig config = small_part();
  config.data_mode = mode;
  config.partial_programs = 2;
  FlashBench bench(config);
  Pages pages(bench, config);
  const std::uint32_t sector = payload_bytes(mode, config.geometry.sector_size);
  auto image = pages.image(3);
  std::uint64_t oob = 77;
  bench.cycles.clear();
  pages.load({0, 0, 0, 0}, image, &oob, 1);
  bench.cycles.command(0x10);
  ASSERT_EQ(bench.finish(0), 0xE0);
  pages.read({0, 0, 0, 0});
  EXPECT_TRUE(std::all_of(pages.bytes.begin() + sector, pages.bytes.end(), [&](auto b) {
    return b == erased;
  })) << "a sector that was not programmed reads as erased";
  bench.cycles.clear();
  pages.load({0, 0, 0, 0}, image, nullptr, 2);
  bench.cycles.command(0x10);
  ASSERT_EQ(bench.finish(0), 0xE0);
  pages.read({0, 0, 0, 0});
  EXPECT_EQ(pages.bytes, image);
  EXPECT_EQ(pages.oob, 77u) << "a program without out-of-band data keeps the old one";
}

TEST(FlashData, GathersThePartialProgramsOfAPageOfTags) {
  gather_partial_programs(DataMode::tag, 0x00);
}
TEST(FlashData, GathersThePartialProgramsOfAPageOfBytes) {
  gather_partial_programs(DataMode::full, 0xFF);
}

TEST(FlashData, LoadsAPageInTwoBursts) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  auto image = pages.image(4);
  std::uint64_t oob = 8;
  bench.cycles.clear();
  pages.load({0, 0, 0, 0}, image, nullptr, 1);
  bench.cycles.command(0x85)
      .short_address(0, 2)
      .page_data(PhaseKind::data_in, 2, image.data(), &oob)
      .command(0x10);
  ASSERT_EQ(bench.finish(0), 0xE0);
  pages.read({0, 0, 0, 0});
  EXPECT_EQ(pages.bytes, image);
  EXPECT_EQ(pages.oob, 8u);
  EXPECT_EQ(bench.package().statistics().partial_programs, 0u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(FlashData, ShowsABlankPageAsBlank) {
  hw::NandConfig config = small_part();
  config.data_mode = DataMode::full;
  FlashBench bench(config);
  Pages pages(bench, config);
  EXPECT_TRUE(pages.read({0, 0, 0, 0}).blank);
  EXPECT_EQ(pages.oob, ~std::uint64_t{0});
  EXPECT_TRUE(std::all_of(pages.bytes.begin(), pages.bytes.end(), [](auto b) { return b == 0xFF; }));
  ASSERT_EQ(pages.program({0, 0, 0, 0}, pages.image(1), 5), 0xE0);
  EXPECT_FALSE(pages.read({0, 0, 0, 0}).blank);
  ASSERT_EQ(bench.erase({0, 0, 0, 0}), 0xE0);
  EXPECT_TRUE(pages.read({0, 0, 0, 0}).blank) << "an erase empties the page";
}

TEST(FlashData, KeepsTheRegisterWhenTheBlockIsErased) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  ASSERT_EQ(pages.program({0, 0, 0, 0}, pages.image(1), 5), 0xE0);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), 0xE0);
  ASSERT_EQ(bench.erase({0, 0, 0, 0}), 0xE0);
  pages.output({0, 0, 0, 0}, 3);
  EXPECT_EQ(pages.bytes, pages.image(1));
}

TEST(FlashData, ReturnsToDataOutputAfterAStatusRead) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  ASSERT_EQ(pages.program({0, 0, 0, 0}, pages.image(1), 5), 0xE0);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), 0xE0); // ends with a 70h status read
  std::vector<std::uint8_t> bytes(2 * kTagBytes);
  std::uint64_t oob = 0;
  bench.cycles.clear().command(0x00).page_data(PhaseKind::data_out, 3, bytes.data(), &oob);
  bench.send(bench.now);
  EXPECT_EQ(bytes, pages.image(1));
  EXPECT_EQ(oob, 5u);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(FlashData, RefusesDataOutOfABusyOrEmptyRegister) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  pages.output({0, 0, 0, 0}, 3);
  EXPECT_EQ(bench.violations(hw::Rule::protocol), 1u);
  EXPECT_EQ(pages.oob, ~std::uint64_t{0});
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 0, 0})).command(0x30);
  bench.now = bench.send();
  bench.cycles.clear().page_data(PhaseKind::data_out, 3, nullptr, nullptr);
  bench.send();
  EXPECT_EQ(bench.violations(hw::Rule::busy), 1u);
}

TEST(FlashData, MarksWhatAResetInterrupts) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  auto image = pages.image(1);
  std::uint64_t oob = 1;
  bench.cycles.clear();
  pages.load({0, 0, 0, 0}, image, &oob, 3);
  bench.cycles.command(0x10);
  bench.now = bench.send();
  bench.cycles.clear().command(0xFF);
  TimePs end = bench.send();
  EXPECT_EQ(bench.ready(), end + config.array.tRST_program);
  EXPECT_EQ(bench.status({0, 0, 0, 0}), 0x80);
  bench.now = bench.ready();
  bench.now = end + config.array.tRST_program;
  EXPECT_EQ(bench.status({0, 0, 0, 0}), 0xE0);
  EXPECT_TRUE(pages.read({0, 0, 0, 0}).corrupt);
  EXPECT_EQ(bench.package().statistics().aborted, 1u);
  EXPECT_LT(bench.package().statistics().dies[0].busy, us(1) + config.array.tR[0]);

  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 0, 0})).command(0xD0);
  bench.send(bench.now);
  bench.cycles.clear().command(0xFA).row_address(bench.row({0, 0, 0, 0}));
  end = bench.send();
  EXPECT_EQ(bench.ready(), end + config.array.tRST_erase);
  bench.now = bench.ready();
  EXPECT_EQ(bench.program({0, 0, 0, 0}), 0xE1) << "the block needs a whole erase";
  EXPECT_EQ(bench.violations(hw::Rule::erase_before_program), 1u);
  EXPECT_EQ(bench.erase({0, 0, 0, 0}), 0xE0);
  EXPECT_EQ(bench.program({0, 0, 0, 0}), 0xE0);

  bench.cycles.clear().command(0xFF);
  end = bench.send(bench.now);
  EXPECT_EQ(bench.ready(), end + config.array.tRST_idle);
}

TEST(FlashData, WorksInZeroTimeThroughTheDebugTransport) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  for (std::uint32_t page = 0; page < 48; ++page) {
    auto image = pages.image(page);
    std::uint64_t oob = page;
    bench.cycles.clear();
    pages.load({0, 0, 0, page}, image, &oob, 3);
    bench.cycles.command(0x10);
    bench.send_functional();
  }
  EXPECT_EQ(bench.channel.free_at(), 0u);
  EXPECT_EQ(bench.channel.statistics().busy, 0u);
  EXPECT_EQ(bench.package().statistics().programs[0], 0u);
  EXPECT_TRUE(bench.arrays.empty());
  EXPECT_EQ(bench.all_violations(), 0u);
  for (std::uint32_t page = 0; page < 48; ++page) {
    pages.read({0, 0, 0, page});
    EXPECT_EQ(pages.bytes, pages.image(page));
    EXPECT_EQ(pages.oob, page);
  }
}

TEST(FlashData, LeavesTheBusFaceAloneInTheDebugTransport) {
  const hw::NandConfig config = small_part();
  FlashBench bench(config);
  Pages pages(bench, config);
  ASSERT_EQ(pages.program({0, 0, 0, 0}, pages.image(1), 5), 0xE0);
  ASSERT_EQ(pages.program({0, 0, 1, 0}, pages.image(2), 6), 0xE0);
  ASSERT_EQ(bench.read({0, 0, 0, 0}), 0xE0);
  // A functional read of another page, with an error, between the timed read and its data out.
  std::vector<std::uint8_t> bytes(2 * kTagBytes);
  std::uint64_t oob = 0;
  std::uint8_t status[2] = {};
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 1, 0})).command(0x30);
  bench.cycles.page_data(PhaseKind::data_out, 3, bytes.data(), &oob);
  bench.cycles.command(0x60).row_address(bench.row({0, 0, 2, 0})).command(0x10);
  bench.cycles.command(0x70).bytes(PhaseKind::data_out, status, 2);
  bench.send_functional();
  EXPECT_EQ(bytes, pages.image(2));
  EXPECT_EQ(oob, 6u);
  EXPECT_EQ(status[0], 0xE1);
  EXPECT_EQ(bench.status({0, 0, 0, 0}), 0xE0);
  pages.output({0, 0, 0, 0}, 3);
  EXPECT_EQ(pages.bytes, pages.image(1));
}

TEST(FlashData, ForbidsTheFunctionalFaceTheSameThings) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 1});
  bench.send_functional();
  EXPECT_EQ(bench.violations(hw::Rule::order), 1u);
  EXPECT_EQ(bench.package().die(0).cells().store().block(0, 0).programmed, 0u);
}

TEST(FlashData, TakesMemoryForUsedBlocksOnly) {
  hw::NandConfig config = small_part();
  config.geometry.sector_size = 4096;
  FlashBench bench(config);
  EXPECT_EQ(bench.package().allocated_bytes(), 0u);
  ASSERT_EQ(bench.program({0, 0, 0, 0}), 0xE0);
  // 48 pages of 8 bytes out-of-band and two tags packed into 12 bytes, half a byte of state each.
  EXPECT_EQ(bench.package().allocated_bytes(), 48u * (8 + 2 * 12) + 24);
}

/// Tags of 48 bits are packed; the first longer one changes how the die keeps all of them.
TEST(FlashData, KeepsTagsOfEveryWidth) {
  hw::NandConfig config = small_part();
  config.partial_programs = 2;
  FlashBench bench(config);
  Pages pages(bench, config);
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 48) - 1;
  const std::vector<std::array<SectorTag, 2>> written = {
      {{{kMost, kMost}, {kMost, 0}}},
      {{{0, kMost}, {0x123456789ABC, 0xFEDCBA987654}}},
      {{{1, 2}, {3, 4}}},
      {{{kMost + 1, 0}, {5, 6}}},
      {{{7, kMost + 1}, {8, 9}}},
      {{{~std::uint64_t{0}, ~std::uint64_t{0}}, {10, 11}}}};
  const auto image_of = [](const std::array<SectorTag, 2>& tags) {
    std::vector<std::uint8_t> image(sizeof tags);
    std::memcpy(image.data(), tags.data(), sizeof tags);
    return image;
  };
  // A page that is half programmed while the tags are still packed ...
  auto half = image_of({{{12, 13}, {14, 15}}});
  std::uint64_t oob = 99;
  bench.cycles.clear();
  pages.load({0, 1, 2, 0}, half, &oob, 1);
  bench.cycles.command(0x10);
  ASSERT_EQ(bench.finish(0), 0xE0);
  for (std::uint32_t page = 0; page < written.size(); ++page) {
    EXPECT_EQ(bench.package().allocated_bytes(),
              (page == 0 ? 1 : 2) * (48u * (8 + 2 * (page < 4 ? 12 : 16) + 1) + 24))
        << "before page " << page;
    ASSERT_EQ(pages.program({0, 0, 1, page}, image_of(written[page]), page), 0xE0);
  }
  for (std::uint32_t page = 0; page < written.size(); ++page) {
    pages.read({0, 0, 1, page});
    EXPECT_EQ(pages.bytes, image_of(written[page])) << "page " << page;
    EXPECT_EQ(pages.oob, page);
  }
  // ... still knows which half.
  bench.cycles.clear();
  pages.load({0, 1, 2, 0}, half, nullptr, 2);
  bench.cycles.command(0x10);
  ASSERT_EQ(bench.finish(0), 0xE0);
  pages.read({0, 1, 2, 0});
  EXPECT_EQ(pages.bytes, half);
  EXPECT_EQ(pages.oob, 99u);
}

} // namespace
} // namespace twinplane::test::flash_data_test
