// Does docs/nvme.md say of every command, feature, log page and identify structure what the firmware's tables
// say?
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "firmware/nvme/supported.h"
#include "tests/nvme/conformance/rules.h"

namespace twinplane::test {
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
  for (const conformance::Rule& rule : conformance::rules())
    EXPECT_NE(text.find("`" + std::string(rule.name) + "`"), std::string::npos) << rule.name;
}

} // namespace
} // namespace twinplane::test
