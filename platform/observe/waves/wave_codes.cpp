#include "platform/observe/waves/wave_codes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "hw/spec/onfi_commands.h"

namespace twinplane::platform {
namespace {

namespace op = onfi::opcode;

constexpr std::array<const char*, 16> kRules = {"-",
                                                "pac",
                                                "bac",
                                                "distinct_planes",
                                                "same_lun",
                                                "order",
                                                "erase_before_program",
                                                "partial_limit",
                                                "bad_address",
                                                "slc_mode",
                                                "busy",
                                                "protocol",
                                                "timing",
                                                "suspend",
                                                "write_protect",
                                                "other"};

std::vector<Translation> opcodes() {
  return {{op::read, "00h read"},
          {op::read_confirm, "30h read confirm"},
          {op::read_multiplane, "32h multi-plane read"},
          {op::read_cache, "31h cache read"},
          {op::read_cache_end, "3Fh cache read end"},
          {op::read_copyback, "35h copyback read"},
          {op::change_column, "05h change column"},
          {op::change_column_enhanced, "06h change column enhanced"},
          {op::change_column_confirm, "E0h change column confirm"},
          {op::program, "80h program"},
          {op::program_continue, "81h program continue"},
          {op::change_write_column, "85h change write column"},
          {op::program_confirm, "10h program confirm"},
          {op::program_multiplane, "11h multi-plane program"},
          {op::program_cache, "15h cache program"},
          {op::program_load, "1Ah load page of wordline"},
          {op::program_suspend, "84h program suspend"},
          {op::program_resume, "13h program resume"},
          {op::erase_suspend, "61h erase suspend"},
          {op::erase_resume, "D2h erase resume"},
          {op::erase, "60h erase"},
          {op::erase_confirm, "D0h erase confirm"},
          {op::erase_multiplane, "D1h multi-plane erase"},
          {op::read_status, "70h status"},
          {op::read_status_enhanced, "78h status enhanced"},
          {op::read_id, "90h read ID"},
          {op::read_parameter_page, "ECh parameter page"},
          {op::read_unique_id, "EDh unique ID"},
          {op::volume_select, "E1h volume select"},
          {op::odt_configure, "E2h ODT configure"},
          {op::zq_long, "F9h ZQ calibration long"},
          {op::zq_short, "D9h ZQ calibration short"},
          {op::get_features, "EEh get features"},
          {op::set_features, "EFh set features"},
          {op::get_lun_features, "D4h get LUN features"},
          {op::set_lun_features, "D5h set LUN features"},
          {op::reset, "FFh reset"},
          {op::synchronous_reset, "FCh synchronous reset"},
          {op::reset_lun, "FAh reset LUN"},
          {op::slc_enter, "DAh SLC mode"},
          {op::slc_leave, "DFh native mode"}};
}

std::vector<Translation> page_types(CellType cell) {
  constexpr std::array<const char*, kMaxPageTypes> kColours = {"?SeaGreen?", "?DarkGoldenrod?", "?chocolate?",
                                                               "?firebrick?"};
  std::vector<Translation> lines;
  for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(cell); ++t) {
    lines.push_back({t, std::string(kColours[t]) + page_type_name(cell, static_cast<PageType>(t))});
  }
  return lines;
}

std::vector<TranslationTable> uses_of_blocks() {
  constexpr std::array<const char*, kBlockLevels> kColours = {"", "?SteelBlue?", "?DarkGoldenrod?",
                                                              "?firebrick?"};
  std::vector<Translation> levels;
  for (std::uint32_t level = 0; level < kBlockLevels; ++level) {
    levels.push_back({level, std::string(kColours[level]) + level_name(level)});
  }
  return {{"mode", "waves_block_mode.txt", {{0, "native"}, {1, "?chocolate?slc"}}},
          {"level", "waves_block_level.txt", levels}};
}

std::vector<Translation> rules() {
  std::vector<Translation> lines;
  for (std::uint32_t i = 0; i < kRules.size(); ++i) {
    lines.push_back({i, std::string(i == 0 ? "" : "?firebrick?") + kRules[i]});
  }
  return lines;
}

} // namespace

std::uint32_t violation_code(const char* rule) {
  for (std::uint32_t i = 1; i < kRules.size(); ++i) {
    if (std::string_view(kRules[i]) == rule) return i;
  }
  return static_cast<std::uint32_t>(kRules.size()) - 1;
}

std::string opcode_text(std::uint8_t opcode) {
  static const std::vector<Translation> kNames = opcodes();
  for (const Translation& name : kNames) {
    if (name.value == opcode) return name.text;
  }
  char text[8];
  std::snprintf(text, sizeof text, "%02Xh", opcode);
  return text;
}

const char* level_name(std::uint32_t level) {
  constexpr std::array<const char*, kBlockLevels> kNames = {"none", "work", "monitor", "hot"};
  return level < kBlockLevels ? kNames[level] : "?";
}

std::vector<TranslationTable> translation_tables(CellType cell, bool levels) {
  std::vector<TranslationTable> tables = {{"state",
                                           "waves_plane_state.txt",
                                           {{0, "idle"},
                                            {1, "?SeaGreen?reading"},
                                            {2, "?SteelBlue?programming"},
                                            {3, "?firebrick?erasing"},
                                            {4, "?DarkOrchid?resetting"},
                                            {kSuspendedState, "?DarkGoldenrod?suspended"}}},
                                          {"phase",
                                           "waves_bus_phase.txt",
                                           {{0, "idle"},
                                            {1, "?chocolate?command"},
                                            {2, "?DarkGoldenrod?address"},
                                            {3, "?SteelBlue?data in"},
                                            {4, "?SeaGreen?data out"},
                                            {5, "wait"},
                                            {6, "?DarkOrchid?status"}}},
                                          {"opcode", "waves_opcode.txt", opcodes()},
                                          {"page_type", "waves_page_type.txt", page_types(cell)},
                                          {"violation", "waves_violation.txt", rules()}};
  if (!levels) return tables;
  for (TranslationTable& table : uses_of_blocks()) tables.push_back(std::move(table));
  return tables;
}

const TranslationTable* WaveDrive::table_of(std::string_view name) const {
  const std::string_view last = last_part(name);
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [last](const TranslationTable& table) { return last == table.signal; });
  return found == tables.end() ? nullptr : &*found;
}

const WaveDrive* drive_of(const std::vector<WaveDrive>& drives, std::string_view name) {
  const WaveDrive* nearest = nullptr; // a module may stand inside another one
  for (const WaveDrive& drive : drives) {
    const std::size_t length = drive.module.size();
    const bool inside = name.substr(0, length) == drive.module && name.size() > length && name[length] == '.';
    if (inside && (nearest == nullptr || nearest->module.size() < length)) nearest = &drive;
  }
  return nearest;
}

} // namespace twinplane::platform
