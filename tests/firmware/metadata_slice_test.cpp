// Is a page of metadata taken for what it is, and nothing else for one?
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "firmware/ftl/metadata/slice.h"

namespace twinplane::fw {
namespace {

/// The check value that every catalogue of CRCs gives for CRC-32/ISO-HDLC.
TEST(MetadataSlice, CrcIsThatOfIeee802) {
  const char* const digits = "123456789";
  EXPECT_EQ(crc32(reinterpret_cast<const std::uint8_t*>(digits), 9), 0xCBF43926u);
  EXPECT_EQ(crc32(nullptr, 0), 0u);
}

TEST(MetadataSlice, EachLpnIsInOneSlice) {
  for (const std::uint32_t page : {512u, 2048u, 4096u, 16384u}) {
    for (const std::uint32_t exported : {1u, 31u, 3072u, 100000u}) {
      const SliceLayout layout(page, exported);
      std::uint32_t next = 0;
      for (std::uint32_t s = 0; s < layout.slices(); ++s) {
        ASSERT_EQ(layout.first(s), next);
        ASSERT_NE(layout.lpns(s), 0u);
        EXPECT_EQ(layout.slice_of(next), s);
        next += layout.lpns(s);
        EXPECT_EQ(layout.slice_of(next - 1), s);
      }
      EXPECT_EQ(next, exported);
      EXPECT_LE(layout.entry_at(layout.most_entries()), page);
      EXPECT_GE(layout.most_entries(), 32u);
      EXPECT_LE(SliceLayout::header_bytes() + (layout.lpns(0) + 7) / 8, layout.entry_at(0));
    }
  }
}

class SealedPage : public ::testing::Test {
 protected:
  SealedPage() : page_(512) {
    SliceHeader header;
    header.stamp = 77;
    header.slice = 1;
    header.lpns = layout_.lpns(1);
    header.losses = 1;
    SliceLayout::set_unmapped(page_.data(), 0);
    SliceLayout::set_unmapped(page_.data(), 13);
    const SliceLoss loss{layout_.first(1) + 4, 0b101};
    std::memcpy(page_.data() + layout_.entry_at(0), &loss, sizeof loss);
    layout_.seal(page_.data(), header);
  }

  SliceLayout layout_{512, 5000};
  std::vector<std::uint8_t> page_;
};

TEST_F(SealedPage, TellsWhatWasSealed) {
  SliceHeader header;
  ASSERT_TRUE(layout_.open(page_.data(), header));
  EXPECT_EQ(header.stamp, 77u);
  EXPECT_EQ(header.slice, 1u);
  EXPECT_EQ(header.losses, 1u);
  for (std::uint32_t n = 0; n < header.lpns; ++n)
    EXPECT_EQ(SliceLayout::unmapped(page_.data(), n), n == 0 || n == 13) << n;
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
  EXPECT_FALSE(SliceLayout(512, 3000).open(page_.data(), header)) << "its slice has other LPNs";
  EXPECT_FALSE(SliceLayout(512, 1500).open(page_.data(), header)) << "it has no such slice";
}

TEST_F(SealedPage, ZerosAndErasedCellsAreNoPage) {
  SliceHeader header;
  for (const std::uint8_t byte : {std::uint8_t{0}, std::uint8_t{0xFF}}) {
    const std::vector<std::uint8_t> other(512, byte);
    EXPECT_FALSE(layout_.open(other.data(), header));
  }
}

} // namespace
} // namespace twinplane::fw
