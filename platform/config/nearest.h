// "Did you mean ...?" for misspelt names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace twinplane::platform {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`; `limit` when there are as many
/// or more. Takes time for the shorter one's length times `limit` at most.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// The candidate with the smallest distance (the first of equals), letter case ignored, or "" when none
/// is within a third of the name's length.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

} // namespace twinplane::platform
