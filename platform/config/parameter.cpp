#include "platform/config/parameter.h"

#include <algorithm>
#include <optional>

#include "platform/config/nearest.h"
#include "platform/config/registry.h"
#include "platform/config/units.h"

namespace twinplane::platform {

namespace {

using Error = std::string; // empty = none

Error expected(const Type& type, const Literal& value) {
  return "expected " + describe(type) + ", got " + to_string(value);
}

bool within(const Type& type, double value) {
  return value >= type.min && value <= type.max;
}

std::optional<std::uint64_t> whole_number(const Literal& value) {
  if (value.type != Literal::Type::integer || value.integer < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value.integer);
}

std::optional<std::uint64_t> quantity(Kind kind, const Literal& value) {
  if (value.type == Literal::Type::text) {
    if (kind == Kind::nanoseconds && parse_real(value.text)) {
      return parse_quantity(Dimension::time, value.text + "ns");
    }
    return parse_quantity(dimension_of(kind), value.text);
  }
  if (value.type == Literal::Type::integer && value.integer == 0) return 0;
  if (kind != Kind::nanoseconds) return std::nullopt;
  if (value.type == Literal::Type::integer) {
    return parse_quantity(Dimension::time, std::to_string(value.integer) + "ns");
  }
  if (value.type != Literal::Type::real) return std::nullopt;
  return parse_quantity(Dimension::time, format_real(value.real) + "ns");
}

std::optional<double> number(const Literal& value) {
  if (value.type == Literal::Type::integer) return static_cast<double>(value.integer);
  if (value.type == Literal::Type::real) return value.real;
  return std::nullopt;
}

std::optional<double> fraction(const Literal& value) {
  return value.type == Literal::Type::text ? parse_fraction(value.text) : number(value);
}

Error store_unsigned(const Type& type, const Literal& value, std::optional<std::uint64_t> v, Field field) {
  if (!v || !within(type, static_cast<double>(*v))) return expected(type, value);
  if (auto* const* wide = std::get_if<std::uint64_t*>(&field)) {
    **wide = *v;
  } else {
    *std::get<std::uint32_t*>(field) = static_cast<std::uint32_t>(*v);
  }
  return {};
}

Error store_double(const Type& type, const Literal& value, std::optional<double> v, Field field) {
  if (!v || !within(type, *v)) return expected(type, value);
  *std::get<double*>(field) = *v;
  return {};
}

Error store_word(const Type& type, const Literal& value, Field field) {
  const Word* end = type.words + type.word_count;
  const Word* found = std::find_if(type.words, end, [&](const Word& w) {
    return value.type == Literal::Type::text && w.name == value.text;
  });
  if (found == end) return expected(type, value);
  *std::get<WordRef>(field).value = found->value;
  return {};
}

bool known_name(const Type& type, const std::string& name) {
  if (type.accepts != nullptr) return type.accepts(name);
  const auto& names = type.names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error store_text(const Type& type, const Literal& value, Field field) {
  if (value.type != Literal::Type::text) return expected(type, value);
  if (type.kind == Kind::name && !known_name(type, value.text)) {
    const std::string near = nearest(value.text, type.names());
    return expected(type, value) + (near.empty() ? "" : "; did you mean " + near + "?");
  }
  *std::get<std::string*>(field) = value.text;
  return {};
}

/// "50us, 75us" (from --set) as a list of texts.
std::vector<Literal> split_list(const std::string& text) {
  std::vector<Literal> items;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = text.find(',', begin);
    items.push_back(Literal::of_text(text.substr(begin, comma - begin)));
    if (comma == std::string::npos) return items;
    begin = comma + 1;
  }
}

Error store_times(const Type& type, const Literal& value, TimeList& out) {
  std::vector<Literal> items{value};
  if (value.type == Literal::Type::list) items = value.items;
  if (value.type == Literal::Type::text) items = split_list(value.text);
  if (items.empty() || items.size() > out.at.size()) return expected(type, value);
  TimeList list;
  for (const Literal& item : items) {
    const auto t = quantity(Kind::time, item);
    if (!t || !within(type, static_cast<double>(*t))) return expected(type, value);
    list.at[list.count++] = *t;
  }
  out = list;
  return {};
}

Error store_blocks_or_share(const Type& type, const Literal& value, BlocksOrShare& out) {
  if (const auto blocks = whole_number(value)) {
    if (!within(type, static_cast<double>(*blocks))) return expected(type, value);
    out = {static_cast<std::uint32_t>(*blocks), 0};
    return {};
  }
  const auto share = fraction(value);
  if (!share || *share <= 0 || *share >= 1) return expected(type, value);
  out = {0, *share};
  return {};
}

Error store_pages_or_bytes(const Type& type, const Literal& value, PagesOrBytes& out) {
  if (const auto pages = whole_number(value)) {
    if (!within(type, static_cast<double>(*pages))) return expected(type, value);
    out = {static_cast<std::uint32_t>(*pages), 0};
    return {};
  }
  const auto bytes = quantity(Kind::size, value);
  if (!bytes) return expected(type, value);
  out = {0, *bytes};
  return {};
}

Error store_page_or_size(const Type& type, const Literal& value, Field field) {
  const bool page = value.type == Literal::Type::text && value.text == kPage;
  if (page) *std::get<std::uint32_t*>(field) = 0;
  return page ? Error{} : store_unsigned(type, value, quantity(Kind::size, value), field);
}

Error store(const Type& type, const Literal& value, Field field) {
  switch (type.kind) {
    case Kind::boolean:
      if (value.type != Literal::Type::boolean) return expected(type, value);
      *std::get<bool*>(field) = value.boolean;
      return {};
    case Kind::count:
      return store_unsigned(type, value, whole_number(value), field);
    case Kind::time:
    case Kind::nanoseconds:
    case Kind::size:
    case Kind::frequency:
    case Kind::bandwidth:
      return store_unsigned(type, value, quantity(type.kind, value), field);
    case Kind::real:
      return store_double(type, value, number(value), field);
    case Kind::fraction:
      return store_double(type, value, fraction(value), field);
    case Kind::time_list:
      return store_times(type, value, *std::get<TimeList*>(field));
    case Kind::word:
      return store_word(type, value, field);
    case Kind::name:
    case Kind::text:
      return store_text(type, value, field);
    case Kind::blocks_or_share:
      return store_blocks_or_share(type, value, *std::get<BlocksOrShare*>(field));
    case Kind::pages_or_bytes:
      return store_pages_or_bytes(type, value, *std::get<PagesOrBytes*>(field));
    case Kind::page_or_size:
      return store_page_or_size(type, value, field);
  }
  return {};
}

} // namespace

std::string assign(const Parameter& parameter, const Literal& value, Config& config) {
  const std::string before = parameter.reserved ? format_toml(parameter, config) : "";
  Error error = store(parameter.type, value, parameter.field(config));
  if (error.empty() && parameter.reserved && format_toml(parameter, config) != before) {
    error = "not modelled yet: only the default " + before + " is accepted";
  }
  return error;
}

} // namespace twinplane::platform
