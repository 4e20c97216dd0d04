// The values that enumerated signals take in the VCD, and the text that viewers show for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/observe/waves/wave_texts.h"

namespace twinplane::platform {

/// ssd.chN.bus.phase. `wait`: the tenure holds the bus between two phases (tADL, tWHR, tCCS, ...).
/// `status`: data-out of a status tenure.
enum class BusPhase : std::uint8_t { idle, command, address, data_in, data_out, wait, status };
constexpr std::size_t kBusPhases = 7;

/// ssd.chN.chipC.dieD.planeP.state: a hw::PlaneState, or this one while a program or erase is suspended.
constexpr std::uint32_t kSuspendedState = 5;

/// What the firmware uses a block for, asked as an operation of it begins: 1 Work, 2 Monitor, 3 Hot blocks of
/// the SLC-mode cache, 0 native ones. `plane` counts through the drive. Drives without a cache have none.
using BlockLevel = std::function<std::uint32_t(std::uint32_t plane, std::uint32_t block)>;
constexpr std::uint32_t kBlockLevels = 4;
/// "none", "work", "monitor", "hot".
const char* level_name(std::uint32_t level);

/// ssd.chN.chipC.dieD.planeP.operation, of state, page type, block, page, mode and pages of the operation:
/// "P:msb:12.34" (program of page 34 of block 12), "P:lsb-msb:12.33-35" (of a wordline in one pass), "R:" (read),
/// "E:12" (erase), "RST" (reset), "S:12" (suspended in block 12); "SLC" in place of the page type in SLC mode;
/// nothing while the plane is idle. Returns its length, at most WaveTexts::kRoom.
std::size_t operation_text(char* out, CellType cell, const WaveTexts::Values& values);

/// ssd.chN.chipC.dieD.violation: code of a rule's name, 0 = none.
std::uint32_t violation_code(const char* rule);

/// "80h program"; "9Ch" for an opcode without a name.
std::string opcode_text(std::uint8_t opcode);

/// One line of a GTKWave translate filter: a value as the viewer displays it (hexadecimal) and its text.
struct Translation {
  std::uint32_t value = 0;
  std::string text; // may begin with GTKWave's "?colour?"
};

/// A kind of enumerated signal and the file (relative to the VCD) that translates it.
struct TranslationTable {
  const char* signal; // last part of the signals' names
  std::string file;
  std::vector<Translation> lines;
};

/// A signal's dotted name as viewers show it, without the bit range that follows its last part; a scope may
/// have brackets in its name.
constexpr std::string_view without_range(std::string_view name) {
  return name.substr(0, name.find('[', name.rfind('.') + 1));
}
/// ... and without its scopes.
constexpr std::string_view last_part(std::string_view name) {
  return without_range(name).substr(name.rfind('.') + 1);
}

/// What a file of waves has of one drive.
struct WaveDrive {
  std::string module;             // with which all names begin
  std::vector<std::string> names; // dotted, with bit ranges, in order of declaration
  std::vector<TranslationTable> tables;
  /// Of its signal with this dotted name (a bit range may follow); null: its values have no names.
  const TranslationTable* table_of(std::string_view name) const;
};
/// The drive whose signal has this dotted name; null: none of them.
const WaveDrive* drive_of(const std::vector<WaveDrive>& drives, std::string_view name);

/// Bits of a signal with values 0 to count - 1.
constexpr std::uint32_t signal_bits(std::uint32_t count) {
  const std::uint32_t bits = address_bits(count);
  return bits == 0 ? 1 : bits;
}

/// All tables; page types are named after the cell. `levels`: of a drive with an SLC-mode cache.
std::vector<TranslationTable> translation_tables(CellType cell, bool levels);

} // namespace twinplane::platform
