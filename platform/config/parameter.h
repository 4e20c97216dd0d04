// One configuration parameter, described once. The description feeds the TOML parser, --set, the dump,
// the docs and the resolved configuration in the report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/config/config.h"
#include "platform/config/literal.h"
#include "platform/config/units.h"

namespace twinplane::platform {

/// Of Kind::page_or_size.
inline constexpr std::string_view kPage = "page";

enum class Kind : std::uint8_t {
  boolean,         // true or false
  count,           // whole number
  real,            // decimal number
  fraction,        // "15%" or 0.15
  time,            // "65us"
  nanoseconds,     // "3ns"; a bare number means ns
  time_list,       // one time, or one per page type (read level)
  size,            // "16KiB"
  frequency,       // "1.2GHz"
  bandwidth,       // "12.8GB/s"
  word,            // one of a fixed list
  name,            // one of the names a table of implementations has
  text,            // free text
  blocks_or_share, // 3 or "5%"
  pages_or_bytes,  // 1024 or "64MiB"
  page_or_size,    // "page" or "4KiB"
};

struct Word {
  std::string_view name;
  std::uint8_t value; // of the enumerator
};

/// What a value may be. Limits are in the base unit (ps, bytes, Hz, bytes/s, fractions), inclusive.
struct Type {
  Kind kind = Kind::text;
  double min = 0;
  double max = 0;
  const Word* words = nullptr; // Kind::word
  std::size_t word_count = 0;
  const std::vector<std::string>& (*names)() = nullptr; // Kind::name
  bool (*accepts)(const std::string&) = nullptr;        // Kind::name: replaces membership in names()
};

/// The byte behind an enumeration (all of ours have an 8-bit underlying type).
struct WordRef {
  unsigned char* value;
};

using Field = std::variant<bool*, std::uint32_t*, std::uint64_t*, double*, std::string*, WordRef, TimeList*,
                           BlocksOrShare*, PagesOrBytes*>;

struct Parameter {
  std::string_view key; // dotted
  Type type;
  std::string_view meaning; // one line
  Field (*field)(Config&);
  /// A stable name the models do not use yet: only the default is accepted, so it is not set in vain.
  bool reserved = false;
};

/// The dimension of a kind that has units.
Dimension dimension_of(Kind kind);

/// Stores `value`. Returns "" or what is wrong with it, without the key: `expected ..., got ...`.
std::string assign(const Parameter& parameter, const Literal& value, Config& config);

/// The value as TOML writes it: `"65us"`, `4`, `true`, `["500us", "2ms", "5.5ms"]`.
std::string format_toml(const Parameter& parameter, const Config& config);

/// What the type accepts, in words: `a time such as "65us" (...), 1us to 1s`.
std::string describe(const Type& type);

/// The same for a table column: `time, 1us to 1s`.
std::string brief(const Type& type);

} // namespace twinplane::platform
