// Parameters as text: values, limits, and what a type accepts in words.
#include <algorithm>

#include "platform/config/parameter.h"
#include "platform/config/registry.h"
#include "platform/config/units.h"

namespace twinplane::platform {

namespace {

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

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// A list that is said to hold more times than it can ends in "?", which is no time.
std::string format_times(const TimeList& list) {
  const auto room = static_cast<std::uint32_t>(list.at.size());
  std::string out;
  for (std::uint32_t i = 0; i < std::min(list.count, room); ++i) {
    out += (i == 0 ? "" : ", ") + quoted(format_quantity(Dimension::time, list.at[i]));
  }
  if (list.count > room) out += ", " + quoted("?");
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
    if (type.kind == Kind::page_or_size && v == 0) return quoted(std::string(kPage));
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

} // namespace

Dimension dimension_of(Kind kind) {
  switch (kind) {
    case Kind::size:
    case Kind::pages_or_bytes:
    case Kind::page_or_size:
      return Dimension::size;
    case Kind::frequency:
      return Dimension::frequency;
    case Kind::bandwidth:
      return Dimension::bandwidth;
    default:
      return Dimension::time;
  }
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
    case Kind::page_or_size:
      return "page, or size" + range_text(type);
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
    case Kind::page_or_size:
      return "\"page\" or a size such as \"4KiB\"" + range_text(type);
  }
  return "";
}

std::string to_string(const Literal& literal) {
  switch (literal.type) {
    case Literal::Type::boolean:
      return literal.boolean ? "true" : "false";
    case Literal::Type::integer:
      return std::to_string(literal.integer);
    case Literal::Type::real: { // told from a whole number by its point
      const std::string text = format_real(literal.real);
      return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
    }
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
