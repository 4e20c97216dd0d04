#include "platform/config/parameter.h"

#include <algorithm>
#include <optional>

#include "platform/config/nearest.h"
#include "platform/config/registry.h"
#include "platform/config/units.h"

namespace twinplane::platform {

namespace {

using Error = std::string; // empty = none

Dimension dimension_of(Kind kind) {
  switch (kind) {
    case Kind::size:
    case Kind::pages_or_bytes:
      return Dimension::size;
    case Kind::frequency:
      return Dimension::frequency;
    case Kind::bandwidth:
      return Dimension::bandwidth;
    default:
      return Dimension::time;
  }
}

Error expected(const Type& type, const Literal& value) {
  return "expected " + describe(type) + ", got " + to_string(value);
}

bool within(const Type& type, double value) {
  return value >= type.min && value <= type.max;
}

std::string limit_text(const Type& type, double value) {
  switch (type.kind) {
    case Kind::time:
    case Kind::nanoseconds:
    case Kind::time_list:
    case Kind::size:
    case Kind::frequency:
    case Kind::bandwidth:
      return format_quantity(dimension_of(type.kind), static_cast<std::uint64_t>(value));
    case Kind::fraction:
      return format_fraction(value);
    case Kind::real:
      return format_real(value);
    default:
      return std::to_string(static_cast<std::uint64_t>(value));
  }
}

std::string range_text(const Type& type) {
  if (type.max >= kUnlimited) return type.min > 0 ? ", at least " + limit_text(type, type.min) : "";
  return ", " + limit_text(type, type.min) + " to " + limit_text(type, type.max);
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

Error store_text(const Type& type, const Literal& value, Field field) {
  if (value.type != Literal::Type::text) return expected(type, value);
  if (type.kind == Kind::name) {
    const auto& names = type.names();
    if (std::find(names.begin(), names.end(), value.text) == names.end()) {
      const std::string near = nearest(value.text, names);
      return expected(type, value) + (near.empty() ? "" : "; did you mean " + near + "?");
    }
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
  if (items.empty() || items.size() > kMaxPageTypes) return expected(type, value);
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

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string format_times(const TimeList& list) {
  std::string out;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    out += (i == 0 ? "" : ", ") + quoted(format_quantity(Dimension::time, list.at[i]));
  }
  return list.count == 1 ? out : "[" + out + "]";
}

std::string format_word(const Type& type, unsigned char value) {
  for (std::size_t i = 0; i < type.word_count; ++i) {
    if (type.words[i].value == value) return quoted(type.words[i].name);
  }
  return quoted("?");
}

/// Numbers with a point, so that TOML reads them back as decimals.
std::string format_decimal(double value) {
  std::string text = format_real(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

/// One formatter per alternative of Field.
struct Formatter {
  const Type& type;
  std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
  std::string operator()(const std::uint32_t* v) const { return (*this)(std::uint64_t{*v}); }
  std::string operator()(const std::uint64_t* v) const { return (*this)(*v); }
  std::string operator()(std::uint64_t v) const {
    return type.kind == Kind::count ? std::to_string(v) : quoted(format_quantity(dimension_of(type.kind), v));
  }
  std::string operator()(const double* v) const {
    return type.kind == Kind::fraction ? quoted(format_fraction(*v)) : format_decimal(*v);
  }
  std::string operator()(const std::string* v) const { return quoted(*v); }
  std::string operator()(WordRef v) const { return format_word(type, *v.value); }
  std::string operator()(const TimeList* v) const { return format_times(*v); }
  std::string operator()(const BlocksOrShare* v) const {
    return v->share > 0 ? quoted(format_fraction(v->share)) : std::to_string(v->blocks);
  }
  std::string operator()(const PagesOrBytes* v) const {
    return v->bytes > 0 ? quoted(format_quantity(Dimension::size, v->bytes)) : std::to_string(v->pages);
  }
};

std::string join_words(const Type& type) {
  std::string out = "one of ";
  for (std::size_t i = 0; i < type.word_count; ++i) {
    out += (i == 0 ? "" : ", ") + std::string(type.words[i].name);
  }
  return out;
}

std::string join_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string out = "one of ";
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) out += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kShown ? out + ", ... (`twinplane list` shows all)" : out;
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

std::string format_toml(const Parameter& parameter, const Config& config) {
  // Accessors are written once, for filling; formatting only reads through them.
  return std::visit(Formatter{parameter.type}, parameter.field(const_cast<Config&>(config)));
}

std::string brief(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::count:
      return "whole number" + range_text(type);
    case Kind::real:
      return "number" + range_text(type);
    case Kind::fraction:
      return "share" + range_text(type);
    case Kind::time:
      return "time" + range_text(type);
    case Kind::nanoseconds:
      return "time; bare numbers are ns" + range_text(type);
    case Kind::time_list:
      return "time or list of times" + range_text(type);
    case Kind::size:
      return "size" + range_text(type);
    case Kind::frequency:
      return "frequency" + range_text(type);
    case Kind::bandwidth:
      return "bandwidth" + range_text(type);
    case Kind::text:
      return "text";
    case Kind::blocks_or_share:
      return "blocks" + range_text(type) + ", or share";
    case Kind::pages_or_bytes:
      return "pages" + range_text(type) + ", or size";
    case Kind::word:
    case Kind::name:
      return describe(type);
  }
  return "";
}

std::string describe(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::count:
      return "a whole number" + range_text(type);
    case Kind::real:
      return "a number" + range_text(type);
    case Kind::fraction:
      return "a share such as \"15%\" or 0.15" + range_text(type);
    case Kind::nanoseconds:
      return "nanoseconds such as \"3ns\" or 2.5" + range_text(type);
    case Kind::time_list:
      return "a time such as \"65us\" or a list with one time per page type (units ps, ns, us, ms, s)" +
             range_text(type);
    case Kind::time:
    case Kind::size:
    case Kind::frequency:
    case Kind::bandwidth:
      return std::string(describe(dimension_of(type.kind))) + range_text(type);
    case Kind::word:
      return join_words(type);
    case Kind::name:
      return join_names(type.names());
    case Kind::text:
      return "text in quotes";
    case Kind::blocks_or_share:
      return "a number of blocks or a share such as \"5%\"" + range_text(type);
    case Kind::pages_or_bytes:
      return "a number of pages or a size such as \"64MiB\"" + range_text(type);
  }
  return "";
}

std::string to_string(const Literal& literal) {
  switch (literal.type) {
    case Literal::Type::boolean:
      return literal.boolean ? "true" : "false";
    case Literal::Type::integer:
      return std::to_string(literal.integer);
    case Literal::Type::real:
      return format_real(literal.real);
    case Literal::Type::text:
      return quoted(literal.text);
    case Literal::Type::list: {
      std::string out = "[";
      for (std::size_t i = 0; i < literal.items.size(); ++i) {
        out += (i == 0 ? "" : ", ") + to_string(literal.items[i]);
      }
      return out + "]";
    }
    case Literal::Type::other:
      return literal.text;
  }
  return "";
}

} // namespace twinplane::platform
