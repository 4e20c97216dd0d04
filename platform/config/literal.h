// A configuration value as written, before its parameter gives it a meaning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twinplane::platform {

struct Literal {
  enum class Type : std::uint8_t { boolean, integer, real, text, list, other };
  Type type = Type::text;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;           // text, or the name of an `other` type ("a table", "a date")
  std::vector<Literal> items; // list

  static Literal of_integer(std::int64_t value) {
    Literal l;
    l.type = Type::integer;
    l.integer = value;
    return l;
  }
  static Literal of_text(std::string value) {
    Literal l;
    l.text = std::move(value);
    return l;
  }
};

/// For error messages: `"15"`, `4`, `[1, 2]`, `a table`.
std::string to_string(const Literal& literal);

} // namespace twinplane::platform
