#include <nlohmann/json.hpp>

#include "firmware/ftl/feature_set.h"
#include "hw/spec/page_order.h"
#include "platform/report/energy_json.h"
#include "platform/report/number_text.h"
#include "platform/report/plane_time_json.h"
#include "platform/report/regions.h"
#include "platform/report/slc_cache.h"
#include "platform/report/summary.h"

namespace twinplane::platform {
namespace {

Json number(double value) {
  return rounded(value);
}
Json number(std::optional<double> value) {
  return value ? number(*value) : Json(nullptr);
}

std::optional<double> quotient(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}
Json ratio(std::uint64_t part, std::uint64_t whole) {
  return number(quotient(static_cast<double>(part), static_cast<double>(whole)));
}
Json nanoseconds(TimePs time) {
  return number(static_cast<double>(time) / 1e3);
}

Json latency_json(const LatencyNs& l) {
  const auto value = [&l](double v) { return l.count == 0 ? Json(nullptr) : number(v); };
  return Json{{"mean", value(l.mean)},      {"min", value(l.min)},     {"max", value(l.max)},
              {"p50", value(l.p50)},        {"p90", value(l.p90)},     {"p95", value(l.p95)},
              {"p99", value(l.p99)},        {"p99_9", value(l.p99_9)}, {"p99_99", value(l.p99_99)},
              {"p99_999", value(l.p99_999)}};
}

Json breakdown_json(const std::optional<BreakdownNs>& b) {
  Json out;
  for_each_part([&](const char* name, double BreakdownNs::*part) {
    out[name] = b ? number((*b).*part) : Json(nullptr);
  });
  return out;
}

// Over reads and writes together, weighted by their numbers.
std::optional<BreakdownNs> breakdown_of_all(const Summary& s) {
  const auto read_count = static_cast<double>(s.host.read.count);
  const auto write_count = static_cast<double>(s.host.write.count);
  if (!s.host.read.breakdown && !s.host.write.breakdown) return std::nullopt;
  const BreakdownNs none;
  const BreakdownNs& reads = s.host.read.breakdown ? *s.host.read.breakdown : none;
  const BreakdownNs& writes = s.host.write.breakdown ? *s.host.write.breakdown : none;
  BreakdownNs all;
  for_each_part([&](const char*, double BreakdownNs::*part) {
    all.*part = (reads.*part * read_count + writes.*part * write_count) / (read_count + write_count);
  });
  return all;
}

Json unaligned_json(const Unaligned& u) {
  return Json{{"widened", u.widened},
              {"widened_bytes", u.widened_bytes},
              {"shrunk_trims", u.shrunk_trims},
              {"shrunk_bytes", u.shrunk_bytes},
              {"empty_trims", u.empty_trims}};
}

Json workload_json(const WorkloadSummary& w) {
  return Json{{"source", w.source},
              {"requests", w.requests},
              {"reads", w.reads},
              {"writes", w.writes},
              {"trims", w.trims},
              {"flushes", w.flushes},
              {"bytes_read", w.bytes_read},
              {"bytes_written", w.bytes_written},
              {"failed", w.failed},
              {"unanswered", w.unanswered},
              {"folded", w.folded},
              {"left_at_last_arrival", w.left_at_last_arrival},
              {"unaligned", unaligned_json(w.unaligned)}};
}

Json time_json(const Summary& s) {
  const TimeSummary& t = s.time;
  Json json{{"simulated_ns", nanoseconds(t.simulated_ps)},
            {"wall_s", number(t.wall_s)},
            {"requests_per_wall_s", number(quotient(static_cast<double>(s.workload.requests), t.wall_s))},
            {"kernel_events", t.kernel_events},
            {"page_operations", t.page_operations},
            {"kernel_events_per_page_op", ratio(t.kernel_events, t.page_operations)},
            {"peak_rss_bytes", t.peak_rss_bytes}};
  if (t.pace)
    json["late_ns"] = Json{{"mean", number(t.pace->late_mean_ns)}, {"max", number(t.pace->late_max_ns)}};
  return json;
}

Json counts_json(const HostDirection& d) {
  return Json{{"count", d.count},
              {"bytes", d.bytes},
              {"iops", number(d.iops)},
              {"mb_per_s", number(d.mb_per_s)},
              {"latency_ns", latency_json(d.latency)}};
}

Json direction_json(const HostDirection& d) {
  Json out = counts_json(d);
  out["breakdown_ns"] = breakdown_json(d.breakdown);
  return out;
}

Json ramp_json(const std::optional<RampSummary>& ramp) {
  if (!ramp) return nullptr;
  return Json{{"requests", ramp->requests}, {"end_ns", nanoseconds(ramp->end)}};
}

Json traces_json(const std::vector<TraceSummary>& traces) {
  Json out = Json::array();
  for (const TraceSummary& t : traces) {
    out.push_back({{"source", t.source},
                   {"failed", t.failed},
                   {"read", counts_json(t.read)},
                   {"write", counts_json(t.write)},
                   {"trim", counts_json(t.trim)},
                   {"flush", counts_json(t.flush)}});
  }
  return out;
}

Json host_json(const Summary& s) {
  const HostSummary& h = s.host;
  Json out{{"read", direction_json(h.read)},
           {"write", direction_json(h.write)},
           {"trim", direction_json(h.trim)},
           {"flush", direction_json(h.flush)},
           {"trims", h.trim.count},
           {"flushes", h.flush.count},
           {"ramp", ramp_json(s.ramp)},
           {"measured_ns", number(h.measured_ns)},
           {"queue_depth_mean", number(h.queue_depth_mean)},
           {"littles_law", number(h.littles_law)},
           {"latency_drift", number(h.latency_drift)},
           {"verify", {{"checked", h.verify_checked}, {"mismatches", h.verify_mismatches}}},
           {"breakdown_ns", breakdown_json(breakdown_of_all(s))},
           {"slowest_tenth_ns", breakdown_json(h.slowest_tenth)}};
  if (!h.traces.empty()) out["traces"] = traces_json(h.traces);
  return out;
}

Json use_json(const UnitUse& use) {
  return Json{{"mean", number(use.mean)}, {"highest", number(use.highest)}};
}

Json utilisation_json(const Summary& s) {
  const Utilisation& u = s.utilisation;
  return Json{{"limited_by", limit_of(s).resource},
              {"core", number(u.core.mean)},
              {"link_to_device", number(u.link_to_device.mean)},
              {"link_to_host", number(u.link_to_host.mean)},
              {"dram", number(u.dram.mean)},
              {"ecc", use_json(u.ecc)},
              {"buses", use_json(u.buses)},
              {"dies", use_json(u.dies)},
              {"planes", use_json(u.planes)}};
}

Json by_page_type(CellType cell, const std::uint64_t* counts) {
  Json out = Json::object();
  for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(cell); ++t) {
    out[page_type_name(cell, static_cast<PageType>(t))] = counts[t];
  }
  return out;
}

Json multiplane_json(const MultiPlane& m, const char* units) {
  return Json{{"commands", m.commands}, {units, m.units}, {"ratio", ratio(m.units, m.all_units)}};
}

Json monitor_json(const std::optional<MonitorSummary>& monitor) {
  if (!monitor) return nullptr;
  Json out{{"total", monitor->total()}};
  for (std::size_t rule = 0; rule < hw::kMonitorRules; ++rule) {
    out[hw::kMonitorRuleTable[rule].name] = monitor->findings[rule];
  }
  return out;
}

Json violations_json(const Violations& v) {
  return Json{{"total", v.total()},
              {"pac", v.pac},
              {"bac", v.bac},
              {"order", v.order},
              {"erase_before_program", v.erase_before_program},
              {"partial_limit", v.partial_limit},
              {"timing", v.timing},
              {"protocol", v.protocol},
              {"distinct_planes", v.distinct_planes},
              {"same_lun", v.same_lun},
              {"bad_address", v.bad_address},
              {"slc_mode", v.slc_mode},
              {"busy", v.busy},
              {"suspend", v.suspend},
              {"write_protect", v.write_protect},
              {"monitor", monitor_json(v.monitor)}};
}

Json nand_json(const NandSummary& n) {
  return Json{
      {"reads",
       {{"total", n.reads()},
        {"by_page_type", by_page_type(n.cell, n.reads_by_type.data())},
        {"slc", n.reads_slc}}},
      {"programs",
       {{"total", n.programs()},
        {"by_page_type", by_page_type(n.cell, n.programs_by_type.data())},
        {"slc", n.programs_slc},
        {"partial", n.partial_programs},
        {"wordline_reads", n.wordline_reads}}},
      {"erases",
       {{"total", n.erases_slc + n.erases_native}, {"slc", n.erases_slc}, {"native", n.erases_native}}},
      {"suspends", n.suspends},
      {"resumes", n.resumes},
      {"cache", {{"reads", n.cache_reads}, {"programs", n.cache_programs}}},
      {"aborted", n.aborted},
      {"failed",
       {{"programs", n.failed_programs},
        {"erases", n.failed_erases},
        {"reads", n.retry_reads},
        {"lost", n.lost_reads}}},
      {"multiplane",
       {{"program", multiplane_json(n.program, "pages")},
        {"read", multiplane_json(n.read, "pages")},
        {"erase", multiplane_json(n.erase, "blocks")}}},
      {"violations", violations_json(n.violations)}};
}

Json channels_json(const Summary& s) {
  Json out = Json::array();
  for (const ChannelSummary& c : s.channels) {
    out.push_back({{"busy_ns", nanoseconds(c.busy)},
                   {"utilisation", ratio(c.busy, s.counted_ps())},
                   {"command_ns", nanoseconds(c.command)},
                   {"address_ns", nanoseconds(c.address)},
                   {"data_in_ns", nanoseconds(c.data_in)},
                   {"data_out_ns", nanoseconds(c.data_out)},
                   {"status_ns", nanoseconds(c.status)}});
  }
  return out;
}

Json dies_json(const Summary& s) {
  Json out = Json::array();
  for (const DieSummary& d : s.dies) {
    out.push_back({{"busy_ns", nanoseconds(d.busy)},
                   {"planes_busy_mean", ratio(d.plane_busy, s.counted_ps())},
                   {"planes_busy_mean_while_busy", ratio(d.plane_busy, d.busy)}});
  }
  return out;
}

Json waf_by_cause(const WriteVolume& written) {
  constexpr const char* kNames[fw::kProgramCauses] = {
      "host", "gc", "wear", "partial_rmw", "migration", "metadata", "backup", "padding", "refresh"};
  Json out;
  for (std::uint32_t i = 0; i < fw::kProgramCauses; ++i) {
    const auto cause = static_cast<fw::ProgramCause>(i);
    if (cause >= fw::ProgramCause::padding && written.programmed[i] == 0) continue; // most drives have none
    out[kNames[i]] = number(written.amplification_by(cause));
  }
  return out;
}

Json wear_json(const WearSummary& w) {
  return Json{{"min", w.min},
              {"max", w.max},
              {"mean", number(w.mean)},
              {"stddev", number(w.stddev)},
              {"evenness", number(w.evenness())}};
}

std::uint64_t sum(const std::uint64_t (&counts)[kMaxPageTypes]) {
  std::uint64_t all = 0;
  for (const std::uint64_t n : counts) all += n;
  return all;
}

Json ftl_json(const Summary& s) {
  const fw::FtlStatistics& c = s.ftl.counters;
  const WriteVolume written = write_volume(c, s.ftl.sizes);
  Json out{{"policy", s.ftl.policy},
           {"exported_bytes", s.ftl.exported_bytes},
           {"over_provisioning", number(s.ftl.over_provisioning())},
           {"waf", number(written.amplification())}};
  if (written.host_bytes == 0) out["waf_reason"] = "the host wrote nothing";
  out["waf_by_cause"] = waf_by_cause(written);
  out["host_bytes_written"] = written.host_bytes;
  out["bytes_programmed"] = written.programmed_bytes();
  out["page_ratio"] = number(written.page_ratio());
  out["host_pages_written"] = c.host_pages_written;
  out["host_pages_read"] = c.host_pages_read;
  out["pages_programmed"] = written.programmed_pages;
  out["gc"] = {{"invocations", c.gc_invocations},
               {"pages_moved", c.gc_pages_moved},
               {"blocks_erased", c.gc_blocks_erased},
               {"victim_valid_pages_mean", ratio(c.gc_victim_valid_pages, c.gc_invocations)}};
  if (c.wear_collections != 0) out["gc"]["wear_collections"] = c.wear_collections;
  if (c.metadata_given_up != 0) out["metadata"]["given_up"] = c.metadata_given_up;
  if (c.metadata_blocks_erased != 0) out["metadata"]["blocks_erased"] = c.metadata_blocks_erased;
  if (c.checkpoints != 0) out["metadata"]["checkpoints"] = c.checkpoints;
  if (c.backup_blocks_erased != 0) out["backup"]["blocks_erased"] = c.backup_blocks_erased;
  if (c.backups_copied_on != 0) out["backup"]["copied_on"] = c.backups_copied_on;
  if (c.wordline_passes != 0 && c.cached.size == 0)
    out["wordlines"] = {{"passes", c.wordline_passes}, {"padded_pages", c.padded_pages}};
  if (c.gc_copybacks != 0) out["gc"]["copybacks"] = c.gc_copybacks;
  if (c.hot_host_pages != 0) out["host_streams"] = {{"hot_pages", c.hot_host_pages}};
  out["free_pages"] = by_page_type(s.nand.cell, c.free_pages_by_type);
  out["free_blocks"] = c.free_blocks;
  out["valid_pages"] = c.valid_pages;
  out["wear"] = wear_json(s.ftl.wear);
  out["unit_wear"] = wear_json(s.ftl.unit_wear);
  out["rmw_reads"] = c.rmw_reads;
  out["unmapped_reads"] = c.unmapped_reads;
  out["buffer_read_hits"] = c.buffer_read_hits;
  out["buffer_write_hits"] = c.buffer_write_hits;
  out["pages_trimmed"] = c.pages_trimmed;
  out["parts_trimmed"] = c.parts_trimmed;
  out["blocked_on_space"] = c.blocked_on_space;
  out["short_of_page_buffers"] = c.short_of_page_buffers;
  out["short_of_write_buffer"] = c.short_of_write_buffer;
  out["flash_failures"] = c.flash_failures;
  out["read_only"] = c.read_only;
  out["buffered_sectors_left"] = c.buffered_sectors_left;
  out["writes_dominated_by"] = by_page_type(s.nand.cell, c.dominated_by);
  out["page_types"] = {{"wanted", by_page_type(s.nand.cell, c.type_wanted)},
                       {"granted", by_page_type(s.nand.cell, c.type_granted)},
                       {"granted_ratio", ratio(sum(c.type_granted), sum(c.type_wanted))}};
  if (c.cached.mapping_bytes != 0) {
    out["slc_cache"] = slc_cache_json(c);
  } else if (has_regions(c)) {
    out["regions"] = regions_json(c, s.ftl.flash);
  }
  std::size_t slot = 0;
  fw::for_each_feature([&](const fw::FeatureRow& feature) {
    for (const fw::FeatureCounter& row : feature.counters)
      out["features"][feature.key.name][row.name] = c.feature_counters[slot++];
  });
  return out;
}

Json drain_json(const std::optional<DrainSummary>& drain) {
  if (!drain) return nullptr;
  return Json{{"time_ns", nanoseconds(drain->time)},
              {"bytes_programmed", drain->written.programmed_bytes()},
              {"left_by_host_bytes", drain->left_by_host()},
              {"gc",
               {{"invocations", drain->gc_invocations},
                {"pages_moved", drain->gc_pages_moved},
                {"blocks_erased", drain->gc_blocks_erased}}},
              {"nand", {{"reads", drain->reads}, {"programs", drain->programs}, {"erases", drain->erases}}}};
}

Json read_errors_json(const ReadErrors& e) {
  return Json{{"pages", e.pages},
              {"corrected", e.corrected},
              {"retried", e.retried},
              {"soft", e.soft},
              {"senses", e.senses},
              {"uncorrectable", e.uncorrectable},
              {"raw_bit_error_rate", number(quotient(e.bit_errors, e.bits))}};
}

Json reliability_json(const ReliabilitySummary& r, CellType cell) {
  Json out = {{"raw_bit_error_rate", number(r.raw_bit_error_rate)},
              {"ecc_corrected", r.ecc_corrected},
              {"read_retries", r.read_retries},
              {"uncorrectable", r.uncorrectable}};
  if (!r.modelled) return out;
  out["read_error_rate"] = number(r.read_error_rate);
  for (PageType t = 0; t < static_cast<PageType>(cell); ++t)
    out["by_page_type"][page_type_name(cell, t)] = read_errors_json(r.by_type[t]);
  out["slc_mode"] = read_errors_json(r.slc);
  return out;
}

Json round_json(const RoundSummary& r) {
  const auto mean = [](double sum_ps, std::uint64_t n) {
    return number(quotient(sum_ps / 1e3, static_cast<double>(n)));
  };
  const double seconds = static_cast<double>(r.simulated_ps) / 1e12;
  const auto share = [](const MultiPlane& m) { return ratio(m.units, m.all_units); };
  return Json{{"drive_writes", ratio(r.bytes_written_so_far, r.capacity_bytes)},
              {"simulated_ns", nanoseconds(r.simulated_ps)},
              {"reads", r.reads},
              {"writes", r.writes},
              {"of_ramp", r.of_ramp},
              {"bytes_written", r.bytes_written},
              {"iops", number(quotient(static_cast<double>(r.reads + r.writes), seconds))},
              {"latency_mean_ns", mean(r.read_latency_ps + r.write_latency_ps, r.reads + r.writes)},
              {"read_latency_mean_ns", mean(r.read_latency_ps, r.reads)},
              {"write_latency_mean_ns", mean(r.write_latency_ps, r.writes)},
              {"waf", number(r.written.amplification())},
              {"page_ratio", number(r.written.page_ratio())},
              {"gc",
               {{"invocations", r.gc_invocations},
                {"pages_moved", r.gc_pages_moved},
                {"blocks_erased", r.gc_blocks_erased}}},
              {"multiplane",
               {{"program", share(r.program)},
                {"read", share(r.read)},
                {"erase", share(r.erase)},
                {"host_program", share(r.host_program)},
                {"host_read", share(r.host_read)}}}};
}

Json rounds_json(const std::vector<RoundSummary>& rounds) {
  Json out = Json::array();
  for (const RoundSummary& r : rounds) out.push_back(round_json(r));
  return out;
}

Json accounts_json(const std::vector<Account>& accounts) {
  Json out = Json::array();
  for (const Account& a : accounts) {
    out.push_back({{"what", a.what},
                   {"one_side", a.one_side},
                   {"other_side", a.other_side},
                   {"equal", a.one_side == a.other_side}});
  }
  return out;
}

} // namespace

Json to_json(const Summary& s) {
  Json json{{"version", s.version},
            {"git", s.git},
            {"seed", s.seed},
            {"config", s.config ? *s.config : Json::object()},
            {"workload", workload_json(s.workload)},
            {"time", time_json(s)},
            {"boot", {{"steps_ns", boot_steps_json(s.boot)}}},
            {"host", host_json(s)},
            {"utilisation", utilisation_json(s)},
            {"energy", energy_json(s.energy)},
            {"plane_time", plane_time_json(s.plane_time)},
            {"nand", nand_json(s.nand)},
            {"channels", channels_json(s)},
            {"dies", dies_json(s)},
            {"ftl", ftl_json(s)},
            {"drain", drain_json(s.drain)},
            {"reliability", reliability_json(s.reliability, s.nand.cell)},
            {"rounds", rounds_json(s.rounds)},
            {"accounts", accounts_json(s.accounts)},
            {"interrupted", s.interrupted},
            {"warnings", s.warnings}};
  if (s.cache) {
    json["core_cache"] = {{"hits", s.cache->hits},
                          {"misses", s.cache->misses},
                          {"written_back", s.cache->written_back},
                          {"waited_ns", nanoseconds(s.cache->waited)}};
  }
  if (s.firmware.image) json["firmware"] = firmware_json(s.firmware, s.host.requests());
  if (!s.power_cycles.empty()) json["power_cycles"] = power_cycles_json(s.power_cycles);
  if (!s.panic.empty()) json["panic"] = s.panic;
  return json;
}

std::string summary_text(const Summary& summary) {
  // A trace's name need not be UTF-8; a report must not fail over it.
  return to_json(summary).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace twinplane::platform
