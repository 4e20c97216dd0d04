#include "platform/observe/waves/save_file.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "platform/report/output_file.h"

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kOpenGroups = 6;
constexpr std::uint32_t kZoom = 27;           // 2^27 ps (134 us) between two ticks
constexpr std::uint64_t kTicksPerScreen = 16; // about

// GTKWave's trace flags (analyzer.h of GTKWave 3.3): hexadecimal 2h, decimal 4h, binary 8h,
// right-justified 20h, filter file 2000h, blank 200h, analog step 8000h, analog stretch 20000h,
// group begin 800000h, group end 1000000h, folded 400000h.
constexpr const char* kBinary = "@28\n";
constexpr const char* kHexadecimal = "@22\n";
constexpr const char* kDecimal = "@24\n";
constexpr const char* kAnalog = "@8024\n";
constexpr const char* kAnalogHeight = "@20000\n-\n-\n";
constexpr const char* kTranslated = "@2022\n";
constexpr const char* kGroupBegin = "@800200\n-";
constexpr const char* kFoldedGroupBegin = "@c00200\n-";

// "ssd.ch0.bus" or "ssd.ch0.chip1.die0"; empty for signals of the drive. The marks may stand in the module's
// name as well.
std::string_view group_of(std::string_view name, std::size_t module_length) {
  for (const char* mark : {".bus.", ".pins.", ".die"}) {
    const std::size_t at = name.find(mark, module_length);
    if (at != std::string_view::npos) return name.substr(0, name.find('.', at + 1));
  }
  return {};
}

// GTKWave shows the last part of a name only; an alias adds the plane: "plane1 state".
std::string shown(const std::string& name, std::size_t module_length) {
  const std::size_t plane = name.find(".plane", module_length);
  if (plane == std::string::npos || group_of(name, module_length).empty()) return name + "\n";
  std::string alias(without_range(name).substr(plane + 1));
  alias[alias.find('.')] = ' ';
  return "+{" + alias + "} " + name + "\n";
}

// The scopes around the drive's signals, from the outermost on.
void append_open_scopes(std::string& out, const std::string& module) {
  for (std::size_t dot = module.find('.'); dot != std::string::npos; dot = module.find('.', dot + 1)) {
    out.append("[treeopen] ").append(module, 0, dot + 1).append("\n");
  }
  out.append("[treeopen] ").append(module).append(".\n");
}

/// The viewer numbers translate files as they are first named.
class Translations {
 public:
  std::size_t number(const TranslationTable& table) {
    const auto known = std::find(files_.begin(), files_.end(), table.file);
    const auto number = static_cast<std::size_t>(known - files_.begin()) + 1;
    if (known == files_.end()) files_.push_back(table.file);
    return number;
  }

 private:
  std::vector<std::string> files_;
};

void append_signal(std::string& out, const std::string& name, const WaveDrive& drive,
                   Translations& translations) {
  const std::size_t module_length = drive.module.size();
  if (const TranslationTable* const table = drive.table_of(name)) {
    out += kTranslated;
    out += "^" + std::to_string(translations.number(*table)) + " " + table->file + "\n" +
           shown(name, module_length);
    return;
  }
  const bool analog = last_part(name) == "planes_busy";
  const bool byte = last_part(name) == "dq";
  const bool bit = without_range(name) == name;
  out += analog ? kAnalog : byte ? kHexadecimal : bit ? kBinary : kDecimal;
  out += shown(name, module_length);
  if (analog) out += kAnalogHeight;
}

void append_group_end(std::string& out, std::string_view group, bool open) {
  out.append(open ? "@1000200\n-" : "@1401200\n-").append(group).append("\n");
}

/// Of "ssd.ch0.chip1.die0.plane1.operation": "ch0 chip1 die0 plane1", as GTKWave shows only what is behind a
/// dot. `named`: with the drive's name before it.
std::string plane_of(std::string_view name, std::size_t module_length, bool named) {
  if (!named) name.remove_prefix(module_length + 1);
  std::string plane(name.substr(0, name.rfind('.')));
  std::replace(plane.begin(), plane.end(), '.', ' ');
  return plane;
}

bool is_operation(const std::string& name) {
  return last_part(name) == "operation";
}

/// What all planes do, a row for each: enough to see which of them work together.
void append_overview(std::string& out, const std::vector<WaveDrive>& drives) {
  std::string rows;
  for (const WaveDrive& drive : drives) {
    for (const std::string& name : drive.names) {
      if (!is_operation(name)) continue;
      rows.append(kHexadecimal).append("+{").append(plane_of(name, drive.module.size(), drives.size() > 1));
      rows.append("} ").append(name).append("\n");
    }
  }
  if (rows.empty()) return;
  out.append(kGroupBegin).append("overview\n").append(rows);
  append_group_end(out, "overview", true);
}

/// `groups`: there are so many before the drive's.
void append_drive(std::string& out, const WaveDrive& drive, Translations& translations,
                  std::uint32_t& groups) {
  std::string_view group;
  for (const std::string& name : drive.names) {
    if (is_operation(name)) continue;
    const std::string_view own = group_of(name, drive.module.size());
    if (own != group) {
      if (!group.empty()) append_group_end(out, group, groups <= kOpenGroups);
      group = own;
      ++groups;
      if (!group.empty())
        out.append(groups <= kOpenGroups ? kGroupBegin : kFoldedGroupBegin).append(group).append("\n");
    }
    append_signal(out, name, drive, translations);
  }
  if (!group.empty()) append_group_end(out, group, groups <= kOpenGroups);
}

std::uint32_t zoom(const WaveWindow& window) {
  if (window.end == kNever) return kZoom;
  const TimePs tick = (window.end - window.begin) / kTicksPerScreen;
  return 63 - static_cast<std::uint32_t>(__builtin_clzll(tick | 1));
}

} // namespace

void write_translations(const std::filesystem::path& folder, const std::vector<TranslationTable>& tables) {
  for (const TranslationTable& table : tables) {
    const auto wider = [](const Translation& a, const Translation& b) { return a.value < b.value; };
    const std::uint32_t largest = std::max_element(table.lines.begin(), table.lines.end(), wider)->value;
    std::string text;
    for (const Translation& line : table.lines) {
      char value[16];
      std::snprintf(value, sizeof value, largest > 15 ? "%02X " : "%X ", line.value);
      text.append(value).append(line.text).append("\n");
    }
    write_file(folder / table.file, text);
  }
}

void write_save_file(const std::filesystem::path& folder, const char* file,
                     const std::vector<WaveDrive>& drives, const WaveWindow& window) {
  std::string out = "[dumpfile] \"" + std::string(file) + "\"\n[savefile] \"waves.gtkw\"\n[timestart] " +
                    std::to_string(window.begin) + "\n";
  out += "[size] 1600 1000\n[pos] -1 -1\n[sst_width] 220\n[signals_width] 260\n[sst_expanded] 1\n";
  for (const WaveDrive& drive : drives) append_open_scopes(out, drive.module);
  out += "*-" + std::to_string(zoom(window)) + ".000000 -1\n";
  append_overview(out, drives);
  Translations translations;
  std::uint32_t groups = 0;
  for (const WaveDrive& drive : drives) append_drive(out, drive, translations, groups);
  write_file(folder / "waves.gtkw", out);
}

} // namespace twinplane::platform
