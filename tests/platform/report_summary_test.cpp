// Does summary.json carry exactly the names of the plan, defined values everywhere, the same bytes
// each time? Is the table readable when there was nothing to report?
#include "platform/report/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace twinplane::platform::report_summary_test {
namespace {

// The stable names, one path per line of the plan's list.
const std::vector<std::string> kStableNames = {"/version",
                                               "/git",
                                               "/seed",
                                               "/config",
                                               "/workload/source",
                                               "/workload/requests",
                                               "/workload/reads",
                                               "/workload/writes",
                                               "/workload/bytes_read",
                                               "/workload/bytes_written",
                                               "/time/simulated_ns",
                                               "/time/wall_s",
                                               "/time/requests_per_wall_s",
                                               "/time/kernel_events",
                                               "/time/kernel_events_per_page_op",
                                               "/time/peak_rss_bytes",
                                               "/host/read/count",
                                               "/host/read/bytes",
                                               "/host/read/iops",
                                               "/host/read/mb_per_s",
                                               "/host/read/latency_ns/mean",
                                               "/host/read/latency_ns/min",
                                               "/host/read/latency_ns/max",
                                               "/host/read/latency_ns/p50",
                                               "/host/read/latency_ns/p90",
                                               "/host/read/latency_ns/p99",
                                               "/host/read/latency_ns/p99_9",
                                               "/host/read/latency_ns/p99_99",
                                               "/host/write/count",
                                               "/host/write/bytes",
                                               "/host/write/iops",
                                               "/host/write/mb_per_s",
                                               "/host/write/latency_ns/mean",
                                               "/host/write/latency_ns/min",
                                               "/host/write/latency_ns/max",
                                               "/host/write/latency_ns/p50",
                                               "/host/write/latency_ns/p90",
                                               "/host/write/latency_ns/p99",
                                               "/host/write/latency_ns/p99_9",
                                               "/host/write/latency_ns/p99_99",
                                               "/host/slowest_tenth_ns/die_wait",
                                               "/utilisation/limited_by",
                                               "/utilisation/core",
                                               "/utilisation/link_to_device",
                                               "/utilisation/link_to_host",
                                               "/utilisation/dram",
                                               "/utilisation/ecc/mean",
                                               "/utilisation/buses/highest",
                                               "/utilisation/dies/mean",
                                               "/utilisation/planes/mean",
                                               "/host/verify/checked",
                                               "/host/verify/mismatches",
                                               "/host/trim/count",
                                               "/host/trim/latency_ns/mean",
                                               "/host/trim/breakdown_ns/host_wait",
                                               "/host/flush/count",
                                               "/host/flush/latency_ns/mean",
                                               "/host/flush/breakdown_ns/host_wait",
                                               "/host/breakdown_ns/host_wait",
                                               "/host/breakdown_ns/completion",
                                               "/host/breakdown_ns/host_queue",
                                               "/host/breakdown_ns/firmware",
                                               "/host/breakdown_ns/page_buffer_wait",
                                               "/host/breakdown_ns/write_buffer_wait",
                                               "/host/breakdown_ns/suspend_wait",
                                               "/host/breakdown_ns/map",
                                               "/host/breakdown_ns/die_wait",
                                               "/host/breakdown_ns/bus_wait",
                                               "/host/breakdown_ns/bus",
                                               "/host/breakdown_ns/array",
                                               "/host/breakdown_ns/ecc",
                                               "/nand/reads/total",
                                               "/nand/reads/by_page_type/lsb",
                                               "/nand/reads/by_page_type/csb",
                                               "/nand/reads/by_page_type/msb",
                                               "/nand/programs/total",
                                               "/nand/programs/by_page_type/lsb",
                                               "/nand/programs/by_page_type/msb",
                                               "/nand/programs/partial",
                                               "/nand/erases/total",
                                               "/nand/erases/slc",
                                               "/nand/erases/native",
                                               "/nand/multiplane/program/commands",
                                               "/nand/multiplane/program/pages",
                                               "/nand/multiplane/program/ratio",
                                               "/nand/multiplane/read/commands",
                                               "/nand/multiplane/read/pages",
                                               "/nand/multiplane/read/ratio",
                                               "/nand/multiplane/erase/commands",
                                               "/nand/multiplane/erase/blocks",
                                               "/nand/multiplane/erase/ratio",
                                               "/nand/violations/total",
                                               "/nand/violations/pac",
                                               "/nand/violations/bac",
                                               "/nand/violations/order",
                                               "/nand/violations/erase_before_program",
                                               "/nand/violations/partial_limit",
                                               "/nand/violations/timing",
                                               "/nand/violations/protocol",
                                               "/channels/0/busy_ns",
                                               "/channels/0/utilisation",
                                               "/channels/0/command_ns",
                                               "/channels/0/address_ns",
                                               "/channels/0/data_in_ns",
                                               "/channels/0/data_out_ns",
                                               "/channels/0/status_ns",
                                               "/dies/0/busy_ns",
                                               "/dies/0/planes_busy_mean",
                                               "/ftl/policy",
                                               "/ftl/waf",
                                               "/ftl/waf_by_cause/host",
                                               "/ftl/waf_by_cause/gc",
                                               "/ftl/waf_by_cause/wear",
                                               "/ftl/waf_by_cause/partial_rmw",
                                               "/ftl/waf_by_cause/migration",
                                               "/ftl/gc/invocations",
                                               "/ftl/gc/pages_moved",
                                               "/ftl/gc/blocks_erased",
                                               "/ftl/free_pages/lsb",
                                               "/ftl/free_pages/csb",
                                               "/ftl/free_pages/msb",
                                               "/ftl/wear/min",
                                               "/ftl/wear/max",
                                               "/ftl/wear/mean",
                                               "/ftl/wear/stddev",
                                               "/reliability/raw_bit_error_rate",
                                               "/reliability/ecc_corrected",
                                               "/reliability/read_retries",
                                               "/reliability/uncorrectable"};

Summary empty_summary() {
  Summary s;
  s.version = "0.1.0";
  s.ftl.policy = "conventional";
  s.nand.cell = CellType::tlc;
  s.channels.resize(1);
  s.dies.resize(1);
  return s;
}

Summary busy_summary() {
  Summary s = empty_summary();
  s.seed = 42;
  s.workload = {"traces/sample.csv", 3, 1, 2, 0, 0, 4096, 8192};
  s.time = {us(1000), 0.5, 12, 4, 1 << 20, std::nullopt};
  IoMeter meter;
  for (const TimePs t : {us(0), us(100), us(200)}) meter.submitted(t);
  meter.completed(us(300), IoOp::read, 4096, us(300));
  meter.completed(us(400), IoOp::write, 4096, us(300));
  meter.completed(us(500), IoOp::write, 4096, us(300));
  fill_host(s.host, meter);
  fw::FtlStatistics c;
  s.ftl.sizes = {8192, 4096};
  s.ftl.raw_bytes = 1000;
  s.ftl.exported_bytes = 800;
  c.host_pages_written = 4;
  c.host_sectors_written = 6; // two pages, and two halves
  c.pages_programmed[0] = 4;
  c.pages_programmed[1] = 2;
  c.sectors_left_out[1] = 1; // one of these is programmed by half
  c.program_pages = 6;
  c.program_multi_commands = 2;
  c.program_multi_pages = 4;
  fill_ftl(s, c);
  s.nand.program = {2, 4, 6, 4};
  BreakdownMeter times;
  const auto add = [&times](IoOp op, TimePs array) {
    fw::LatencyBreakdown parts;
    parts.array = array;
    times.add(op, {us(7), 0, array, 0, parts});
  };
  add(IoOp::read, us(60));
  add(IoOp::write, us(250));
  add(IoOp::write, us(350));
  fill_breakdown(s.host, times);
  s.nand.programs_by_type = {3, 2, 1, 0};
  s.channels[0].busy = us(250);
  s.dies[0] = {us(400), us(600)};
  return s;
}

Json parsed(const Summary& s) {
  return Json::parse(summary_text(s));
}

TEST(SummaryJson, HasEveryStableNameWhetherOrNotAnythingHappened) {
  for (const Summary& s : {empty_summary(), busy_summary()}) {
    const Json json = parsed(s);
    for (const std::string& name : kStableNames) {
      EXPECT_TRUE(json.contains(Json::json_pointer(name))) << name;
    }
  }
}

TEST(SummaryJson, KeepsTheOrderOfThePlan) {
  std::vector<std::string> names;
  const Json json = parsed(empty_summary());
  for (const auto& item : json.items()) names.push_back(item.key());
  const std::vector<std::string> plan = {
      "version", "git",         "seed",        "config",     "workload", "time",        "boot",
      "host",    "utilisation", "energy",      "plane_time", "nand",     "channels",    "dies",
      "ftl",     "drain",       "reliability", "rounds",     "accounts", "interrupted", "warnings"};
  EXPECT_EQ(names, plan);
}

TEST(SummaryJson, WafWithoutHostWritesIsNullWithAReason) {
  const Json ftl = parsed(empty_summary())["ftl"];
  EXPECT_TRUE(ftl["waf"].is_null());
  EXPECT_TRUE(ftl["waf_by_cause"]["gc"].is_null());
  EXPECT_EQ(ftl["waf_reason"], "the host wrote nothing");
}

TEST(SummaryJson, WafIsTheSumOfItsCauses) {
  const Json ftl = parsed(busy_summary())["ftl"];
  EXPECT_NEAR(ftl["waf"].get<double>(), (8.0 + 3.0) / 6.0, 1e-6);
  EXPECT_NEAR(ftl["waf_by_cause"]["host"].get<double>(), 8.0 / 6.0, 1e-6);
  EXPECT_EQ(ftl["waf_by_cause"]["gc"], 0.5);
  EXPECT_FALSE(ftl.contains("waf_reason"));
}

TEST(SummaryJson, WafIsOfBytesAndHasARatioOfPagesBesideIt) {
  const Json ftl = parsed(busy_summary())["ftl"];
  EXPECT_EQ(ftl["host_bytes_written"], 6 * 4096);
  EXPECT_EQ(ftl["bytes_programmed"], 11 * 4096);
  EXPECT_EQ(ftl["page_ratio"], 1.5);
  EXPECT_EQ(ftl["exported_bytes"], 800);
  EXPECT_NEAR(ftl["over_provisioning"].get<double>(), 0.2, 1e-9);
}

TEST(SummaryJson, DerivedNumbersMatchHandCalculation) {
  const Json json = parsed(busy_summary());
  EXPECT_EQ(json["host"]["read"]["iops"], 2000.0); // one read in 500 us
  EXPECT_NEAR(json["host"]["write"]["mb_per_s"].get<double>(), 16.384, 1e-9);
  EXPECT_EQ(json["host"]["write"]["latency_ns"]["max"], 300'000.0);
  EXPECT_EQ(json["host"]["queue_depth_mean"], 1.8); // 3 x 300 us in flight over 500 us
  EXPECT_EQ(json["host"]["littles_law"], 1.0);
  EXPECT_EQ(json["host"]["breakdown_ns"]["array"], 220'000.0);
  EXPECT_EQ(json["host"]["breakdown_ns"]["host_wait"], 7'000.0);
  EXPECT_EQ(json["host"]["write"]["breakdown_ns"]["array"], 300'000.0);
  EXPECT_EQ(json["time"]["kernel_events_per_page_op"], 3.0);
  EXPECT_EQ(json["nand"]["programs"]["total"], 6);
  EXPECT_NEAR(json["nand"]["multiplane"]["program"]["ratio"].get<double>(), 4.0 / 6.0, 1e-8);
  EXPECT_TRUE(json["nand"]["multiplane"]["read"]["ratio"].is_null());
  EXPECT_EQ(json["channels"][0]["utilisation"], 0.25);
  EXPECT_EQ(json["dies"][0]["planes_busy_mean"], 0.6);
  EXPECT_EQ(json["dies"][0]["planes_busy_mean_while_busy"], 1.5);
}

TEST(SummaryJson, PageTypesAreNamedAfterTheCell) {
  Summary s = empty_summary();
  s.nand.cell = CellType::mlc;
  const Json types = parsed(s)["nand"]["programs"]["by_page_type"];
  EXPECT_EQ(types.size(), 2u);
  EXPECT_TRUE(types.contains("lsb") && types.contains("msb"));
}

TEST(SummaryJson, LatenciesOfAnUnusedDirectionAreNull) {
  EXPECT_TRUE(parsed(empty_summary())["host"]["read"]["latency_ns"]["p99"].is_null());
}

TEST(SummaryJson, IsTheSameTextEachTime) {
  EXPECT_EQ(summary_text(busy_summary()), summary_text(busy_summary()));
}

TEST(SummaryJson, SurvivesAFileNameThatIsNoText) {
  Summary s = empty_summary();
  s.workload.source = "bad\xff name.csv";
  EXPECT_NE(summary_text(s).find("name.csv"), std::string::npos);
}

TEST(Wear, IsThePopulationsSpread) {
  const WearSummary w = wear_of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(w.min, 2u);
  EXPECT_EQ(w.max, 9u);
  EXPECT_DOUBLE_EQ(w.mean, 5);
  EXPECT_DOUBLE_EQ(w.stddev, 2);
}

TEST(SummaryTable, ShowsTheNumbersWithTheirUnits) {
  const std::string table = summary_table(busy_summary());
  for (const char* text :
       {"1.00 ms simulated", "300 us", "write amplification (bytes) 1.833", "GC 0.500", "66.7 %"}) {
    EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
  }
  EXPECT_EQ(table.find("<--"), std::string::npos) << table;
}

TEST(SummaryTable, CallsOutWrongDataAndBrokenRules) {
  Summary s = busy_summary();
  s.host.verify_mismatches = 1;
  s.nand.violations.pac = 2;
  const std::string table = summary_table(s);
  EXPECT_NE(table.find("DATA WRONG"), std::string::npos);
  EXPECT_NE(table.find("RULES BROKEN"), std::string::npos);
}

TEST(SummaryTable, NeverDividesByNothing) {
  const std::string table = summary_table(empty_summary());
  EXPECT_EQ(table.find("nan"), std::string::npos) << table;
  EXPECT_EQ(table.find("inf"), std::string::npos) << table;
  EXPECT_NE(table.find("the host wrote nothing"), std::string::npos);
}

TEST(SummaryTable, FitsATerminal) {
  const std::string table = summary_table(busy_summary());
  std::size_t start = 0;
  for (std::size_t end = table.find('\n'); end != std::string::npos; end = table.find('\n', start)) {
    EXPECT_LE(end - start, 110u) << table.substr(start, end - start);
    start = end + 1;
  }
}

/// Of all lives; each number is another one, so that none can stand for another.
Summary cut_summary() {
  Summary s = busy_summary();
  for (std::uint64_t n = 1; n <= 2; ++n) {
    PowerCycleSummary life;
    life.cut = n == 1;
    life.recovered = true;
    life.pages_kept = true;
    life.sectors_old_or_new = 20 * n;
    life.sectors_lost = 3 * n;
    life.sectors_unreadable = 100 * n;
    life.sectors_gone_back = 70 * n;
    s.power_cycles.push_back(life);
  }
  s.reliability.uncorrectable = 11;
  return s;
}

std::uint64_t sum_of_lives(const Json& json, const char* name) {
  std::uint64_t sum = 0;
  for (const Json& life : json["power_cycles"]) sum += life["recovery"][name].get<std::uint64_t>();
  return sum;
}

TEST(SummaryTable, CallsLostAndUnreadableWhatTheSummaryDoes) {
  const Summary s = cut_summary();
  const Json json = parsed(s);
  const std::string table = summary_table(s);
  const auto said = [&](const char* name, const char* word) {
    const std::string text = std::to_string(sum_of_lives(json, name)) + word;
    EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
  };
  said("sectors_old_or_new", " sectors old or new, ");
  said("sectors_lost", " lost, ");
  said("sectors_unreadable", " unreadable, ");
  said("sectors_gone_back", " gone back, as declared\n");
  EXPECT_EQ(table.find("lost"), table.rfind("lost")) << "and nothing else is\n" << table;
  EXPECT_NE(table.find("  unreadable  11 uncorrectable pages\n"), std::string::npos) << table;
  EXPECT_EQ(json["reliability"]["uncorrectable"], 11);
}

TEST(SummaryTable, TellsOfMetadataThatIsGone) {
  Summary s = cut_summary();
  EXPECT_EQ(summary_table(s).find("  metadata "), std::string::npos);
  s.power_cycles[0].recovery.metadata_gone = 2;
  s.power_cycles[1].recovery.metadata_gone = 1;
  s.power_cycles[1].recovery.sectors_untold = 640;
  const std::string table = summary_table(s);
  const std::string said =
      "  metadata    3 pages cannot be read in either copy: trims of 640 sectors may be undone\n";
  EXPECT_NE(table.find(said), std::string::npos) << table;
  EXPECT_NE(table.find(" unreadable, 210 gone back, as declared\n"), std::string::npos) << table;
  EXPECT_EQ(sum_of_lives(parsed(s), "metadata_gone"), 3u);
  EXPECT_EQ(sum_of_lives(parsed(s), "sectors_untold"), 640u);
}

// Most drives have none of them: they take no room then.
TEST(SummaryTable, ShowsWaitsForMemoryAndSuspendsWhereThereAreAny) {
  Summary s = busy_summary();
  EXPECT_EQ(summary_table(s).find("waits for"), std::string::npos);
  s.host.write.breakdown->page_buffer_wait = 77'000;
  const std::string table = summary_table(s);
  const std::size_t waits = table.find("and waits for  page bufs write buf   suspend\n");
  ASSERT_NE(waits, std::string::npos) << table;
  EXPECT_NE(table.find("  write          77.0 us      0 ns      0 ns\n", waits), std::string::npos) << table;
}

// Which key mends it?
TEST(SummaryTable, NamesTheKeyOfTheMemoryThatLimits) {
  Summary s = busy_summary();
  s.host.slowest_tenth = BreakdownNs();
  s.host.slowest_tenth->array = 10;
  const auto expect = [&s](double BreakdownNs::*part, const char* key) {
    (*s.host.slowest_tenth).*part = 90;
    const std::string table = summary_table(s);
    const std::size_t line = table.find("limited by");
    EXPECT_LT(table.find(key, line), table.find('\n', line)) << table;
    EXPECT_LE(table.find('\n', line) - line, 108u) << table;
    (*s.host.slowest_tenth).*part = 0;
  };
  expect(&BreakdownNs::page_buffer_wait, "(ftl.page_buffers)");
  expect(&BreakdownNs::write_buffer_wait, "(ftl.write_buffer)");
}

TEST(LatencyCsv, IsACumulativeDistribution) {
  IoMeter meter;
  for (int i = 0; i < 4; ++i) meter.submitted(0);
  for (int i = 1; i <= 3; ++i)
    meter.completed(ms(1), IoOp::read, 512, ns(static_cast<std::uint64_t>(i) * 100));
  meter.completed(ms(1), IoOp::write, 512, ns(100));
  const std::string csv = latency_csv(meter);
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "op,latency_ns,count,cumulative");
  EXPECT_NE(csv.find("read,300.000,1,1.000000000\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("write,100.000,1,1.000000000\n"), std::string::npos) << csv;
}

} // namespace
} // namespace twinplane::platform::report_summary_test
