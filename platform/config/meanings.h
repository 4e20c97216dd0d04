// What the names of the FTL's decisions and policies mean, in a line each, for `twinplane list`.
#pragma once

#include <string>
#include <string_view>

namespace twinplane::platform {

/// `key`: "ftl.victim"; `name`: one of its names. Names that are made of others (X+Y, orders of CWDP) are put
/// into words. Empty: it has not been written down yet (a test finds that).
std::string meaning_of(std::string_view key, std::string_view name);

} // namespace twinplane::platform
