// TraceInfo as a table and as JSON.
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "platform/trace/trace_info.h"

namespace twinplane::platform {
namespace {

std::string fixed(double value, int digits, const char* unit) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value << unit;
  return out.str();
}

std::string percent(double fraction) {
  return fixed(fraction * 100.0, 1, " %");
}
std::string kib(double bytes) {
  return fixed(bytes / 1024.0, 2, " KiB");
}
std::string mib(double bytes) {
  return fixed(bytes / 1048576.0, 1, " MiB");
}
std::string pages_mib(std::uint64_t pages) {
  return mib(static_cast<double>(pages) * 4096.0);
}

void row(std::ostream& out, const char* name, const std::string& value) {
  out << "  " << std::left << std::setw(30) << name << value << '\n';
}

void size_rows(std::ostream& out, const char* kind, const SizeStatistics& sizes) {
  const std::string prefix(kind);
  row(out, kind, std::to_string(sizes.requests) + " requests, " + mib(static_cast<double>(sizes.bytes)));
  if (sizes.requests == 0) return;
  row(out, (prefix + " size").c_str(),
      "mean " + kib(sizes.mean_bytes) + ", p50 " + kib(sizes.p50_bytes) + ", p90 " + kib(sizes.p90_bytes) +
          ", p99 " + kib(sizes.p99_bytes) + ", max " + kib(sizes.max_bytes));
}

nlohmann::ordered_json json_of(const SizeStatistics& sizes) {
  return {{"requests", sizes.requests},   {"bytes", sizes.bytes},         {"mean_bytes", sizes.mean_bytes},
          {"p50_bytes", sizes.p50_bytes}, {"p90_bytes", sizes.p90_bytes}, {"p99_bytes", sizes.p99_bytes},
          {"max_bytes", sizes.max_bytes}};
}

void print_addresses(const TraceInfo& info, std::ostream& out) {
  row(out, "write addresses",
      std::to_string(info.write_addresses) + ", " + percent(info.hot_write_ratio) +
          " written 4 times or more");
  for (std::size_t i = 0; i < info.hottest_address_share.size(); ++i) {
    row(out, "",
        "hottest " + fixed(TraceInfo::kHottestPercent[i], 0, " % take ") +
            percent(info.hottest_address_share[i]) + " of the writes");
  }
  row(out, "rewrites",
      percent(info.rewrite_ratio) + " of the writes; of these up to 4 KiB " +
          percent(info.rewrite_size_share[0]) + ", up to 8 KiB " + percent(info.rewrite_size_share[1]) +
          ", larger " + percent(info.rewrite_size_share[2]));
}

nlohmann::ordered_json json_of_hottest(const std::array<double, 3>& shares) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    json[fixed(TraceInfo::kHottestPercent[i], 0, "%")] = shares[i];
  }
  return json;
}

} // namespace

void print(const TraceInfo& info, std::ostream& out) {
  row(out, "requests", std::to_string(info.requests));
  row(out, "span", fixed(static_cast<double>(info.span_ns) * 1e-9, 3, " s"));
  row(out, "rate",
      fixed(info.requests_per_s, 1, " requests/s, busiest 100 ms ") +
          fixed(info.peak_requests_per_s, 0, " requests/s"));
  row(out, "burstiness",
      "inter-arrival CV " + fixed(std::sqrt(info.interarrival_cv2), 2, " (Poisson 1), b-model bias ") +
          fixed(info.burst_bias, 2, " (Poisson 0.5)"));
  size_rows(out, "reads", info.reads);
  size_rows(out, "writes", info.writes);
  if (info.trims + info.flushes > 0) {
    row(out, "others", std::to_string(info.trims) + " trims, " + std::to_string(info.flushes) + " flushes");
  }
  row(out, "write ratio", percent(info.write_ratio));
  row(out, "mean size", kib(info.mean_bytes) + ", " + percent(info.small_ratio) + " up to 4 KiB");
  row(out, "writes above 8 KiB", percent(info.large_write_ratio));
  row(out, "sequential", percent(info.sequential_ratio));
  row(out, "footprint (4 KiB pages)",
      pages_mib(info.footprint_pages) + ", read " + pages_mib(info.read_pages) + ", written " +
          pages_mib(info.written_pages));
  row(out, "highest address", mib(static_cast<double>(info.end_bytes)));
  row(out, "update ratio", percent(info.update_ratio));
  for (std::size_t i = 0; i < info.hottest_share.size(); ++i) {
    row(out, i == 0 ? "write skew" : "",
        "hottest " + fixed(TraceInfo::kHottestPercent[i], 0, " % of written pages take ") +
            percent(info.hottest_share[i]) + " of the page writes");
  }
  print_addresses(info, out);
}

std::string devices_text(const TraceStatus& status) {
  constexpr std::size_t kShown = 8;
  const std::vector<std::string>& names = status.devices;
  if (names.size() == 1 && names[0].empty()) return "1, without a name";
  std::string text = std::to_string(names.size()) + ": ";
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
    if (i < status.places.size() && names.size() > 1)
      text += " at " + mib(static_cast<double>(status.places[i].base));
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string to_json(const TraceInfo& info, const std::vector<DevicePlace>& devices) {
  nlohmann::ordered_json json{{"requests", info.requests},
                              {"trims", info.trims},
                              {"flushes", info.flushes},
                              {"span_ns", info.span_ns},
                              {"requests_per_s", info.requests_per_s},
                              {"peak_requests_per_s", info.peak_requests_per_s},
                              {"interarrival_cv2", info.interarrival_cv2},
                              {"burst_bias", info.burst_bias},
                              {"reads", json_of(info.reads)},
                              {"writes", json_of(info.writes)},
                              {"write_ratio", info.write_ratio},
                              {"large_write_ratio", info.large_write_ratio},
                              {"sequential_ratio", info.sequential_ratio},
                              {"end_bytes", info.end_bytes},
                              {"footprint_pages", info.footprint_pages},
                              {"read_pages", info.read_pages},
                              {"written_pages", info.written_pages},
                              {"update_ratio", info.update_ratio},
                              {"hottest_share", json_of_hottest(info.hottest_share)},
                              {"mean_bytes", info.mean_bytes},
                              {"small_ratio", info.small_ratio},
                              {"write_addresses", info.write_addresses},
                              {"hot_write_ratio", info.hot_write_ratio},
                              {"hottest_address_share", json_of_hottest(info.hottest_address_share)},
                              {"rewrite_ratio", info.rewrite_ratio},
                              {"rewrite_size_share",
                               {{"up_to_4k", info.rewrite_size_share[0]},
                                {"up_to_8k", info.rewrite_size_share[1]},
                                {"larger", info.rewrite_size_share[2]}}}};
  for (const DevicePlace& place : devices)
    json["devices"].push_back({{"name", place.name}, {"base", place.base}, {"bytes", place.bytes}});
  return json.dump(2);
}

} // namespace twinplane::platform
