// Does a file give what is to be loaded, its functions and its lines, and does a bad one say what is wrong?
#include "hw/iss/elf_image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "tests/support/small_image.h"
#include "tests/support/temp_file.h"

namespace twinplane::hw::iss_elf_image_test {
namespace {

using testing::SmallImage;
using testing::TempFile;

/// DWARF 4, section 6.2: folder "src", file "a.cpp"; 0x1000 is line 10, 0x1018 line 20, the end 0x1034.
std::string some_lines() {
  const auto bytes = [](std::initializer_list<int> all) {
    std::string s;
    for (const int b : all) s += static_cast<char>(b);
    return s;
  };
  std::string header =
      bytes({1, 1, 1, 0xFB, 14, 13}); // instruction 1, 1 operation, is_stmt, base -5, range 14
  header += bytes({0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
  header += std::string("src\0\0a.cpp\0\1\0\0\0", 15);
  std::string program = bytes({0, 5, 2, 0x00, 0x10, 0, 0}); // address 0x1000
  program += bytes({3, 9, 1});                              // line + 9, row
  program += bytes({2, 0x18, 3, 10, 1});                    // address + 0x18, line + 10, row
  program += bytes({2, 0x1C, 0, 1, 1});                     // address + 0x1C, end
  const auto word = [](std::size_t n) {
    return std::string{static_cast<char>(n & 255), static_cast<char>(n >> 8), 0, 0};
  };
  const std::string rest = bytes({4, 0}) + word(header.size()) + header + program;
  return word(rest.size()) + rest;
}

TEST(ElfImage, GivesCodeFunctionsAndLines) {
  SmallImage small = testing::three_calls();
  small.lines = some_lines();
  const TempFile file("image.elf", elf_of(small));
  const ElfImage image(file.path());
  EXPECT_EQ(image.entry(), 0x1000u);
  ASSERT_EQ(image.segments().size(), 1u);
  EXPECT_EQ(image.segments()[0].address, 0x1000u);
  EXPECT_EQ(image.segments()[0].bytes.size(), small.code.size() * 4);
  ASSERT_EQ(image.functions().size(), 3u);
  EXPECT_EQ(image.functions()[1].name, "deep::leaf(unsigned int)");
  EXPECT_EQ(image.function_at(0x1017), 0u);
  EXPECT_EQ(image.function_at(0x1018), 1u);
  EXPECT_EQ(image.function_at(0x0FFF), ElfImage::kNone);
  EXPECT_EQ(image.function_at(0x1034), ElfImage::kNone);
  EXPECT_EQ(image.place_of(0x1014), "main (src/a.cpp:10)");
  EXPECT_EQ(image.place_of(0x1018), "deep::leaf(unsigned int) (src/a.cpp:20)");
  EXPECT_EQ(image.place_of(0x1034), "no function of the image");
}

TEST(ElfImage, EndsLinesWhereTheyEnd) {
  const std::string section = some_lines();
  const LineTable lines(reinterpret_cast<const std::uint8_t*>(section.data()), section.size());
  EXPECT_EQ(lines.line_of(0x0FFF), "");
  EXPECT_EQ(lines.line_of(0x1017), "src/a.cpp:10");
  EXPECT_EQ(lines.line_of(0x1033), "src/a.cpp:20");
  EXPECT_EQ(lines.line_of(0x1034), "");
}

TEST(ElfImage, DamagedLinesAreNoHarm) {
  const std::string section = some_lines();
  for (std::size_t cut = 0; cut <= section.size(); ++cut) {
    const LineTable lines(reinterpret_cast<const std::uint8_t*>(section.data()), cut);
    (void)lines.line_of(0x1018);
  }
  for (std::size_t at = 0; at < section.size(); ++at) {
    std::string bad = section;
    bad[at] = static_cast<char>(bad[at] ^ 0x5A);
    const LineTable lines(reinterpret_cast<const std::uint8_t*>(bad.data()), bad.size());
    (void)lines.line_of(0x1018);
  }
}

/// A file that is damaged says so, or is read without harm.
TEST(ElfImage, CutFilesAreRefused) {
  const std::string good = elf_of(testing::three_calls());
  std::size_t refused = 0;
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    const TempFile file("cut.elf", good.substr(0, cut));
    try {
      const ElfImage image(file.path());
    } catch (const std::runtime_error& error) {
      ++refused;
      EXPECT_STRNE(error.what(), "");
    }
  }
  EXPECT_EQ(refused, (good.size() + 6) / 7);
}

/// Tens of thousands of headers that all load the same bytes would take memory without an end.
TEST(ElfImage, OneThatLoadsMoreThanItHasIsRefused) {
  std::string bytes = elf_of(testing::three_calls());
  Elf32_Ehdr head;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::string header = bytes.substr(head.e_phoff, sizeof(Elf32_Phdr));
  head.e_phoff = static_cast<Elf32_Off>(bytes.size());
  head.e_phnum = 60000;
  std::memcpy(bytes.data(), &head, sizeof head);
  for (int i = 0; i < head.e_phnum; ++i) bytes += header;
  const TempFile file("greedy.elf", bytes);
  try {
    const ElfImage image(file.path());
    FAIL() << "was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "loads more bytes than it has");
  }
}

TEST(ElfImage, SaysWhatItExpected) {
  std::string other = elf_of(testing::three_calls());
  other[18] = 62; // e_machine
  const TempFile file("other.elf", other);
  try {
    const ElfImage image(file.path());
    FAIL() << "was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "is for another core: x86-64, expected 32-bit Arm (Cortex-R5)");
  }
}

} // namespace
} // namespace twinplane::hw::iss_elf_image_test
