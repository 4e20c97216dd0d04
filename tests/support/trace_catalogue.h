// tests/support/trace_catalogue.csv: public traces that are too large to bundle, and what is known of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/trace/fields.h"
#include "platform/trace/line_reader.h"
#include "platform/trace/trace_source.h"

namespace twinplane::testing {

/// By column name; the header line of the file names the columns.
using CatalogueRow = std::map<std::string, std::string>;

inline std::vector<CatalogueRow> trace_catalogue(const std::string& path) {
  platform::LineReader reader(path);
  std::vector<std::string> names;
  std::vector<CatalogueRow> rows;
  std::string_view line;
  platform::Fields fields;
  while (reader.next(line)) {
    if (line.empty() || line[0] == '#') continue;
    platform::split(line, platform::Separator::comma, fields);
    CatalogueRow row;
    for (std::size_t i = 0; i < fields.count; ++i) {
      if (names.size() < fields.count) {
        names.emplace_back(fields.at[i]);
      } else {
        row[names[i]] = std::string(fields.at[i]);
      }
    }
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

inline platform::TraceOptions trace_options(const CatalogueRow& row, const std::string& folder) {
  platform::TraceOptions options;
  options.path = folder + "/" + row.at("file");
  options.format = row.at("format");
  if (row.at("time_unit") != "-") options.time_unit = row.at("time_unit");
  return options;
}

} // namespace twinplane::testing
