#include "platform/session/config_differences.h"

#include <nlohmann/json.hpp>

namespace twinplane::platform {

std::string config_differences(const nlohmann::json& there, const nlohmann::json& here, const char* word,
                               bool (*concerns)(const std::string& section, const std::string& key)) {
  std::string found;
  const nlohmann::json absent = "no such key";
  const auto value_in = [&](const nlohmann::json& config, const std::string& section,
                            const std::string& key) {
    const auto s = config.find(section);
    if (s == config.end() || !s->is_object()) return absent;
    return s->value(key, absent);
  };
  const auto compare = [&](const nlohmann::json& a, bool both) {
    for (const auto& [section, keys] : a.items()) {
      if (!keys.is_object()) continue;
      for (const auto& [key, unused] : keys.items()) {
        if (!concerns(section, key)) continue;
        const nlohmann::json was = value_in(there, section, key);
        const nlohmann::json is = value_in(here, section, key);
        if (was == is || (!both && is != absent)) continue;
        found += "\n  " + section + "." + key + " = " + is.dump() + " (" + word + ": " + was.dump() + ")";
      }
    }
  };
  compare(here, true);
  compare(there, false);
  return found;
}

} // namespace twinplane::platform
