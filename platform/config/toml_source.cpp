#include "platform/config/toml_source.h"

#include <toml++/toml.h>
#include <algorithm>

#include "platform/config/error.h"
#include "platform/config/foreign_files.h"

namespace twinplane::platform {

namespace {

Literal other(std::string what) {
  Literal l = Literal::of_text(std::move(what));
  l.type = Literal::Type::other;
  return l;
}

Literal to_literal(const toml::node& node) {
  Literal l;
  if (const auto* b = node.as_boolean()) {
    l.type = Literal::Type::boolean;
    l.boolean = b->get();
  } else if (const auto* i = node.as_integer()) {
    l.type = Literal::Type::integer;
    l.integer = i->get();
  } else if (const auto* f = node.as_floating_point()) {
    l.type = Literal::Type::real;
    l.real = f->get();
  } else if (const auto* s = node.as_string()) {
    l.text = s->get();
  } else if (const auto* a = node.as_array()) {
    l.type = Literal::Type::list;
    for (const toml::node& item : *a) l.items.push_back(to_literal(item));
  } else if (node.is_table()) {
    return other("a table");
  } else {
    return other("a date or time");
  }
  return l;
}

void flatten(const toml::table& table, const std::string& prefix, std::vector<TomlEntry>& out) {
  for (const auto& [key, node] : table) {
    const std::string dotted = prefix + std::string(key.str());
    const toml::table* child = node.as_table();
    if (child != nullptr && !child->empty()) {
      flatten(*child, dotted + ".", out);
    } else {
      out.push_back({dotted, to_literal(node), node.source().begin.line});
    }
  }
}

} // namespace

std::vector<TomlEntry> read_toml(std::string_view text, const std::string& name) {
  try {
    const toml::table table = toml::parse(text, name);
    std::vector<TomlEntry> entries;
    flatten(table, "", entries);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
    return entries;
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    const std::string foreign = foreign_file(text);
    throw InputError(name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                     ": not valid TOML: " + std::string(error.description()) +
                     (foreign.empty() ? "" : "\n" + name + ": " + foreign));
  }
}

Literal read_toml_value(std::string_view text) {
  try {
    const toml::table table = toml::parse("value = " + std::string(text));
    const toml::node* node = table.size() == 1 ? table.get("value") : nullptr;
    if (node != nullptr && !node->is_date() && !node->is_time() && !node->is_date_time()) {
      return to_literal(*node);
    }
  } catch (const toml::parse_error&) {
    // Not TOML: text without quotes, the common case on a command line.
  }
  return Literal::of_text(std::string(text));
}

} // namespace twinplane::platform
