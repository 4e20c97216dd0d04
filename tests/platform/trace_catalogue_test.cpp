// Whole public traces against statistics that an independent analysis published with them. The files are too
// large to bundle; without them only the catalogue itself is checked.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "platform/trace/formats.h"
#include "platform/trace/trace_info.h"
#include "tests/support/trace_catalogue.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_catalogue_test {
namespace {

using Row = testing::CatalogueRow;

/// Half of the last digit that was printed, and a little for ties.
double rounding(const std::string& printed) {
  const std::size_t point = printed.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : printed.size() - point - 1;
  return 0.5001 * std::pow(10.0, -static_cast<double>(digits));
}

void expect_figure(const Row& row, const std::string& name, double got) {
  const std::string& printed = row.at(name);
  EXPECT_NEAR(got, std::stod(printed), rounding(printed)) << row.at("file") << ": " << name;
}

void compare(const Row& row, const std::string& folder) {
  constexpr double kPagesPerMiB = 256.0;
  const auto trace = open_trace(testing::trace_options(row, folder));
  const TraceInfo info = collect_info(*trace);
  EXPECT_EQ(std::to_string(info.requests), row.at("requests")) << row.at("file");
  EXPECT_EQ(trace->size_hint(), info.requests) << row.at("file");
  EXPECT_EQ(std::to_string(trace->status().devices.size()), row.at("devices")) << row.at("file");
  expect_figure(row, "write_percent", info.write_ratio * 100.0);
  expect_figure(row, "mean_write_kib", info.writes.mean_bytes / 1024.0);
  expect_figure(row, "mean_read_kib", info.reads.mean_bytes / 1024.0);
  expect_figure(row, "large_write_percent", info.large_write_ratio * 100.0);
  expect_figure(row, "footprint_mib", static_cast<double>(info.footprint_pages) / kPagesPerMiB);
  expect_figure(row, "written_footprint_mib", static_cast<double>(info.written_pages) / kPagesPerMiB);
  if (row.at("span_s") == "-") {
    EXPECT_EQ(trace->status().clock_jumps, 2u) << row.at("file"); // a phone finds out the time while it boots
    EXPECT_LT(info.span_ns, 3'600'000'000'000u) << row.at("file");
    return;
  }
  EXPECT_NEAR(static_cast<double>(info.span_ns) * 1e-9, std::stod(row.at("span_s")),
              std::stod(row.at("span_error_s")) * 1.001)
      << row.at("file");
}

std::string trace_folder() {
  const char* folder = std::getenv("TWINPLANE_TRACES");
  return folder != nullptr && std::filesystem::is_directory(folder) ? folder : "";
}

TEST(TraceCatalogue, NamesAKnownFormatForEveryFile) {
  const std::vector<Row> rows = testing::trace_catalogue(TWINPLANE_TRACE_CATALOGUE);
  EXPECT_EQ(rows.size(), 29u);
  for (const Row& row : rows) EXPECT_EQ(find_trace_format(row.at("format")).name, row.at("format"));
}

TEST(TraceCatalogue, FiguresOfTheFilesAtHandAreThePublishedOnes) {
  const std::string folder = trace_folder();
  for (const Row& row : testing::trace_catalogue(TWINPLANE_TRACE_CATALOGUE)) {
    if (!folder.empty() && std::filesystem::exists(folder + "/" + row.at("file"))) compare(row, folder);
  }
}

TEST(TraceCatalogue, FormatsOfTheFilesAtHandAreRecognised) {
  const std::string folder = trace_folder();
  for (const Row& row : testing::trace_catalogue(TWINPLANE_TRACE_CATALOGUE)) {
    const std::string path = folder + "/" + row.at("file");
    if (folder.empty() || !std::filesystem::exists(path)) continue;
    EXPECT_EQ(detect_trace_format(path).name, row.at("format")) << row.at("file");
  }
}

} // namespace
} // namespace twinplane::platform::trace_catalogue_test
