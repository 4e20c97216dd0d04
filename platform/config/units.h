// Values with units as people write them: "65us", "16KiB", "1.2GHz", "12.8GB/s", "70%".
//
// Parsing is exact decimal arithmetic: "0.5us" is 500000 ps to the last digit, and a value that is no
// whole number of the base unit ("0.3ps") is refused. Formatting gives text that parses back to the
// same value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twinplane::platform {

/// Base units: picoseconds, bytes, hertz, bytes per second.
enum class Dimension : std::uint8_t { time, size, frequency, bandwidth };

/// nullopt: not a number, unit missing or unknown, not whole in the base unit, or beyond 2^63 - 1.
/// "0" needs no unit. Sizes know B, KiB MiB GiB TiB (1024), KB MB GB TB (1000) and fio's k m g t (1024).
std::optional<std::uint64_t> parse_quantity(Dimension dimension, std::string_view text);

/// The biggest unit that shows the value with at most three decimals: 1500 ps -> "1.5ns".
std::string format_quantity(Dimension dimension, std::uint64_t value);

/// What a value of this dimension looks like, for error texts: `a time such as "65us" (ps, ns, us, ms, s)`.
std::string_view describe(Dimension dimension);

/// "70%" or "0.7"; nullopt when neither.
std::optional<double> parse_fraction(std::string_view text);
/// "70%", or the shortest decimal when percent would not parse back exactly.
std::string format_fraction(double value);

/// Locale-free decimal number; the whole text must be used.
std::optional<double> parse_real(std::string_view text);
std::string format_real(double value);

} // namespace twinplane::platform
