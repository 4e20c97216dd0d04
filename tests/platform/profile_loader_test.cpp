// Profiles from text: what every key does, and what is said about mistakes.
#include "platform/workload/profile_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/config/error.h"
#include "platform/workload/profile_keys.h"

namespace twinplane::platform::profile_loader_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWhole = "requests = 1000\nwrites = \"40%\"\nfootprint = \"1GiB\"\n";

Profile parse(const std::string& text) {
  return parse_profile(kWhole + text, "my.toml");
}

std::string complaint(const std::string& text) {
  try {
    parse_profile(text, "my.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ProfileLoader, ReadsEveryKindOfValue) {
  const Profile p = parse(R"(
name = "mine"
[write]
sizes = [["4KiB", 70], [8192, 30.5]]
address = "hot"
regions = [[90, 10], [10, 90]]
align = "8KiB"
sequential = 0.25
[arrival]
model = "mmpp"
rate = 250
burst_rate = 4
burst_share = "20%"
burst_length = "5ms"
)");
  EXPECT_EQ(p.name, "mine");
  EXPECT_DOUBLE_EQ(p.writes, 0.4);
  EXPECT_EQ(p.footprint, std::uint64_t{1} << 30);
  ASSERT_EQ(p.write.size.mix.size(), 2u);
  EXPECT_EQ(p.write.size.mix[1].bytes, 8192u);
  EXPECT_EQ(p.write.address.regions[1].size_percent, 90.0);
  EXPECT_EQ(p.write.address.align, 8192u);
  EXPECT_EQ(p.arrival.burst_length_ns, 5'000'000u);
  EXPECT_DOUBLE_EQ(p.arrival.burst_share, 0.2);
  EXPECT_EQ(p.read.size.mix[0].bytes, 4096u); // not mentioned: as it was
}

TEST(ProfileLoader, AHistogramOfALongerRecordKeepsTheUsesOfEachAddress) {
  // 400 writes of the profile against 4,000 of the curve, which has 100 addresses.
  const Profile p = parse("[write]\naddress = \"histogram\"\nhistogram = [[10, 3000], [100, 4000]]\n");
  EXPECT_EQ(p.write.address.addresses, 10u);
}

TEST(ProfileLoader, NamesFileLineKeyAndWhatWasExpected) {
  EXPECT_THAT(complaint("requests = 0"),
              HasSubstr("my.toml:1: requests: expected a whole number from 1 to 2^32, got 0"));
  EXPECT_THAT(complaint("\n[write]\naling = 4"),
              HasSubstr("my.toml:3: write.aling: unknown key; did you mean write.align?"));
  EXPECT_THAT(
      complaint("[write]\naddress = \"zpf\""),
      HasSubstr("my.toml:2: write.address: expected uniform, zipf, hot, histogram or update, got \"zpf\""));
  EXPECT_THAT(complaint("[read]\nsizes = [[\"4KiB\"]]"), HasSubstr("expected a list of [size, weight]"));
  EXPECT_THAT(complaint("[read\n"), HasSubstr("my.toml:1:"));
}

TEST(ProfileLoader, ReportsAllMistakesAtOnce) {
  const std::string text = complaint("requests = -1\nwrites = 7\nfootprint = \"x\"");
  EXPECT_THAT(text, HasSubstr("my.toml:1:"));
  EXPECT_THAT(text, HasSubstr("my.toml:2:"));
  EXPECT_THAT(text, HasSubstr("my.toml:3:"));
}

TEST(ProfileLoader, RefusesWhatDoesNotFitTogether) {
  const std::string w(kWhole);
  EXPECT_THAT(complaint("requests = 5"), HasSubstr("footprint: missing"));
  EXPECT_THAT(complaint(w + "[write]\naddress = \"histogram\""), HasSubstr("write.histogram: missing"));
  EXPECT_THAT(complaint(w + "[read]\naddress = \"hot\""), HasSubstr("read.regions: missing"));
  EXPECT_THAT(complaint(w + "[read]\nregions = [[90, 10], [10, 80]]"), HasSubstr("adding up to 100"));
  EXPECT_THAT(complaint(w + "[read]\nsizes = [[\"1GiB\", 1], [\"512MiB\", 1]]\n"), testing::IsEmpty());
  EXPECT_THAT(complaint("requests = 5\nwrites = 1\nfootprint = \"1MiB\"\n[write]\nsizes = [[\"2MiB\", 1]]"),
              HasSubstr("footprint: expected at least the largest request of `write`, 2MiB"));
  EXPECT_THAT(complaint(w + "[arrival]\nmodel = \"poisson\""), HasSubstr("arrival.rate: expected"));
  EXPECT_THAT(complaint(w + "[arrival]\nmodel = \"mmpp\"\nrate = 1\nburst_rate = 10\nburst_share = 0.5"),
              HasSubstr("arrival.burst_rate: expected at most 1 / arrival.burst_share"));
}

TEST(ProfileLoader, RefusesACurveThatDoesNotStartWithTheHottest) {
  EXPECT_THAT(
      complaint(std::string(kWhole) + "[write]\naddress = \"histogram\"\nhistogram = [[10, 20], [20, 90]]"),
      HasSubstr("write.histogram: expected ever fewer requests for each address, but point 2"));
}

TEST(ProfileLoader, ChangesWinOverTheTextAndAreCheckedLikeIt) {
  const Profile p = parse_profile(
      std::string(kWhole) + "[arrival]\nmodel = \"b_model\"\nrate = 3", "my.toml",
      {"arrival.model=mmpp", "arrival.burst_rate=5", "arrival.burst_share=0.1", "arrival.burst_length=20ms"});
  EXPECT_EQ(p.arrival.model, "mmpp");
  EXPECT_DOUBLE_EQ(p.arrival.rate, 3.0); // not mentioned: as in the text
  EXPECT_EQ(p.arrival.burst_length_ns, 20'000'000u);
  for (const auto& [change, text] : {std::pair{"arrival.bais=1", "arrival.bais: unknown key; did you mean"},
                                     std::pair{"writes=7", "writes: expected a share"},
                                     std::pair{"writes", "expected KEY=VALUE, got writes"}}) {
    try {
      parse_profile(kWhole, "my.toml", {change});
      FAIL() << change;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("--profile-set: ") + text));
    }
  }
}

TEST(ProfileLoader, SuggestsTheNearestBuiltInName) {
  try {
    load_profile("prxy0");
    FAIL() << "found";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean prxy_0?"));
  }
}

TEST(ProfileLoader, SaysWhichFileCannotBeRead) {
  try {
    load_profile("no/such.toml");
    FAIL() << "found";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such.toml: cannot read the profile: No such file"));
  }
}

} // namespace
} // namespace twinplane::platform::profile_loader_test
