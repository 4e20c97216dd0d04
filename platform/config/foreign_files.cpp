#include "platform/config/foreign_files.h"

#include <algorithm>
#include <array>
#include <string>

#include "platform/config/registry.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kLooked = 8192; // bytes

std::string_view trimmed(std::string_view line) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  return line;
}

/// What the lines look like; comments and empty lines are not counted.
struct Shape {
  std::size_t lines = 0;
  std::size_t sections = 0;       // [word]
  std::size_t assignments = 0;    // word = value
  std::size_t with_semicolon = 0; // word = value;
  std::string_view section;       // that the line is in
  std::size_t our_keys = 0;       // keys of a configuration
  std::size_t fio_keys = 0;       // word = value of a job file, the value without quotes; or a word alone
};

bool is_fio_key(std::string_view key) {
  constexpr std::array<std::string_view, 12> kKeys{"ioengine", "rw",        "readwrite", "filename",
                                                   "numjobs",  "runtime",   "direct",    "time_based",
                                                   "iodepth",  "rwmixread", "thread",    "group_reporting"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

bool is_our_key(std::string_view section, std::string_view key) {
  return find_parameter((section.empty() ? "" : std::string(section) + ".") + std::string(key)) != nullptr;
}

void look_at(std::string_view line, Shape& shape) {
  if (line.empty() || line[0] == '#' || line[0] == ';') return;
  ++shape.lines;
  if (line.front() == '[' && line.back() == ']') {
    ++shape.sections;
    shape.section = trimmed(line.substr(1, line.size() - 2));
    return;
  }
  const std::size_t equals = line.find('=');
  const std::string_view key = trimmed(line.substr(0, equals));
  const std::string_view value = equals == std::string_view::npos ? "" : trimmed(line.substr(equals + 1));
  if (is_fio_key(key) && value.substr(0, 1) != "\"") ++shape.fio_keys;
  if (equals == std::string_view::npos || key.empty()) return;
  ++shape.assignments;
  shape.our_keys += is_our_key(shape.section, key) ? 1 : 0;
  const std::size_t note = value.find('#');
  const std::string_view bare = trimmed(value.substr(0, note));
  if (!bare.empty() && bare.back() == ';') ++shape.with_semicolon;
}

Shape shape_of(std::string_view text) {
  Shape shape;
  text = text.substr(0, kLooked);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    look_at(trimmed(text.substr(0, end)), shape);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return shape;
}

bool holds(std::string_view text, std::string_view word) {
  return text.substr(0, kLooked).find(word) != std::string_view::npos;
}

} // namespace

std::string foreign_file(std::string_view text) {
  const std::string instead = "expected TOML, whose keys docs/configuration.md explains";
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  if (text[first] == '<') {
    const bool mqsim = holds(text, "Execution_Parameter_Set") || holds(text, "MQSim_IO_Scenarios");
    return (mqsim ? "this is an XML file of MQSim; " : "this is XML; ") + instead;
  }
  if (text[first] == '{') return "this is JSON; " + instead;
  const Shape shape = shape_of(text);
  if (shape.our_keys > 0) return ""; // TOML with a mistake
  if (shape.sections > 0 && shape.fio_keys > 0) {
    return "this is a fio job file; expected a [workload] section in TOML, which knows fio's words, with "
           "texts in quotes (docs/configuration.md), or for --trace an iolog that fio wrote with "
           "write_iolog=";
  }
  if (shape.with_semicolon > 0 && shape.with_semicolon * 2 >= shape.lines) {
    return "this is a page.parameters file of SSDSim; " + instead;
  }
  if (shape.sections > 0 && shape.sections + shape.assignments == shape.lines) {
    return "this is an ini file, such as SimpleSSD's; " + instead +
           ", with texts and numbers with units in quotes";
  }
  return "";
}

} // namespace twinplane::platform
