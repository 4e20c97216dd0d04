// Units: what people write, exactly, and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "platform/config/nearest.h"
#include "platform/config/units.h"
#include "tests/support/parameter_names.h"

namespace twinplane::platform::config_units_test {
namespace {

TEST(Units, ReadTimesExactlyInPicoseconds) {
  EXPECT_EQ(parse_quantity(Dimension::time, "65us"), 65'000'000u);
  EXPECT_EQ(parse_quantity(Dimension::time, "0.5us"), 500'000u);
  EXPECT_EQ(parse_quantity(Dimension::time, "5.734ms"), 5'734'000'000u);
  EXPECT_EQ(parse_quantity(Dimension::time, "0.833ns"), 833u);
  EXPECT_EQ(parse_quantity(Dimension::time, " 2 s "), 2'000'000'000'000u);
  EXPECT_EQ(parse_quantity(Dimension::time, "0"), 0u);
}

TEST(Units, ReadSizesInBinaryDecimalAndFioUnits) {
  EXPECT_EQ(parse_quantity(Dimension::size, "16KiB"), 16384u);
  EXPECT_EQ(parse_quantity(Dimension::size, "16KB"), 16000u);
  EXPECT_EQ(parse_quantity(Dimension::size, "4k"), 4096u);
  EXPECT_EQ(parse_quantity(Dimension::size, "1.5KiB"), 1536u);
  EXPECT_EQ(parse_quantity(Dimension::size, "1m"), 1048576u);
}

TEST(Units, ReadFrequencyAndBandwidth) {
  EXPECT_EQ(parse_quantity(Dimension::frequency, "1.2GHz"), 1'200'000'000u);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "12.8GB/s"), 12'800'000'000u);
  EXPECT_EQ(parse_quantity(Dimension::bandwidth, "1GiB/s"), 1ull << 30);
}

class RefusedTime : public testing::TestWithParam<const char*> {};
TEST_P(RefusedTime, IsNotAValue) {
  EXPECT_EQ(parse_quantity(Dimension::time, GetParam()), std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(Units, RefusedTime,
                         testing::Values("", "us", "65", "65 uS", "65KiB", "-1us", "1e3us", "0.3ps",
                                         "1.2.3us", "65us!", "99999999999s", "9223372036854775808ps"),
                         twinplane::test::parameter_name);

TEST(Units, TextOfAQuantityReadsBackTheSame) {
  for (const std::uint64_t v :
       {0ull, 1ull, 833ull, 1500ull, 65'000'000ull, 56'500'000ull, 1'234'567'890'123ull, (1ull << 62) + 1}) {
    EXPECT_EQ(parse_quantity(Dimension::time, format_quantity(Dimension::time, v)), v);
    EXPECT_EQ(parse_quantity(Dimension::size, format_quantity(Dimension::size, v)), v);
    EXPECT_EQ(parse_quantity(Dimension::frequency, format_quantity(Dimension::frequency, v)), v);
  }
}

TEST(Units, TextIsTheOneAPersonWouldWrite) {
  EXPECT_EQ(format_quantity(Dimension::time, 65'000'000), "65us");
  EXPECT_EQ(format_quantity(Dimension::time, 56'500'000), "56.5us");
  EXPECT_EQ(format_quantity(Dimension::time, 1500), "1.5ns");
  EXPECT_EQ(format_quantity(Dimension::size, 8192), "8KiB");
  EXPECT_EQ(format_quantity(Dimension::size, 448), "448B");
  EXPECT_EQ(format_quantity(Dimension::bandwidth, 12'800'000'000), "12.8GB/s");
}

TEST(Units, PercentIsTheNearestDouble) {
  EXPECT_EQ(parse_fraction("15%"), 0.15);
  EXPECT_EQ(parse_fraction("0.15"), 0.15);
  EXPECT_EQ(parse_fraction("7.5%"), 0.075);
  EXPECT_EQ(parse_fraction("x%"), std::nullopt);
  EXPECT_EQ(parse_fraction("%"), std::nullopt);
  EXPECT_EQ(format_fraction(0.15), "15%");
  for (const double v : {0.1, 1.0 / 3, 0.999, 2.5}) EXPECT_EQ(parse_fraction(format_fraction(v)), v);
}

/// The whole table, by definition.
std::size_t distance_by_table(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& here = cost[i][j];
      here = i == 0 ? j : j == 0 ? i : cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      if (i != 0) here = std::min(here, cost[i - 1][j] + 1);
      if (j != 0) here = std::min(here, cost[i][j - 1] + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here = std::min(here, cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

TEST(Nearest, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("tPROG", "tPROG", 9), 0u);
  EXPECT_EQ(edit_distance("chanels", "channels", 9), 1u);
  EXPECT_EQ(edit_distance("form", "from", 9), 1u);
  EXPECT_EQ(edit_distance("", "abc", 9), 3u);
}

TEST(Nearest, CountsUpToTheLimitAndNoFurther) {
  std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same words every time
  const auto word = [&] {
    std::string text(random() % 9, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = word();
    const std::string b = word();
    const std::size_t limit = random() % 11;
    ASSERT_EQ(edit_distance(a, b, limit), std::min(distance_by_table(a, b), limit)) << a << " " << b;
  }
}

TEST(Nearest, OfLongNamesTakesNoTime) {
  std::vector<std::string> keys(2000, std::string(4000, 'a')); // by the whole table 32 thousand million steps
  EXPECT_EQ(nearest(std::string(4000, 'b'), keys), "");
}

TEST(Nearest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("greddy", {"fifo", "greedy", "random"}), "greedy");
  EXPECT_EQ(nearest(std::string(1u << 20, 'g'), {"fifo", "greedy", "random"}), "") << "in no time";
  EXPECT_EQ(nearest("zebra", {"fifo", "greedy", "random"}), "");
}

} // namespace
} // namespace twinplane::platform::config_units_test
