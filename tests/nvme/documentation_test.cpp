// Does docs/nvme.md say of every command, feature, log page and identify structure what the firmware's tables
// say?
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "firmware/nvme/supported.h"
#include "tests/nvme/conformance/rules.h"
#include "tests/nvme/conformance/statuses.h"

namespace twinplane::test::documentation_test {
namespace {

const char* const kPage = TWINPLANE_SOURCE_DIR "/docs/nvme.md";

/// Identifiers of the rows ("| 0Ch | ...") below a heading; those whose last column begins with "refused"
/// apart.
struct Rows {
  std::set<std::uint32_t> there;
  std::set<std::uint32_t> refused;
};

Rows rows_below(const std::string& heading) {
  std::ifstream page(kPage);
  EXPECT_TRUE(page) << kPage;
  Rows rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## " + heading;
    if (!inside || line.size() < 8 || line.rfind("| ", 0) != 0 || line[4] != 'h') continue;
    const auto id = static_cast<std::uint32_t>(std::stoul(line.substr(2, 2), nullptr, 16));
    const std::size_t last = line.rfind('|', line.size() - 2);
    const bool refused = line.compare(last + 2, 7, "refused") == 0;
    EXPECT_TRUE((refused ? rows.refused : rows.there).insert(id).second) << heading << ": " << line;
  }
  return rows;
}

template <typename Table, typename IdOf>
void compare(const std::string& heading, const Table& table, IdOf id_of) {
  const Rows rows = rows_below(heading);
  std::set<std::uint32_t> known;
  for (const auto& entry : table) known.insert(id_of(entry));
  EXPECT_EQ(rows.there, known) << heading;
  for (const std::uint32_t id : rows.refused) EXPECT_EQ(known.count(id), 0u) << heading << ", " << id;
}

TEST(NvmeDocumentation, NamesWhatTheFirmwareSupports) {
  const auto opcode = [](const fw::SupportedCommand& command) { return std::uint32_t{command.opcode}; };
  const auto itself = [](std::uint8_t id) { return std::uint32_t{id}; };
  compare("Admin commands", fw::kAdminCommands, opcode);
  compare("I/O commands", fw::kIoCommands, opcode);
  compare("Features", fw::kFeatureIds, itself);
  compare("Log pages", fw::kLogPages, itself);
  compare("Identify", fw::kIdentifyStructures, itself);
}

TEST(NvmeDocumentation, NamesEveryRuleOfTheConformanceSuite) {
  std::ifstream page(kPage);
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  for (const auto kind : conformance::kDriveKinds) {
    for (const conformance::Rule& rule : conformance::rules(kind))
      EXPECT_NE(text.find("`" + std::string(rule.name) + "`"), std::string::npos) << rule.name;
  }
}

/// Codes of the constants of nvme::status, from the header's own text.
std::set<std::uint32_t> codes_of_the_data_sheet() {
  std::ifstream header(TWINPLANE_SOURCE_DIR "/hw/spec/nvme.h");
  EXPECT_TRUE(header);
  std::set<std::uint32_t> codes;
  bool inside = false;
  for (std::string line; std::getline(header, line);) {
    if (line == "namespace status {") inside = true;
    if (line == "} // namespace status") inside = false;
    const std::size_t value = line.find(" = 0x");
    if (!inside || value == std::string::npos || line.find(" dnr ") != std::string::npos) continue;
    codes.insert(static_cast<std::uint32_t>(std::stoul(line.substr(value + 3), nullptr, 16)));
  }
  return codes;
}

/// Each status that the data sheet names has a row here, with the rule that provokes it or the word "never".
TEST(NvmeDocumentation, NamesTheRuleThatProvokesEachStatus) {
  std::map<std::uint32_t, std::string> rows;
  std::ifstream page(kPage);
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## Status codes";
    if (inside && line.size() > 8 && line.rfind("| ", 0) == 0 && line[5] == 'h')
      rows[static_cast<std::uint32_t>(std::stoul(line.substr(2, 3), nullptr, 16))] = line;
  }
  std::set<std::uint32_t> known;
  std::set<std::string> names;
  for (const auto kind : conformance::kDriveKinds) {
    for (const conformance::Rule& rule : conformance::rules(kind)) names.insert(rule.name);
  }
  for (const conformance::ProvokedStatus& status : conformance::statuses()) {
    EXPECT_TRUE(known.insert(status.status).second) << status.status;
    EXPECT_TRUE(status.rule == nullptr || names.count(status.rule) != 0) << status.rule;
    const std::string should_be = status.rule == nullptr ? "never" : "`" + std::string(status.rule) + "`";
    EXPECT_NE(rows[status.status].find(should_be), std::string::npos) << std::hex << status.status;
  }
  EXPECT_EQ(known, codes_of_the_data_sheet());
  EXPECT_EQ(rows.size(), known.size());
}

} // namespace
} // namespace twinplane::test::documentation_test
