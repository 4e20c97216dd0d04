// Does a page keep a word for each of its subpages, whatever programs brought them, and give them back with
// every read?
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/support/flash_bench.h"

namespace twinplane::test::subpage_words_test {
namespace {

using hw::PhaseKind;
using Words = std::array<std::uint64_t, 4>;

constexpr std::uint64_t kNone = hw::kBlankOob;

/// Pages of four sectors that are subpages.
hw::NandConfig part_with_words(bool words = true) {
  hw::NandConfig c = small_part();
  c.geometry.sector_size = 2048;
  c.geometry.subpages_per_page = 4;
  c.partial_programs = 4;
  c.subpage_words = words;
  return c;
}

class SubpageWords : public ::testing::Test {
 protected:
  void build(const hw::NandConfig& config) { bench_ = std::make_unique<FlashBench>(config); }

  std::uint8_t program(const Place& p, std::uint32_t sectors, Words words, std::uint64_t first_lba = 1) {
    std::vector<std::uint8_t> tags(4 * kTagBytes);
    for (std::uint64_t s = 0; s < 4; ++s) {
      const SectorTag tag{first_lba + s, 1};
      std::memcpy(tags.data() + s * kTagBytes, &tag, sizeof tag);
    }
    bench_->cycles.clear().command(0x80).page_address(bench_->row(p));
    bench_->cycles.page_data(PhaseKind::data_in, sectors, tags.data(), nullptr);
    last_phase().words = words.data();
    bench_->cycles.command(0x10);
    return bench_->finish(p.lun);
  }
  Words read(const Place& p) {
    EXPECT_EQ(bench_->read(p), 0xE0);
    return output();
  }
  Words output() {
    Words words{1, 2, 3, 4}; // to be written over
    bench_->cycles.clear().command(0x00).page_data(PhaseKind::data_out, 1, nullptr, &oob_);
    last_phase().words = words.data();
    bench_->now = bench_->send(bench_->now);
    return words;
  }
  hw::OnfiPhase& last_phase() {
    hw::OnfiTenure& t = bench_->cycles.tenure();
    return t.phases[t.phase_count - 1];
  }

  std::unique_ptr<FlashBench> bench_;
  std::uint64_t oob_ = 0; // what a read gives who wants one word
};

TEST_F(SubpageWords, StayWhenOtherSubpagesAreProgrammed) {
  build(part_with_words());
  ASSERT_EQ(program({0, 0, 0, 0}, 1, {10, kNone, kNone, kNone}), 0xE0);
  EXPECT_EQ(read({0, 0, 0, 0}), (Words{10, kNone, kNone, kNone}));
  ASSERT_EQ(program({0, 0, 0, 0}, 6, {kNone, 11, 12, kNone}), 0xE0);
  EXPECT_EQ(read({0, 0, 0, 0}), (Words{10, 11, 12, kNone}));
  ASSERT_EQ(program({0, 0, 0, 0}, 8, {kNone, kNone, kNone, 13}), 0xE0);
  EXPECT_EQ(read({0, 0, 0, 0}), (Words{10, 11, 12, 13}));
  EXPECT_EQ(oob_, 10u) << "the first one is the page's";
  EXPECT_EQ(bench_->all_violations(), 0u);
}

TEST_F(SubpageWords, AreGoneAfterAnErase) {
  build(part_with_words());
  ASSERT_EQ(program({0, 1, 2, 0}, 15, {1, 2, 3, 4}), 0xE0);
  ASSERT_EQ(bench_->erase({0, 1, 2, 0}), 0xE0);
  EXPECT_EQ(read({0, 1, 2, 0}), (Words{kNone, kNone, kNone, kNone}));
  ASSERT_EQ(program({0, 1, 2, 0}, 15, {kNone, 5, kNone, kNone}), 0xE0);
  EXPECT_EQ(read({0, 1, 2, 0}), (Words{kNone, 5, kNone, kNone})) << "none of those before the erase";
}

TEST_F(SubpageWords, AreOneForThePageWherePartsKeepOne) {
  build(part_with_words(false));
  ASSERT_EQ(program({0, 0, 0, 0}, 1, {10, kNone, kNone, kNone}), 0xE0);
  ASSERT_EQ(program({0, 0, 0, 0}, 2, {kNone, 11, kNone, kNone}), 0xE0);
  EXPECT_EQ(read({0, 0, 0, 0}), (Words{10, kNone, kNone, kNone}));
}

TEST_F(SubpageWords, AreNoneOfAPageProgrammedWithOneButTheFirst) {
  build(part_with_words());
  ASSERT_EQ(program({0, 0, 0, 0}, 15, {1, 2, 3, 4}), 0xE0); // of the register before
  ASSERT_EQ(bench_->program({0, 0, 0, 1}, 9), 0xE0);
  EXPECT_EQ(read({0, 0, 0, 1}), (Words{9, kNone, kNone, kNone}));
}

TEST_F(SubpageWords, ComeFromNowhereWhenNothingWasRead) {
  build(part_with_words());
  ASSERT_EQ(program({0, 0, 0, 0}, 15, {1, 2, 3, 4}), 0xE0);
  EXPECT_EQ(output(), (Words{kNone, kNone, kNone, kNone}));
  EXPECT_EQ(bench_->violations(hw::Rule::protocol), 1u);
}

TEST_F(SubpageWords, GoAlongWithACopyback) {
  build(part_with_words());
  ASSERT_EQ(program({0, 0, 0, 0}, 15, {1, kNone, 3, 4}), 0xE0);
  bench_->cycles.clear().command(0x00).page_address(bench_->row({0, 0, 0, 0})).command(0x35);
  ASSERT_EQ(bench_->finish(0), 0xE0);
  bench_->cycles.clear().command(0x85).page_address(bench_->row({0, 0, 1, 0})).command(0x10);
  ASSERT_EQ(bench_->finish(0), 0xE0);
  EXPECT_EQ(read({0, 0, 1, 0}), (Words{1, kNone, 3, 4}));
}

// Then the die's store changes from packed tags to whole ones.
TEST_F(SubpageWords, StayWhenATagComesThatIsTooLargeForPackedOnes) {
  build(part_with_words());
  ASSERT_EQ(program({0, 0, 0, 0}, 15, {1, 2, 3, 4}), 0xE0);
  ASSERT_EQ(program({0, 0, 0, 1}, 3, {5, 6, kNone, kNone}), 0xE0);
  ASSERT_EQ(program({0, 0, 0, 2}, 15, {7, 8, 9, 10}, std::uint64_t{1} << 50), 0xE0);
  ASSERT_EQ(program({0, 0, 0, 1}, 12, {kNone, kNone, 11, 12}), 0xE0);
  EXPECT_EQ(read({0, 0, 0, 0}), (Words{1, 2, 3, 4}));
  EXPECT_EQ(read({0, 0, 0, 1}), (Words{5, 6, 11, 12}));
  EXPECT_EQ(read({0, 0, 0, 2}), (Words{7, 8, 9, 10}));
}

TEST(SubpageWordsMemory, IsEightBytesForEachSubpageButTheFirst) {
  std::uint64_t bytes[2] = {};
  for (const bool words : {false, true}) {
    const hw::NandConfig c = part_with_words(words);
    hw::PageStore store(c.geometry, c.data_mode, c.partial_programs, c.subpage_words);
    hw::PageRegister page;
    page.payload = std::make_unique<std::uint8_t[]>(store.payload_size());
    page.further_count = store.further_words();
    if (words) page.further = std::make_unique<std::uint64_t[]>(page.further_count);
    page.clear();
    page.mask = store.full_mask();
    store.program(store.block(0, 0), 0, 0, page);
    bytes[words] = store.allocated_bytes();
  }
  EXPECT_EQ(bytes[1] - bytes[0], 48u * 3 * 8);
}

} // namespace
} // namespace twinplane::test::subpage_words_test
