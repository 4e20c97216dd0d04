// twinplane list: the names that configuration values and options may take.
#include <iomanip>
#include <iostream>
#include <memory>

#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/rules/rules.h"
#include "hw/spec/nand_timing.h"
#include "platform/cli/commands.h"
#include "platform/config/error.h"
#include "platform/config/meanings.h"
#include "platform/config/nearest.h"
#include "platform/config/presets.h"
#include "platform/config/registry.h"
#include "platform/trace/formats.h"
#include "platform/workload/address/address_model.h"
#include "platform/workload/arrival/arrival_model.h"
#include "platform/workload/profile_keys.h"
#include "platform/workload/profile_loader.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform::cli {

namespace {

void item(std::string_view name, std::string_view meaning) {
  std::cout << "  " << std::left << std::setw(22) << name << meaning << "\n";
}

/// A name of a decision, and what it is.
void choice(std::string_view key, const std::string& name) {
  std::cout << "      " << std::left << std::setw(18) << name << meaning_of(key, name) << "\n";
}

/// The names joined by blanks, wrapped below one another.
void wrapped(const std::vector<std::string>& names) {
  constexpr std::size_t kWidth = 76;
  std::size_t column = 0;
  for (const std::string& name : names) {
    if (column == 0 || column + name.size() + 1 > kWidth) {
      std::cout << (column == 0 ? "      " : "\n      ");
      column = 6;
    }
    std::cout << name << " ";
    column += name.size() + 1;
  }
  std::cout << "\n";
}

void list_policies() {
  std::cout
      << "policies (ftl.policy): presets of the decisions below, with all values in docs/configuration.md\n";
  for (const Preset& preset : presets()) {
    if (preset.selector == "ftl.policy") choice("ftl.policy", std::string(preset.choice));
  }
  std::cout << "decisions of the FTL\n";
  for (const Parameter& p : registry()) {
    if (p.type.kind != Kind::name || p.key.substr(0, 4) != "ftl." || p.key == "ftl.policy") continue;
    item(p.key, p.meaning);
    for (const std::string& name : p.type.names()) choice(p.key, name);
  }
}

void list_traces() {
  std::cout << "trace formats (--format)\n";
  for (const TraceFormat& format : trace_formats()) item(format.name, format.summary);
  item("columns", "any other CSV or column text, described by --columns");
}

void list_interfaces() {
  std::cout << "flash interfaces (bus.interface, bus.mode)\n";
  for (const BusInterface& i : kBusInterfaces) {
    if (i.modes == 0) {
      item(i.name,
           std::string_view(i.name) == "flat" ? "bus.ns_per_byte for every cycle" : "MQSim's default values");
      continue;
    }
    std::cout << "  " << i.name << "\n";
    std::vector<std::string> modes;
    for (std::uint32_t mode = 0; mode < i.modes; ++mode) {
      const ByteTime byte = find_bus_timing(i.name, mode)->data_out;
      modes.push_back(std::to_string(mode) + ":" +
                      std::to_string(1000000ull * byte.denominator / byte.numerator) + "MB/s");
    }
    wrapped(modes);
  }
}

void list_workloads() {
  std::cout << "workload keys (fio's words)\n";
  for (const Parameter& p : registry()) {
    if (p.key.substr(0, 9) == "workload.") item(p.key.substr(9), p.meaning);
  }
}

template <typename Rows>
void models(const char* key, const Rows& rows) {
  std::cout << key << "\n";
  for (const auto& row : rows) item(row.name, row.summary);
}

void list_profiles() {
  std::cout << "workload profiles (--profile)\n";
  for (const BuiltinProfile& builtin : builtin_profiles())
    item(builtin.name, load_profile(builtin.name).summary);
  std::cout << "keys of a profile\n";
  for (const ProfileKey& row : profile_keys()) item(row.key, row.meaning);
  models("read.size, write.size", size_models());
  models("read.address, write.address", address_models());
  models("arrival.model", arrival_models());
}

/// Folders of the FTL that a build may be without.
void list_features() {
  std::cout << "features of the FTL (a build may be without some: TWINPLANE_FEATURES)\n";
  fw::for_each_feature([](const fw::FeatureRow& row) { std::cout << "  " << row.key.name << "\n"; });
  fw::for_each_feature_left_out(
      [](const fw::FeatureKey& key) { std::cout << "  " << key.name << " (not in this build)\n"; });
}

/// What may not go together, and why.
void list_rules() {
  std::cout << "rules of the FTL (a configuration that breaks one is refused)\n";
  const char* before = "";
  std::uint32_t index = 0;
  while (const fw::RuleSet* const set = fw::rule_set(index++)) {
    if (std::string_view(before) != set->about) std::cout << "  " << set->about << "\n";
    before = set->about;
    for (const fw::Rule& rule : set->rules) std::cout << "      " << rule.text << "\n";
  }
}

struct Topic {
  const char* name;
  void (*print)();
};

constexpr std::array kTopics = {Topic{"policies", list_policies},     Topic{"traces", list_traces},
                                Topic{"interfaces", list_interfaces}, Topic{"workloads", list_workloads},
                                Topic{"profiles", list_profiles},     Topic{"rules", list_rules},
                                Topic{"features", list_features}};

/// "policies, traces, ... or features"
std::string all_topics() {
  std::string text;
  for (std::size_t i = 0; i < kTopics.size(); ++i) {
    if (i != 0) text += i + 1 == kTopics.size() ? " or " : ", ";
    text += kTopics[i].name;
  }
  return text;
}

void list(const std::string& topic) {
  bool found = false;
  std::vector<std::string> names;
  for (const Topic& t : kTopics) {
    names.emplace_back(t.name);
    if (!topic.empty() && topic != t.name) continue;
    std::cout << (found ? "\n" : "");
    t.print();
    found = true;
  }
  if (found) return;
  const std::string near = nearest(topic, names);
  throw InputError("list: expected " + all_topics() + ", got \"" + topic + "\"" +
                   (near.empty() ? "" : "; did you mean " + near + "?"));
}

} // namespace

void add_list_command(CLI::App& app) {
  auto topic = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "list",
      "names of policies, trace formats, interfaces, workload keys, profiles and features; the FTL's rules");
  CLI::Option* name = command->add_option("topic", *topic, all_topics() + "; default: all")->type_name("");
  command
      ->add_flag_callback(
          "--rules", [topic] { *topic = "rules"; }, "the same as the topic rules")
      ->excludes(name);
  command->callback([topic] { list(*topic); });
}

} // namespace twinplane::platform::cli
