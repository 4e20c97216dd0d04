// Whether what was kept belongs to a configuration.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace twinplane::platform {

/// A line "\n  key = here (WORD: there)" for each key that concerns it and differs; empty: none does. Keys
/// that either side has not are named, too.
std::string config_differences(const nlohmann::json& there, const nlohmann::json& here, const char* word,
                               bool (*concerns)(const std::string& section, const std::string& key));

} // namespace twinplane::platform
