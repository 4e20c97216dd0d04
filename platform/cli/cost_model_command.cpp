// twinplane cost-model: what a page write costs over the division of a drive (BROMS), as a table.
#include <array>
#include <charconv>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firmware/ftl/partition/write_cost.h"
#include "platform/cli/commands.h"
#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/config/version.h"
#include "platform/report/output_file.h"

namespace twinplane::platform::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostPoints = 100000;

/// As typed. The times are those of the paper's part; it does not say how its mean program divides.
struct CostModelArguments {
  std::uint32_t pages_per_block = 256;
  std::uint32_t bits = 2;
  std::string read = "75us", program_fast = "450us", program_mean = "1300us", erase = "3800us";
  std::string hot_writes = "0.3", misplaced = "0";
  std::string hot_capacity = "0.3", hot_blocks;
  std::string hot_utilisation = "0.8", cold_utilisation = "0.8";
  bool whole_pages = false;
  bool best = false;
  std::string at; // "" = `points` of them
  std::uint32_t points = 99;
  std::string out;
};

struct CostModel {
  fw::FlashCosts flash{};
  fw::Division division{};
  fw::PageCount count = fw::PageCount::real;
};

[[noreturn]] void refuse(const std::string& option, const std::string& expected, const std::string& got) {
  throw InputError("cost-model: --" + option + ": expected " + expected + ", got " + got);
}

std::string text_of(double value) {
  if (value >= fw::kImpossible) return "inf";
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 9);
  return {text.data(), end.ptr};
}

/// What both ends of a share mean: some options need data or room.
struct Ends {
  bool zero = true, one = true;
};

double share(const std::string& option, const std::string& text, Ends ends = {}) {
  const std::optional<double> value = parse_fraction(text);
  const bool inside =
      value && (ends.zero ? *value >= 0.0 : *value > 0.0) && (ends.one ? *value <= 1.0 : *value < 1.0);
  if (!inside) {
    refuse(option,
           std::string("a share ") + (ends.zero ? "from 0" : "above 0") +
               (ends.one ? " to 1" : " and below 1") + " such as 0.3 or 30%",
           text);
  }
  return *value;
}

double microseconds(const std::string& option, const std::string& text) {
  const std::optional<std::uint64_t> ps = parse_quantity(Dimension::time, text);
  if (!ps) refuse(option, std::string(describe(Dimension::time)), text);
  return static_cast<double>(*ps) / 1e6;
}

CostModel resolve(const CostModelArguments& a) {
  if (a.bits < 2 || a.bits > 4) refuse("bits", "2, 3 or 4 per cell", std::to_string(a.bits));
  if (a.pages_per_block == 0 || a.pages_per_block % a.bits != 0)
    refuse("pages-per-block", "a multiple of the bits per cell (--bits): one of so many pages is fast",
           std::to_string(a.pages_per_block));
  CostModel m;
  m.flash = {a.pages_per_block,
             microseconds("read", a.read),
             microseconds("program-fast", a.program_fast),
             microseconds("program-mean", a.program_mean),
             microseconds("erase", a.erase),
             static_cast<double>(a.bits)};
  m.count = a.whole_pages ? fw::PageCount::whole : fw::PageCount::real;
  fw::Division& d = m.division;
  d.hot_writes = share("hot-writes", a.hot_writes);
  d.misplaced = share("misplaced", a.misplaced);
  d.hot_capacity =
      a.hot_blocks.empty()
          ? share("hot-capacity", a.hot_capacity, {false, false})
          : fw::capacity_of_blocks(share("hot-blocks", a.hot_blocks, {false, false}), m.flash.bits);
  d.hot_utilisation = share("hot-utilisation", a.hot_utilisation, {false, true});
  d.cold_utilisation = share("cold-utilisation", a.cold_utilisation);
  if (fw::lowest_hot_utilisation(d, m.flash.bits) > 1.0 - 1e-9) {
    throw InputError(
        "cost-model: --hot-utilisation, --cold-utilisation: expected free space in one of the partitions: "
        "both are full");
  }
  return m;
}

// --- the rows ---

struct Row {
  double bits;
  fw::Division division;
  fw::WriteCosts costs;
};

struct Column {
  const char* name;
  double (*value)(const Row&);
};

constexpr std::array kColumns = {
    Column{"hot_utilisation", [](const Row& r) { return r.division.hot_utilisation; }},
    Column{"cold_utilisation", [](const Row& r) { return r.division.cold_utilisation; }},
    Column{"hot_capacity", [](const Row& r) { return r.division.hot_capacity; }},
    Column{"hot_blocks",
           [](const Row& r) { return fw::blocks_of_capacity(r.division.hot_capacity, r.bits); }},
    Column{"hot_victim", [](const Row& r) { return r.costs.victims.hot; }},
    Column{"cold_victim", [](const Row& r) { return r.costs.victims.cold; }},
    Column{"hot_page_write_us", [](const Row& r) { return r.costs.hot_page_write; }},
    Column{"cold_page_write_us", [](const Row& r) { return r.costs.cold_page_write; }},
    Column{"migration_us", [](const Row& r) { return r.costs.migration; }},
    Column{"overall_us", [](const Row& r) { return r.costs.overall; }}};

Row row_of(const CostModel& m, const fw::Division& d) {
  return {m.flash.bits, d, fw::write_costs(m.flash, d, fw::predicted_victims(d), m.count)};
}

std::vector<double> utilisations(const CostModelArguments& a, double lowest) {
  std::vector<double> found;
  if (a.at.empty()) {
    if (a.points == 0 || a.points > kMostPoints)
      refuse("points", "1 to " + std::to_string(kMostPoints), std::to_string(a.points));
    for (std::uint32_t i = 1; i <= a.points; ++i)
      found.push_back(lowest + (1.0 - lowest) * i / (a.points + 1.0));
    return found;
  }
  for (std::size_t from = 0; from <= a.at.size();) {
    const std::size_t comma = std::min(a.at.find(',', from), a.at.size());
    const std::string text = a.at.substr(from, comma - from);
    const std::optional<double> value = parse_fraction(text);
    if (!value || *value <= lowest || *value >= 1.0) {
      refuse("at",
             "utilisations above " + text_of(lowest) + ", where cold data fill their partition, and below 1",
             text.empty() ? "nothing" : text);
    }
    found.push_back(*value);
    from = comma + 1;
  }
  return found;
}

std::vector<Row> rows_of(const CostModelArguments& a, const CostModel& m) {
  const fw::Division& d = m.division;
  if (a.best) return {row_of(m, fw::cheapest(m.flash, d))};
  std::vector<Row> rows;
  for (const double u : utilisations(a, fw::lowest_hot_utilisation(d, m.flash.bits)))
    rows.push_back(row_of(m, fw::resized(d, fw::growth_to(d, u, m.flash.bits), m.flash.bits)));
  return rows;
}

// --- what is written ---

std::string csv_of(const std::vector<Row>& rows) {
  std::string text;
  for (const Column& c : kColumns) text += (text.empty() ? "" : ",") + std::string(c.name);
  for (const Row& row : rows) {
    text += "\n";
    for (const Column& c : kColumns) text += (&c == kColumns.data() ? "" : ",") + text_of(c.value(row));
  }
  return text + "\n";
}

Json inputs_json(const CostModelArguments& a, const CostModel& m) {
  return {{"pages-per-block", m.flash.pages_per_block},
          {"bits", a.bits},
          {"read", a.read},
          {"program-fast", a.program_fast},
          {"program-mean", a.program_mean},
          {"erase", a.erase},
          {"hot-writes", m.division.hot_writes},
          {"misplaced", m.division.misplaced},
          {"hot-capacity", m.division.hot_capacity},
          {"hot-utilisation", m.division.hot_utilisation},
          {"cold-utilisation", m.division.cold_utilisation},
          {"whole-pages", a.whole_pages}};
}

std::string summary_of(const CostModelArguments& a, const CostModel& m) {
  Json best = Json::object();
  const Row cheapest = row_of(m, fw::cheapest(m.flash, m.division));
  for (const Column& c : kColumns) {
    const double value = c.value(cheapest);
    best[c.name] = value < fw::kImpossible ? Json(value) : Json(nullptr);
  }
  const Json summary{{"version", version()},
                     {"git", git_revision()},
                     {"inputs", inputs_json(a, m)},
                     {"lowest_hot_utilisation", fw::lowest_hot_utilisation(m.division, m.flash.bits)},
                     {"best", best}};
  return summary.dump(1) + "\n";
}

void print_or_write(const CostModelArguments& a) {
  const CostModel m = resolve(a);
  const std::string csv = csv_of(rows_of(a, m));
  if (a.out.empty()) {
    std::cout << csv;
    return;
  }
  const OutputFolder folder(a.out);
  write_file(folder.file("costs.csv"), csv);
  write_file(folder.file("summary.json"), summary_of(a, m));
}

// --- the options ---

void add_flash(CLI::App& command, CostModelArguments& a) {
  const auto time = [&](const char* name, std::string& value, const char* meaning) {
    command.add_option(name, value, meaning)->type_name("TIME")->capture_default_str();
  };
  command.add_option("--pages-per-block", a.pages_per_block, "fast and slow; a hot block has one of --bits")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--bits", a.bits, "per cell")->type_name("N")->capture_default_str();
  time("--read", a.read, "reading a page");
  time("--program-fast", a.program_fast, "programming a fast page");
  time("--program-mean", a.program_mean, "programming a page, mean of fast and slow ones");
  time("--erase", a.erase, "erasing a block");
}

void add_division(CLI::App& command, CostModelArguments& a) {
  const auto part = [&](const char* name, std::string& value, const char* meaning) {
    return command.add_option(name, value, meaning)->type_name("SHARE")->capture_default_str();
  };
  part("--hot-writes", a.hot_writes, "of the pages that the host writes");
  part("--misplaced", a.misplaced, "of the hot writes: cold data that have to be moved");
  CLI::Option* capacity = part("--hot-capacity", a.hot_capacity, "of the capacity: the hot partition");
  part("--hot-blocks", a.hot_blocks, "the same as a share of the blocks")->excludes(capacity);
  part("--hot-utilisation", a.hot_utilisation, "hot data / hot capacity");
  part("--cold-utilisation", a.cold_utilisation, "cold data / cold capacity");
}

void add_table(CLI::App& command, CostModelArguments& a) {
  command.add_flag("--whole-pages", a.whole_pages, "round the pages of a victim, as the paper does");
  CLI::Option* points =
      command.add_option("--points", a.points, "divisions between the two that leave no room")
          ->type_name("N")
          ->capture_default_str();
  CLI::Option* at =
      command.add_option("--at", a.at, "divisions by their hot utilisation, e.g. 0.68,0.8,0.96")
          ->type_name("LIST")
          ->excludes(points);
  command.add_flag("--best", a.best, "only the division that costs least")->excludes(points)->excludes(at);
  command.add_option("--out", a.out, "folder for costs.csv and summary.json, in the place of the table here")
      ->type_name("DIR");
}

} // namespace

void add_cost_model_command(CLI::App& app) {
  auto a = std::make_shared<CostModelArguments>();
  CLI::App* command = app.add_subcommand(
      "cost-model", "what a page write costs over the division of MLC blocks in fast-page and full ones");
  add_flash(*command, *a);
  add_division(*command, *a);
  add_table(*command, *a);
  command->callback([a] { print_or_write(*a); });
}

} // namespace twinplane::platform::cli
