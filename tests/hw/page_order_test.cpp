// Is the shared-pages table the one of the data sheets and papers?
#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "hw/spec/page_order.h"

namespace twinplane::page_order_test {
namespace {

std::uint32_t crc32(const std::string& text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return crc.checksum();
}

std::string types(const PageOrderTable& table, const char* letters) {
  std::string text;
  for (std::uint32_t p = 0; p < table.pages(); ++p) text += letters[table.type(p)];
  return text;
}

std::string wordlines(const PageOrderTable& table) {
  std::string text;
  for (std::uint32_t p = 0; p < table.pages(); ++p) text += static_cast<char>(table.wordline(p));
  return text;
}

void expect_bijection(const PageOrderTable& table) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::uint32_t p = 0; p < table.pages(); ++p) {
    EXPECT_TRUE(seen.emplace(table.wordline(p), table.type(p)).second) << "page " << p;
    EXPECT_EQ(table.page(table.wordline(p), table.type(p)), p);
  }
}

TEST(PageOrder, HasTheTlcSequenceOf384Pages) {
  const auto table = std::make_unique<PageOrderTable>(CellType::tlc, 384);
  ASSERT_TRUE(table->valid());
  EXPECT_EQ(crc32(types(*table, "LCM")), 0x6169a20au);
  EXPECT_EQ(crc32(wordlines(*table)), 0x2c2afaedu);
}

TEST(PageOrder, HasTheTlcSequenceOfSixWordlines) {
  const auto table = std::make_unique<PageOrderTable>(CellType::tlc, 18);
  ASSERT_TRUE(table->valid());
  EXPECT_EQ(crc32(types(*table, "LCM")), 0xdcce0755u);
  EXPECT_EQ(crc32(wordlines(*table)), 0xf4cd78ddu);
}

TEST(PageOrder, ShowsPage11AsTheMsbOfWordline2) {
  const auto table = std::make_unique<PageOrderTable>(CellType::tlc, 18);
  EXPECT_EQ(table->page(2, 2), 11u);
  EXPECT_EQ(table->page(3, 2), 14u);
  EXPECT_EQ(table->page(5, 0), 12u); // "the last LSB page of the block"
}

TEST(PageOrder, HasTheDistance3MlcSequence) {
  const auto table = std::make_unique<PageOrderTable>(CellType::mlc, 256);
  ASSERT_TRUE(table->valid());
  EXPECT_EQ(crc32(types(*table, "LM")), 0xd76d03d4u);
  EXPECT_EQ(table->page(127, 1), 255u);
}

TEST(PageOrder, HasTheEvenOddMlcSequence) {
  const auto table = std::make_unique<PageOrderTable>(CellType::mlc, 256, PageTable::even_odd);
  ASSERT_TRUE(table->valid());
  EXPECT_EQ(crc32(types(*table, "LM")), 0x0c51243cu);
  const std::pair<std::uint32_t, std::uint32_t> pairs[] = {{0, 4}, {1, 5}, {2, 8}, {3, 9}, {6, 12}, {7, 13}};
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(table->page(i, 0), pairs[i].first);
    EXPECT_EQ(table->page(i, 1), pairs[i].second);
  }
  EXPECT_EQ(table->page(127, 0), 251u);
  EXPECT_EQ(table->page(127, 1), 255u);
}

TEST(PageOrder, IsABijectionForEveryCellType) {
  expect_bijection(*std::make_unique<PageOrderTable>(CellType::slc, 64));
  expect_bijection(*std::make_unique<PageOrderTable>(CellType::mlc, 256));
  expect_bijection(*std::make_unique<PageOrderTable>(CellType::mlc, 256, PageTable::even_odd));
  expect_bijection(*std::make_unique<PageOrderTable>(CellType::tlc, 384));
  expect_bijection(*std::make_unique<PageOrderTable>(CellType::qlc, 1024));
}

TEST(PageOrder, DisturbsAFullWordlineAtMostOnce) {
  for (const std::uint32_t n : {4u, 6u, 128u}) {
    const auto table = std::make_unique<PageOrderTable>(CellType::tlc, 3 * n);
    for (std::uint32_t w = 0; w < n; ++w) {
      const std::uint32_t full_at = table->page(w, 2);
      std::uint32_t later = 0;
      for (std::uint32_t t = 0; t < 3; ++t) {
        if (w > 0 && table->page(w - 1, static_cast<PageType>(t)) > full_at) ++later;
        if (w + 1 < n && table->page(w + 1, static_cast<PageType>(t)) > full_at) ++later;
      }
      EXPECT_EQ(later, w + 1 < n ? 1u : 0u) << "wordline " << w << " of " << n;
    }
  }
}

TEST(PageOrder, RefusesAPageCountThatDoesNotFitTheCell) {
  EXPECT_FALSE(std::make_unique<PageOrderTable>(CellType::tlc, 128)->valid());
  EXPECT_FALSE(std::make_unique<PageOrderTable>(CellType::slc, 0)->valid());
  EXPECT_FALSE(std::make_unique<PageOrderTable>(CellType::tlc, 384, PageTable::even_odd)->valid());
}

} // namespace
} // namespace twinplane::page_order_test
