// fio's words: rw=, bs=, bssplit=, random_distribution=.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "platform/config/error.h"
#include "platform/workload/workload_spec.h"

namespace twinplane::platform {
namespace {

[[noreturn]] void refuse(const char* key, const std::string& expected, std::string_view got) {
  throw InputError(std::string(key) + ": expected " + expected + ", got '" + std::string(got) + "'");
}

std::vector<std::string_view> split_words(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t end = text.find(separator);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

double number(const char* key, std::string_view text) {
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) refuse(key, "a number", text);
  return value;
}

std::uint32_t block_size(const char* key, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits{{{"", 1},
                                                                              {"B", 1},
                                                                              {"k", 1024},
                                                                              {"K", 1024},
                                                                              {"KiB", 1024},
                                                                              {"m", 1u << 20},
                                                                              {"M", 1u << 20},
                                                                              {"MiB", 1u << 20}}};
  std::uint64_t count = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit = text.substr(static_cast<std::size_t>(result.ptr - text.data()));
  const auto* known =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& u) { return u.first == unit; });
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  if (result.ec != std::errc{} || known == kUnits.end() || count == 0 || count > kMost / known->second) {
    refuse(key, "a block size up to 1 GiB such as 512, 4k or 4KiB", text);
  }
  return static_cast<std::uint32_t>(count * known->second);
}

/// SIZE/PERCENT:SIZE/PERCENT...; entries without a percentage share what the others leave.
std::vector<SizeShare> size_shares(std::string_view text) {
  std::vector<SizeShare> shares;
  std::vector<std::size_t> open;
  double left = 100.0;
  for (const std::string_view entry : split_words(text, ':')) {
    const std::size_t slash = entry.find('/');
    SizeShare share{block_size("bssplit", entry.substr(0, slash)), 0.0};
    if (slash == std::string_view::npos || slash + 1 == entry.size()) {
      open.push_back(shares.size());
    } else {
      share.percent = number("bssplit", entry.substr(slash + 1));
      if (share.percent < 0.0 || share.percent > 100.0) refuse("bssplit", "0 to 100 percent", entry);
      left -= share.percent;
    }
    shares.push_back(share);
  }
  const bool exact = left < 1e-6 && left > -1e-6;
  if (left < -1e-6 || (open.empty() && !exact)) refuse("bssplit", "shares that add up to 100", text);
  for (const std::size_t i : open) shares[i].percent = std::max(left, 0.0) / static_cast<double>(open.size());
  return shares;
}

/// BYTES/SIZE[/THETA], one word for each size of request.
std::vector<SizedSpace> sized_spaces(const std::vector<std::string_view>& words, const std::string& text) {
  constexpr const char* kKey = "random_distribution";
  std::vector<SizedSpace> spaces;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::vector<std::string_view> parts = split_words(words[i], '/');
    if (parts.size() != 2 && parts.size() != 3) refuse(kKey, "sized:BYTES/SIZE[/THETA]:...", text);
    SizedSpace space{block_size(kKey, parts[0]), number(kKey, parts[1]), 0.0};
    if (parts.size() == 3) space.theta = number(kKey, parts[2]);
    spaces.push_back(space);
  }
  return spaces;
}

} // namespace

AccessPattern parse_access_pattern(const std::string& word) {
  constexpr std::array<std::pair<std::string_view, AccessPattern>, 9> kWords{
      {{"read", AccessPattern::read},
       {"write", AccessPattern::write},
       {"trim", AccessPattern::trim},
       {"rw", AccessPattern::rw},
       {"readwrite", AccessPattern::rw},
       {"randread", AccessPattern::randread},
       {"randwrite", AccessPattern::randwrite},
       {"randtrim", AccessPattern::randtrim},
       {"randrw", AccessPattern::randrw}}};
  for (const auto& [name, pattern] : kWords) {
    if (name == word) return pattern;
  }
  refuse("rw", "read, write, trim, rw, readwrite, randread, randwrite, randtrim or randrw", word);
}

AddressDistribution parse_distribution(const std::string& text) {
  using Kind = AddressDistribution::Kind;
  constexpr const char* kKey = "random_distribution";
  constexpr std::array<std::pair<std::string_view, Kind>, 3> kOneNumber{
      {{"zipf", Kind::zipf}, {"pareto", Kind::pareto}, {"normal", Kind::normal}}};
  AddressDistribution distribution;
  if (text == "random") return distribution;
  const std::vector<std::string_view> words = split_words(text, ':');
  for (const auto& [name, kind] : kOneNumber) {
    if (words[0] != name) continue;
    if (words.size() != 2) refuse(kKey, std::string(name) + ":NUMBER", text);
    distribution.kind = kind;
    distribution.parameter = number(kKey, words[1]);
    return distribution;
  }
  if (words[0] == "sized" && words.size() > 1) {
    distribution.kind = Kind::sized;
    distribution.spaces = sized_spaces(words, text);
    return distribution;
  }
  if (words[0] == "zoned_abs") {
    refuse(kKey, "zoned:ACCESS/SIZE:... with sizes in percent of workload.size (fio's zoned_abs has bytes)",
           text);
  }
  if (words[0] != "zoned" || words.size() < 2) {
    refuse(kKey,
           "random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:ACCESS/SIZE:... or "
           "sized:BYTES/SIZE[/THETA]:...",
           text);
  }
  distribution.kind = Kind::zoned;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t slash = words[i].find('/');
    if (slash == std::string_view::npos) refuse(kKey, "zoned:ACCESS/SIZE:ACCESS/SIZE...", text);
    distribution.zones.push_back(
        {number(kKey, words[i].substr(0, slash)), number(kKey, words[i].substr(slash + 1))});
  }
  return distribution;
}

void parse_block_sizes(const std::string& bs, const std::string& bssplit, WorkloadSpec& spec) {
  const bool split = !bssplit.empty();
  const std::vector<std::string_view> kinds = split_words(split ? bssplit : bs, ',');
  if (kinds.size() > 3) refuse(split ? "bssplit" : "bs", "READ[,WRITE[,TRIM]]", split ? bssplit : bs);
  std::array<std::vector<SizeShare>*, 3> lists{&spec.read_sizes, &spec.write_sizes, &spec.trim_sizes};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::string_view text = kinds[std::min(i, kinds.size() - 1)];
    *lists[i] = split ? size_shares(text) : std::vector<SizeShare>{{block_size("bs", text), 100.0}};
  }
}

} // namespace twinplane::platform
