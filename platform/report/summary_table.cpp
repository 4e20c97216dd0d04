// The table for people. Left column: what the line is about; numbers carry their units.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "hw/spec/page_order.h"
#include "platform/report/number_text.h"
#include "platform/report/summary.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kLabelWidth = 14;
constexpr std::size_t kColumnWidth = 11;
constexpr std::size_t kPartWidth = 10; // nine columns of the time's parts fit into 110 characters

std::string padded_left(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

void label(std::string& out, const char* text) {
  const std::size_t start = out.size();
  out.append(text);
  const std::size_t length = out.size() - start;
  out.append(length < kLabelWidth ? kLabelWidth - length : 1, ' ');
}

using Cells = std::initializer_list<std::string>;

void row(std::string& out, const char* name, Cells cells) {
  label(out, name);
  for (const std::string& cell : cells) out.append(padded_left(cell, kColumnWidth));
  out.push_back('\n');
}

std::string count(std::uint64_t value) {
  return human_count(static_cast<double>(value));
}

std::string part(std::uint64_t value, std::uint64_t whole) {
  return whole == 0 ? "-" : human_percent(static_cast<double>(value) / static_cast<double>(whole));
}

std::string ratio(std::uint64_t value, std::uint64_t whole, std::uint32_t decimals) {
  return whole == 0 ? "-" : human_fixed(static_cast<double>(value) / static_cast<double>(whole), decimals);
}

void head(std::string& out, const Summary& s) {
  label(out, "twinplane");
  out += s.version + (s.git.empty() ? "" : " (" + s.git + ")") + ", seed " + std::to_string(s.seed) +
         ", policy " + s.ftl.policy + "\n";
  label(out, "workload");
  out += s.workload.source + ": " + count(s.workload.requests) + " requests, " +
         human_bytes(static_cast<double>(s.workload.bytes_read)) + " read, " +
         human_bytes(static_cast<double>(s.workload.bytes_written)) + " written\n";
  label(out, "time");
  const double simulated_ns = static_cast<double>(s.time.simulated_ps) / 1e3;
  out += human_time(simulated_ns) + " simulated in " + human_fixed(s.time.wall_s, 1) + " s";
  if (s.time.wall_s > 0) {
    out += " (" + human_count(static_cast<double>(s.workload.requests) / s.time.wall_s) + " requests/s)";
  }
  out += ", " + ratio(s.time.kernel_events, s.time.page_operations, 2) + " kernel events per page op, " +
         human_bytes(static_cast<double>(s.time.peak_rss_bytes)) + " memory\n";
  if (s.ramp) {
    label(out, "ramp");
    out += count(s.ramp->requests) + " requests, until " +
           human_time(static_cast<double>(s.ramp->end) / 1e3) +
           ": not in what follows, but for verified, refused, monitor, wear and unreadable\n";
  }
  if (!s.time.pace) return;
  label(out, "pace");
  out += "late by " + human_time(s.time.pace->late_mean_ns) + " on average, " +
         human_time(s.time.pace->late_max_ns) + " at most\n";
}

void latency_row(std::string& out, const char* name, const HostDirection& d) {
  const LatencyNs& l = d.latency;
  if (l.count == 0) return row(out, name, {"0"});
  row(out, name,
      {count(d.count), human_count(d.iops), human_fixed(d.mb_per_s, 1), human_time(l.mean), human_time(l.p50),
       human_time(l.p99), human_time(l.p99_9), human_time(l.max)});
}

/// The end of a path that is too long for its column.
std::string tail_of(const std::string& path) {
  constexpr std::size_t kMost = 60;
  return path.size() <= kMost ? path : "..." + path.substr(path.size() - kMost + 3);
}

/// The same of each of several traces.
void traces(std::string& out, const Summary& s) {
  for (const TraceSummary& t : s.host.traces) {
    out += "  " + tail_of(t.source) + "\n";
    latency_row(out, "    read", t.read);
    latency_row(out, "    write", t.write);
    if (t.trim.count != 0) latency_row(out, "    trim", t.trim);
    if (t.flush.count != 0) latency_row(out, "    flush", t.flush);
  }
}

void host(std::string& out, const Summary& s) {
  out.push_back('\n');
  row(out, "host", {"requests", "IOPS", "MB/s", "mean", "p50", "p99", "p99.9", "max"});
  latency_row(out, "  read", s.host.read);
  latency_row(out, "  write", s.host.write);
  if (s.host.trim.count != 0) latency_row(out, "  trim", s.host.trim);
  if (s.host.flush.count != 0) latency_row(out, "  flush", s.host.flush);
  traces(out, s);
  label(out, "  in flight");
  out += human_fixed(s.host.queue_depth_mean, 1) + " on average";
  if (s.host.littles_law)
    out += " (Little's law: error " + human_fixed(std::abs(*s.host.littles_law - 1) * 100, 2) + " %)";
  out.push_back('\n');
  label(out, "  verified");
  out += count(s.host.verify_checked) + " sectors, " + std::to_string(s.host.verify_mismatches) +
         " mismatches" + (s.host.verify_mismatches == 0 ? "\n" : "   <-- DATA WRONG\n");
}

/// A column of the parts of the time. Retries are shown with the decoding that asks for them.
struct PartColumn {
  const char* head;
  double BreakdownNs::*part;
  double BreakdownNs::*other = nullptr; // shown with it

  double of(const BreakdownNs& b) const { return b.*part + (other == nullptr ? 0 : b.*other); }
};
using PartColumns = std::vector<PartColumn>;
using PartRow = std::pair<const char*, const BreakdownNs*>;

void part_rows(std::string& out, const char* title, const PartColumns& columns,
               const std::vector<PartRow>& rows) {
  out.push_back('\n');
  label(out, title);
  for (const PartColumn& c : columns) out += padded_left(c.head, kPartWidth);
  out.push_back('\n');
  for (const auto& [name, parts] : rows) {
    label(out, name);
    for (const PartColumn& c : columns) out += padded_left(human_time(c.of(*parts)), kPartWidth);
    out.push_back('\n');
  }
}

/// Waits that most drives do not know come below the other parts, where there are any: a terminal has no more
/// columns.
void breakdown(std::string& out, const Summary& s) {
  static const PartColumns kParts{{"host wait", &BreakdownNs::host_wait},
                                  {"queue", &BreakdownNs::host_queue},
                                  {"firmware", &BreakdownNs::firmware, &BreakdownNs::map},
                                  {"die wait", &BreakdownNs::die_wait},
                                  {"bus wait", &BreakdownNs::bus_wait},
                                  {"bus", &BreakdownNs::bus},
                                  {"array", &BreakdownNs::array},
                                  {"ECC", &BreakdownNs::ecc, &BreakdownNs::retry},
                                  {"complete", &BreakdownNs::completion}};
  static const PartColumns kWaits{{"page bufs", &BreakdownNs::page_buffer_wait},
                                  {"write buf", &BreakdownNs::write_buffer_wait},
                                  {"suspend", &BreakdownNs::suspend_wait}};
  std::vector<PartRow> rows;
  const HostSummary& h = s.host;
  for (const auto& [name, parts] : {std::pair("  read", &h.read.breakdown),
                                    {"  write", &h.write.breakdown},
                                    {"  trim", &h.trim.breakdown},
                                    {"  flush", &h.flush.breakdown}}) {
    if (*parts) rows.emplace_back(name, &**parts);
  }
  if (rows.empty()) return;
  part_rows(out, "time goes to", kParts, rows);
  const auto waits = [](const PartRow& r) {
    return std::any_of(kWaits.begin(), kWaits.end(),
                       [&r](const PartColumn& c) { return c.of(*r.second) > 0; });
  };
  if (std::any_of(rows.begin(), rows.end(), waits)) part_rows(out, "and waits for", kWaits, rows);
}

std::string by_type(CellType cell, const std::array<std::uint64_t, kMaxPageTypes>& counts) {
  std::string text;
  if (cell == CellType::slc) return text;
  for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(cell); ++t) {
    text.append(t == 0 ? "   " : ", ").append(page_type_name(cell, static_cast<PageType>(t))).append(" ");
    text += count(counts[t]);
  }
  return text;
}

void flash_row(std::string& out, const char* name, std::uint64_t operations, const MultiPlane& m,
               const std::string& remark) {
  label(out, name);
  out += padded_left(count(operations), kColumnWidth) +
         padded_left(part(m.units, m.all_units), kColumnWidth + 2) +
         padded_left(ratio(m.planes, m.commands, 2), kColumnWidth + 2) + remark + "\n";
}

void flash(std::string& out, const Summary& s) {
  const NandSummary& n = s.nand;
  out.push_back('\n');
  label(out, "flash");
  out += padded_left("operations", kColumnWidth) + padded_left("multi-plane", kColumnWidth + 2) +
         padded_left("mean planes", kColumnWidth + 2) + " per multi-plane command\n";
  flash_row(out, "  read", n.reads(), n.read, by_type(n.cell, n.reads_by_type));
  flash_row(out, "  program", n.programs(), n.program, by_type(n.cell, n.programs_by_type));
  flash_row(out, "  erase", n.erases_slc + n.erases_native, n.erase, "");
  label(out, "  refused");
  out += count(n.violations.total()) + " commands" +
         (n.violations.total() == 0 ? "\n" : "   <-- RULES BROKEN\n");
  if (!n.violations.monitor) return;
  const std::uint64_t findings = n.violations.monitor->total();
  label(out, "  monitor");
  out += count(findings) + " findings" + (findings == 0 ? "\n" : "   <-- RULES BROKEN\n");
}

void use_cell(std::string& out, const char* name, const UnitUse& use) {
  out.append(name).append(" ").append(human_percent(use.mean));
  if (use.highest > use.mean + 0.01) out.append(" (busiest ").append(human_percent(use.highest)).append(")");
}

/// The largest parts of the time of the slowest requests.
void slowest(std::string& out, const BreakdownNs& b) {
  std::vector<std::pair<std::string, double>> parts;
  double whole = 0;
  for_each_part([&](const char* name, double BreakdownNs::*part) {
    parts.emplace_back(name, b.*part);
    whole += b.*part;
  });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& x, const auto& y) { return x.second > y.second; });
  label(out, "  slowest 10 %");
  out += human_time(whole) + ": ";
  for (std::size_t i = 0; i < 4 && parts[i].second > 0.01 * whole; ++i)
    out += (i == 0 ? "" : ", ") + parts[i].first + " " + human_percent(parts[i].second / whole);
  out.push_back('\n');
}

void limited_by(std::string& out, const Summary& s) {
  const Limit limit = limit_of(s);
  label(out, "  limited by");
  if (limit.resource == "host") {
    out += "the host, which keeps " + human_fixed(s.host.queue_depth_mean, 1) + " requests in flight\n";
  } else if (limit.resource == "arrivals") {
    out += "the arrivals: the drive keeps up with them\n";
  } else if (limit.resource == "slots") {
    out += "the drive's slots (host.slots): " + human_percent(limit.waiting) +
           " of the slowest requests' time passes before the firmware takes them\n";
  } else if (limit.resource == "page buffers") {
    out += "page buffers (ftl.page_buffers): the slowest requests wait for one for " +
           human_percent(limit.waiting) + " of their time\n";
  } else if (limit.resource == "write buffer") {
    out += "the write buffer (ftl.write_buffer): the slowest requests wait for room for " +
           human_percent(limit.waiting) + " of their time\n";
  } else if (!limit.memory.empty()) {
    out += limit.resource + ": in use " + human_percent(limit.use) +
           " of the time; behind that the slowest requests wait for room (" + limit.memory + ") for " +
           human_percent(limit.waiting) + " of their time\n";
  } else if (limit.waiting > 0) {
    out += limit.resource + ": the slowest requests wait for them for " + human_percent(limit.waiting) +
           " of their time in the drive\n";
  } else {
    out += limit.resource + (limit.uneven ? ", unevenly: the busiest is in use " : ": in use ") +
           human_percent(limit.use) + " of the time\n";
  }
  if (s.host.slowest_tenth && limit.use < kLimiting) slowest(out, *s.host.slowest_tenth);
}

/// What was how busy, and what limited the run.
void utilisation(std::string& out, const Summary& s) {
  const Utilisation& u = s.utilisation;
  out.push_back('\n');
  label(out, "in use");
  const struct {
    const char* name;
    const UnitUse& use;
  } kUses[] = {{"core", u.core},          {", link in", u.link_to_device},
               {", out", u.link_to_host}, {", DRAM", u.dram},
               {", ECC", u.ecc},          {", buses", u.buses},
               {", dies", u.dies},        {", planes", u.planes}};
  for (const auto& cell : kUses) use_cell(out, cell.name, cell.use);
  out.push_back('\n');
  limited_by(out, s);
}

std::string shares(const std::vector<std::pair<std::string, double>>& parts, double whole, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, parts.size()) && parts[i].second > 0; ++i)
    text += (text.empty() ? "" : ", ") + parts[i].first + " " + human_percent(parts[i].second / whole);
  return text;
}

/// The image: instructions, interrupts, and where its time went, largest first.
void firmware(std::string& out, const Summary& s) {
  const FirmwareSummary& f = s.firmware;
  if (!f.image) return;
  label(out, "firmware");
  out += "image: " + ratio(f.instructions, s.host.requests(), 0) + " instructions per request";
  if (s.time.wall_s > 0) {
    out += ", " + human_fixed(static_cast<double>(f.instructions_of_run) / 1e6 / s.time.wall_s, 1) +
           " M instructions/s";
  }
  out.push_back('\n');
  if (const LatencyNs l = latency_ns(f.interrupts); l.count != 0) {
    label(out, "  interrupts");
    out += count(l.count) + ", served after " + human_time(l.mean) + " (median " + human_time(l.p50) +
           ", 99 % " + human_time(l.p99) + ", longest " + human_time(l.max) + ")\n";
  }
  if (!f.profiled || f.cycles <= 0) return;
  std::vector<std::pair<std::string, double>> work;
  for (std::size_t w = 0; w < fw::kWorkFor; ++w)
    work.emplace_back(kWorkForNames[w], f.profile.work[w].cycles);
  std::stable_sort(work.begin(), work.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  label(out, "  work for");
  out += shares(work, f.cycles, work.size()) + "\n";
  std::vector<std::pair<std::string, double>> functions;
  for (const FunctionCost& c : f.profile.functions)
    functions.emplace_back(short_name(c.name), c.own_total().cycles);
  label(out, "  functions");
  out += shares(functions, f.cycles, 5) + "\n";
}

/// Where the energy went, largest first.
void energy(std::string& out, const Summary& s) {
  const EnergySummary& e = s.energy;
  if (!e.modelled) return;
  std::vector<std::size_t> causes(kEnergyCauses);
  std::iota(causes.begin(), causes.end(), std::size_t{0});
  std::stable_sort(causes.begin(), causes.end(),
                   [&e](std::size_t a, std::size_t b) { return e.nj[a] > e.nj[b]; });
  label(out, "energy");
  out += human_fixed(e.total_nj() / 1e6, 3) + " mJ, mean " + human_fixed(e.average_mw, 1) + " mW, peak " +
         human_fixed(e.peak_mw, 1) + " mW";
  if (e.nj_per_host_byte != 0) out += ", " + human_fixed(e.nj_per_host_byte, 2) + " nJ per host byte";
  out.push_back('\n');
  label(out, "  causes");
  const char* separator = "";
  for (std::size_t i = 0; i < 5; ++i) {
    if (e.nj[causes[i]] == 0) break;
    out.append(separator).append(kEnergyCauseNames[causes[i]]).append(" ");
    out += human_percent(e.nj[causes[i]] / e.total_nj());
    separator = ", ";
  }
  out.push_back('\n');
}

void parallelism(std::string& out, const Summary& s) {
  if (s.counted_ps() == 0 || s.dies.empty()) return;
  std::vector<double> planes;
  for (const DieSummary& die : s.dies)
    planes.push_back(static_cast<double>(die.plane_busy) / static_cast<double>(s.counted_ps()));
  const auto [low, high] = std::minmax_element(planes.begin(), planes.end());
  const double sum = std::accumulate(planes.begin(), planes.end(), 0.0);
  label(out, "  dies");
  out += "mean " + human_fixed(sum / static_cast<double>(planes.size()), 2) + ", lowest " +
         human_fixed(*low, 2) + ", highest " + human_fixed(*high, 2) + " planes busy of each die\n";
}

void ftl(std::string& out, const Summary& s) {
  const fw::FtlStatistics& c = s.ftl.counters;
  const WriteVolume written = write_volume(c, s.ftl.sizes);
  out.push_back('\n');
  label(out, "FTL");
  out += "write amplification (bytes) " + ratio(written.programmed_bytes(), written.host_bytes, 3);
  if (written.host_bytes == 0) out += " (the host wrote nothing)";
  constexpr const char* kNames[fw::kProgramCauses] = {"host",          "GC",        "wear levelling",
                                                      "partial pages", "migration", "metadata",
                                                      "backup",        "padding",   "refresh"};
  const char* separator = ": ";
  for (std::uint32_t i = 0; i < fw::kProgramCauses; ++i) {
    if (written.programmed[i] == 0) continue;
    out.append(separator).append(kNames[i]).append(" ") +=
        ratio(written.programmed[i], written.host_bytes, 3);
    separator = ", ";
  }
  out.push_back('\n');
  label(out, "  GC");
  out += count(c.gc_invocations) + " runs, " + count(c.gc_pages_moved) + " pages moved, " +
         count(c.gc_blocks_erased) + " blocks erased, " + count(c.free_blocks) + " blocks free\n";
  if (s.drain && s.drain->programs + s.drain->erases != 0) {
    label(out, "  afterwards");
    out += count(s.drain->programs) + " pages programmed and " + count(s.drain->erases) +
           " blocks erased after the last request, until all is written: not in these numbers\n";
  }
  label(out, "  wear");
  out += std::to_string(s.ftl.wear.min) + " to " + std::to_string(s.ftl.wear.max) +
         " erases per block, mean " + human_fixed(s.ftl.wear.mean, 2) + "\n";
  if (s.reliability.uncorrectable != 0) {
    label(out, "  unreadable");
    out += count(s.reliability.uncorrectable) + " uncorrectable pages\n";
  }
}

/// Everything else in the table is the last power cycle's.
void power_cycles(std::string& out, const Summary& s) {
  if (s.power_cycles.empty()) return;
  PowerCycleSummary sum;
  for (const PowerCycleSummary& cycle : s.power_cycles) {
    sum.unanswered += cycle.unanswered;
    sum.sectors_old_or_new += cycle.sectors_old_or_new;
    sum.sectors_lost += cycle.sectors_lost;
    sum.sectors_gone_back += cycle.sectors_gone_back;
    sum.sectors_unreadable += cycle.sectors_unreadable;
    sum.recovery.metadata_gone += cycle.recovery.metadata_gone;
    sum.recovery.sectors_untold += cycle.recovery.sectors_untold;
  }
  const PowerCycleSummary& last = s.power_cycles.back();
  out.push_back('\n');
  label(out, "power cuts");
  out += count(s.power_cycles.size() - 1) + ", " + count(sum.unanswered) + " requests under way; " +
         count(sum.sectors_old_or_new) + " sectors old or new, " + count(sum.sectors_lost) + " lost, " +
         count(sum.sectors_unreadable) + " unreadable";
  const bool may_go_back = !last.pages_kept || sum.recovery.sectors_untold != 0;
  if (may_go_back || sum.sectors_gone_back != 0)
    out += ", " + count(sum.sectors_gone_back) + " gone back, as declared";
  out.push_back('\n');
  if (sum.recovery.metadata_gone != 0) {
    label(out, "  metadata");
    out += count(sum.recovery.metadata_gone) + " pages cannot be read in either copy: trims of " +
           count(sum.recovery.sectors_untold) + " sectors may be undone\n";
  }
  label(out, "  recovery");
  out += human_time(static_cast<double>(last.ready_ps) / 1000) + " to be ready the last time, " +
         count(last.recovery.pages_read) + " pages read; the table is of the time since then\n";
}

} // namespace

std::string summary_table(const Summary& summary) {
  std::string out;
  head(out, summary);
  host(out, summary);
  breakdown(out, summary);
  utilisation(out, summary);
  firmware(out, summary);
  energy(out, summary);
  flash(out, summary);
  parallelism(out, summary);
  ftl(out, summary);
  power_cycles(out, summary);
  for (const std::string& warning : summary.warnings) out += "\nwarning: " + warning;
  if (!summary.warnings.empty()) out.push_back('\n');
  return out;
}

} // namespace twinplane::platform
