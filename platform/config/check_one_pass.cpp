// Checks of parts that program a wordline in one pass.
#include "platform/config/checks.h"

namespace twinplane::platform {

std::vector<Finding> check_one_pass(const Config& config) {
  const NandKeys& n = config.nand;
  std::vector<Finding> findings;
  if (!n.one_pass) return findings;
  const auto error = [&](const char* key, const char* what) {
    findings.push_back({true, key, std::string(what) + " with nand.one_pass = true"});
  };
  if (config.geometry.cell == CellType::slc)
    error("nand.cell", "must not be \"slc\": a wordline has one page");
  if (n.page_table != PageTable::diagonal)
    error("nand.page_table", "must be left out: pages of a wordline follow each other");
  if (n.program_order != ProgramOrder::strict) error("nand.program_order", "must be \"strict\"");
  if (n.wordline_buffer != kAllWordlines)
    error("nand.wordline_buffer", "must be left out: no page waits for others of its wordline");
  return findings;
}

} // namespace twinplane::platform
