// The pins of channel 0 of an NV-DDR bus in a VCD, played to the checker of hw/pins as if a controller moved
// them: the code that drew them and the code that judges wires share the timing table and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hw/pins/pin_checker.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test {

inline void replay_pins(const VcdFile& file, std::uint32_t chip, hw::PinChecker& checker) {
  std::map<TimePs, std::map<std::string, std::string>> moments; // time, pin, value
  const std::string prefix = "ssd.ch0.pins.";
  for (const auto& [name, changes] : file.signals()) {
    if (name.rfind(prefix, 0) != 0) continue;
    for (const auto& [at, value] : changes) moments[at][name.substr(prefix.size())] = value;
  }
  const std::string select = "ce" + std::to_string(chip) + "_n";
  std::map<std::string, std::string> now;
  hw::PinLevels before;
  for (const auto& [at, changes] : moments) {
    for (const auto& [pin, value] : changes) now[pin] = value;
    hw::PinLevels levels;
    levels.selected = now[select] == "0" ? 1 : 0;
    levels.cle = now["cle"] == "1";
    levels.ale = now["ale"] == "1";
    levels.we_n = now["we_n"] == "1";
    levels.re_n = now["re_n"] == "1";
    const bool host = levels.re_n;
    levels.dqs_driven = host && now["dqs"] != "z";
    levels.dqs = !levels.dqs_driven || now["dqs"] == "1";
    const std::string& dq = now["dq"];
    levels.dq_driven = host && dq != "z";
    if (levels.dq_driven && dq != "x") levels.dq = static_cast<std::uint8_t>(std::stoull(dq, nullptr, 2));
    checker.on_change(before, levels, at);
    before = levels;
  }
}

/// The rules that the pins of a chip break, "tCALH 1, tDSH 3", for a part of this mode. But for the clock of
/// mode 0, which is drawn with tCAD.
inline std::string broken_rules(const VcdFile& file, std::uint32_t chip, std::uint32_t mode) {
  hw::PinConfig part;
  part.bus = *find_bus_timing("nv-ddr", mode);
  hw::PinFaults faults("replay");
  hw::PinChecker checker(part, faults);
  replay_pins(file, chip, checker);
  std::string text;
  for (std::size_t i = 0; i < hw::kPinRules; ++i) {
    const auto rule = static_cast<hw::PinRule>(i);
    if (checker.count(rule) == 0 || (rule == hw::PinRule::tCK && mode == 0)) continue;
    text += (text.empty() ? "" : ", ") + std::string(hw::kPinRuleNames[i]) + " " +
            std::to_string(checker.count(rule));
  }
  return text;
}

} // namespace twinplane::test
