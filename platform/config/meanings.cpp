#include "platform/config/meanings.h"

#include "firmware/ftl/policies.h"
#include "platform/config/presets.h"

namespace twinplane::platform {
namespace {

/// The FTL's rows say it themselves, but for names that are made of others.
std::string_view of_decision(std::string_view key, std::string_view name) {
  constexpr std::string_view kPart = "ftl.";
  if (key.substr(0, kPart.size()) != kPart) return {};
  for (std::uint32_t i = 0; i < fw::kDecisions; ++i) {
    const fw::PolicyNames table = fw::policy_names(i);
    for (std::uint32_t n = 0; key.substr(kPart.size()) == table.decision && n < table.count; ++n) {
      if (name == table.name(n)) return table.meaning(n) == nullptr ? std::string_view() : table.meaning(n);
    }
  }
  return {};
}

/// So do those of presets, but for the letter's.
std::string_view of_preset(std::string_view key, std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.selector == key && preset.choice == name) return preset.meaning;
  }
  return {};
}

/// "QDS+UBS": what the first leaves open is decided by the second instead of in turn.
std::string of_pair(std::string_view name) {
  constexpr std::string_view kInTurn = ", else in turn";
  const std::size_t plus = name.find('+');
  if (plus == std::string_view::npos) return {};
  std::string first(of_decision("ftl.classifier", name.substr(0, plus)));
  const std::string_view second = of_decision("ftl.classifier", name.substr(plus + 1));
  if (first.empty() || second.empty()) return {};
  if (const std::size_t tail = first.rfind(kInTurn); tail != std::string::npos) first.erase(tail);
  return first + "; else " + std::string(second);
}

/// "WCDP": a stripe goes to the chips first, then to the channels, ...
std::string of_order(std::string_view name) {
  struct Level {
    char letter;
    std::string_view meaning;
  };
  constexpr Level kLevels[] = {{'C', "channels"}, {'W', "chips"}, {'D', "dies"}, {'P', "planes"}};
  std::string text;
  for (const char letter : name) {
    std::string_view level;
    for (const Level& row : kLevels) {
      if (row.letter == letter) level = row.meaning;
    }
    if (level.empty()) return {};
    text.append(text.empty() ? "by address: " : ", then ").append(level);
  }
  return text;
}

/// "f2+tbm+bac": the drives that the letter on twin blocks compares.
std::string of_letter(std::string_view name) {
  const std::string_view planes = name.substr(0, name.find('+'));
  if (planes != "f" && planes != "d" && planes != "f2") return {};
  const bool twin = name.find("+tbm") != std::string_view::npos;
  const bool bac = name.find("+bac") != std::string_view::npos;
  std::string text = "TBM letter: allocation ";
  text += planes == "f" ? "F" : planes == "d" ? "D" : "F2";
  text += twin ? ", twin blocks" : ", conventional blocks";
  text += bac ? ", dies ask for equal blocks too" : ", dies ask for equal pages";
  return text;
}

} // namespace

std::string meaning_of(std::string_view key, std::string_view name) {
  if (const std::string_view known = of_decision(key, name); !known.empty()) return std::string(known);
  if (const std::string_view known = of_preset(key, name); !known.empty()) return std::string(known);
  if (key == "ftl.classifier") return of_pair(name);
  if (key == "ftl.plane_allocation") return of_order(name);
  return key == "ftl.policy" ? of_letter(name) : std::string();
}

} // namespace twinplane::platform
