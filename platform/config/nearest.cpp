#include "platform/config/nearest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace twinplane::platform {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// How often letters are there, by their last six bits, as far as names go.
class Letters {
 public:
  explicit Letters(std::string_view text) {
    for (const char c : text) ++count_[static_cast<unsigned char>(c) % kKinds];
  }
  /// No fewer edits turn one text into the other: each gives or takes one letter.
  std::size_t least_edits(std::string_view other) const {
    auto left = count_;
    std::size_t missing = 0;
    std::size_t superfluous = 0;
    for (const char c : other) --left[static_cast<unsigned char>(c) % kKinds];
    for (const std::int32_t n : left)
      (n > 0 ? superfluous : missing) += static_cast<std::size_t>(std::abs(n));
    return std::max(missing, superfluous);
  }

 private:
  static constexpr std::size_t kKinds = 64;
  std::array<std::int32_t, kKinds> count_{};
};

std::size_t difference(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

} // namespace

// Three rows of the table are enough, and of each the part where the distance can still be below the limit.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (difference(a.size(), b.size()) >= limit) return limit;
  std::vector<std::size_t> rows[3];
  for (auto& row : rows) row.assign(b.size() + 1, limit);
  for (std::size_t j = 0; j <= b.size() && j < limit; ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t>& row = rows[i % 3];
    const std::vector<std::size_t>& above = rows[(i + 2) % 3];
    const std::vector<std::size_t>& before = rows[(i + 1) % 3];
    const std::size_t first = i < limit ? 1 : i - limit + 1;
    const std::size_t last = limit < b.size() - std::min(b.size(), i) ? i + limit : b.size();
    row[first - 1] = first == 1 ? std::min(i, limit) : limit;
    std::size_t least = row[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      std::size_t cost = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost = std::min(cost, before[j - 2] + 1);
      row[j] = std::min(cost, limit);
      least = std::min(least, row[j]);
    }
    if (last < b.size()) row[last + 1] = limit; // what the row below looks at
    if (least >= limit) return limit;
  }
  return rows[a.size() % 3][b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::size_t best = (name.size() + 2) / 3 + 1;
  std::string found;
  const std::string own = lower(name);
  const Letters letters(own);
  for (const std::string& candidate : candidates) {
    if (difference(own.size(), candidate.size()) >= best) continue;
    const std::string other = lower(candidate);
    if (letters.least_edits(other) >= best) continue;
    const std::size_t distance = edit_distance(own, other, best);
    if (distance >= best) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

} // namespace twinplane::platform
