// Is a page of metadata taken for what it is, and nothing else for one?
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "firmware/ftl/features/journal/slice.h"

namespace twinplane::fw::journal_slice_test {
namespace {

/// The check value that every catalogue of CRCs gives for CRC-32/ISO-HDLC.
TEST(JournalSlice, CrcIsThatOfIeee802) {
  const char* const digits = "123456789";
  EXPECT_EQ(crc32(reinterpret_cast<const std::uint8_t*>(digits), 9), 0xCBF43926u);
  EXPECT_EQ(crc32(nullptr, 0), 0u);
}

/// The slices of a kind hold all items, one behind the other, and each has room for what it tells of them.
void expect_all_in_order(const SliceLayout& layout, SliceKind kind, std::uint32_t end, std::uint32_t items) {
  std::uint32_t next = 0;
  for (std::uint32_t s = layout.begin(kind); s < end; ++s) {
    ASSERT_EQ(layout.kind(s), kind);
    ASSERT_EQ(layout.first(s), next);
    ASSERT_NE(layout.items(s), 0u);
    next += layout.items(s);
    if (kind == SliceKind::trims) {
      EXPECT_EQ(layout.slice_of(next - 1), s);
      EXPECT_LE(kSliceHeaderBytes + (layout.items(s) + 7) / 8, layout.entry_at(0));
      continue;
    }
    std::vector<std::uint8_t> page(layout.entry_at(layout.most_entries()), 0);
    const std::uint32_t ones = ~0u;
    layout.set_words(page.data(), s, layout.items(s) - 1, 1, &ones);
    EXPECT_EQ(layout.word(page.data(), s, layout.items(s) - 1), ~0u);
    for (std::uint32_t byte = layout.entry_at(0); byte < page.size(); ++byte)
      ASSERT_EQ(page[byte], 0) << byte;
    for (std::uint32_t byte = 0; byte < kSliceHeaderBytes; ++byte) ASSERT_EQ(page[byte], 0) << byte;
  }
  EXPECT_EQ(next, items);
}

TEST(JournalSlice, EachLpnAndEachBlockIsInOneSliceOfItsKind) {
  for (const std::uint32_t page : {512u, 2048u, 4096u, 16384u}) {
    for (const std::uint32_t exported : {1u, 31u, 3072u, 100000u}) {
      for (const std::uint32_t blocks : {0u, 1u, 39u, 5000u}) {
        const SliceLayout layout(page, exported, blocks, 4);
        const std::uint32_t map = layout.begin(SliceKind::map);
        const std::uint32_t table = layout.begin(SliceKind::blocks);
        expect_all_in_order(layout, SliceKind::trims, map, exported);
        expect_all_in_order(layout, SliceKind::map, table, blocks == 0 ? 0 : exported);
        expect_all_in_order(layout, SliceKind::blocks, layout.slices(), blocks);
        EXPECT_EQ(layout.checkpoints(), blocks != 0);
        EXPECT_LE(layout.entry_at(layout.most_entries()), page);
        EXPECT_GE(layout.most_entries(), 31u);
      }
    }
  }
}

/// Each LPN of a slice is in one of its parts, and a part has a bit of its own for each of its sectors.
void expect_parts(const SliceLayout& layout, std::uint32_t slice, std::uint32_t sectors) {
  std::uint32_t next = layout.first(slice);
  for (std::uint32_t n = 0; n < layout.parts(slice); ++n) {
    const std::uint32_t part = layout.part(slice, n);
    ASSERT_LT(part, layout.with_parts());
    ASSERT_EQ(layout.kind(part), SliceKind::parts);
    ASSERT_EQ(layout.whole_of(part), slice);
    ASSERT_EQ(layout.first(part), next);
    ASSERT_NE(layout.items(part), 0u);
    ASSERT_EQ(layout.part_of(next), part);
    next += layout.items(part);
    ASSERT_EQ(layout.part_of(next - 1), part);
    std::vector<std::uint8_t> page(layout.page_bytes(), 0);
    const std::uint32_t last = layout.items(part) - 1;
    layout.set_lost(page.data(), last, low_mask(sectors));
    layout.set_lost(page.data(), 0, 1u << (sectors - 1));
    for (std::uint32_t i = 1; i < last; ++i) ASSERT_EQ(layout.lost(page.data(), i), 0u) << i;
    EXPECT_EQ(layout.lost(page.data(), last), low_mask(sectors));
    if (last != 0) {
      EXPECT_EQ(layout.lost(page.data(), 0), 1u << (sectors - 1));
    }
    for (std::uint32_t i = 0; i <= last; ++i)
      ASSERT_FALSE(layout.unmapped(page.data(), SliceKind::parts, i)) << i;
    for (std::uint32_t byte = 0; byte < page.size(); ++byte) {
      ASSERT_TRUE(page[byte] == 0 || (byte >= kSliceHeaderBytes && byte < layout.entry_at(0))) << byte;
    }
    for (std::uint32_t i = 0; i <= last; ++i) SliceLayout::set_unmapped(page.data(), i);
    EXPECT_EQ(layout.lost(page.data(), last), low_mask(sectors));
  }
  EXPECT_EQ(next, layout.first(slice) + layout.items(slice));
}

TEST(JournalSlice, PartsHaveRoomForEachOfTheirSectors) {
  for (const std::uint32_t page : {512u, 2048u, 4096u, 16384u}) {
    for (const std::uint32_t exported : {1u, 31u, 3072u, 300000u}) {
      for (const std::uint32_t sectors : {1u, 2u, 8u, 32u}) {
        const SliceLayout layout(page, exported, 39, sectors);
        for (std::uint32_t s = 0; s < layout.begin(SliceKind::map); ++s)
          ASSERT_NO_FATAL_FAILURE(expect_parts(layout, s, sectors)) << page << " " << exported;
        EXPECT_EQ(layout.begin(SliceKind::parts), layout.slices());
        EXPECT_EQ(layout.slices(), SliceLayout(page, exported, 39, 1).slices()) << "others are as they were";
      }
    }
  }
}

TEST(JournalSlice, APartIsReadAsItWasSealed) {
  const SliceLayout layout(4096, 100000, 0, 8);
  std::vector<std::uint8_t> page(4096, 0);
  SliceHeader header;
  header.stamp = 78;
  header.slice = layout.part(1, 2);
  header.items = layout.items(header.slice);
  header.programs = layout.most_entries();
  for (std::uint32_t n = 0; n < header.items; ++n) {
    layout.set_lost(page.data(), n, n * 37 % 256);
    if (n % 3 == 0) SliceLayout::set_unmapped(page.data(), n);
  }
  std::memset(page.data() + layout.entry_at(0), 0xA5, 4096 - layout.entry_at(0));
  layout.seal(page.data(), header);
  SliceHeader read;
  ASSERT_TRUE(layout.open(page.data(), read));
  EXPECT_EQ(read.slice, header.slice);
  EXPECT_EQ(layout.slice_of(layout.first(read.slice)), 1u);
  for (std::uint32_t n = 0; n < header.items; ++n) {
    ASSERT_EQ(layout.lost(page.data(), n), n * 37 % 256) << n;
    ASSERT_EQ(layout.unmapped(page.data(), SliceKind::parts, n), n % 3 == 0) << n;
  }
  EXPECT_FALSE(SliceLayout(4096, 100000, 0, 4).open(page.data(), read)) << "its parts have other LPNs";
  header.losses = 1;
  layout.seal(page.data(), header);
  EXPECT_FALSE(layout.open(page.data(), read)) << "more than it has room for";
}

class SealedPage : public ::testing::Test {
 protected:
  SealedPage() : page_(512) {
    SliceHeader header;
    header.stamp = 77;
    header.slice = 1;
    header.items = layout_.items(1);
    header.losses = 1;
    SliceLayout::set_unmapped(page_.data(), 0);
    SliceLayout::set_unmapped(page_.data(), 13);
    const SliceLoss loss{layout_.first(1) + 4, 0b101};
    std::memcpy(page_.data() + layout_.entry_at(0), &loss, sizeof loss);
    layout_.seal(page_.data(), header);
  }

  SliceLayout layout_{512, 5000, 0, 4};
  std::vector<std::uint8_t> page_;
};

TEST_F(SealedPage, TellsWhatWasSealed) {
  SliceHeader header;
  ASSERT_TRUE(layout_.open(page_.data(), header));
  EXPECT_EQ(header.stamp, 77u);
  EXPECT_EQ(header.slice, 1u);
  EXPECT_EQ(header.losses, 1u);
  for (std::uint32_t n = 0; n < header.items; ++n)
    EXPECT_EQ(layout_.unmapped(page_.data(), SliceKind::trims, n), n == 0 || n == 13) << n;
}

TEST_F(SealedPage, IsRefusedWithAnyBitChanged) {
  SliceHeader header;
  for (std::uint32_t bit = 0; bit < 512 * 8; ++bit) {
    page_[bit / 8] = static_cast<std::uint8_t>(page_[bit / 8] ^ 1u << bit % 8);
    EXPECT_FALSE(layout_.open(page_.data(), header)) << "bit " << bit;
    page_[bit / 8] = static_cast<std::uint8_t>(page_[bit / 8] ^ 1u << bit % 8);
  }
  EXPECT_TRUE(layout_.open(page_.data(), header));
}

TEST_F(SealedPage, IsRefusedInADriveOfAnotherSize) {
  SliceHeader header;
  EXPECT_FALSE(SliceLayout(512, 2500, 0, 4).open(page_.data(), header)) << "its slice has other LPNs";
  EXPECT_FALSE(SliceLayout(512, 1500, 0, 4).open(page_.data(), header)) << "it has no such slice";
}

TEST_F(SealedPage, ZerosAndErasedCellsAreNoPage) {
  SliceHeader header;
  for (const std::uint8_t byte : {std::uint8_t{0}, std::uint8_t{0xFF}}) {
    const std::vector<std::uint8_t> other(512, byte);
    EXPECT_FALSE(layout_.open(other.data(), header));
  }
}

} // namespace
} // namespace twinplane::fw::journal_slice_test
