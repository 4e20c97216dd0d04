// A configuration as text: TOML dump, JSON for the report, Markdown for the documentation.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platform/config/config.h"

namespace twinplane::platform {

/// Every key with its value, sections in registry order; loading it gives the same configuration.
std::string dump_toml(const Config& config);

/// Nested by section; quantities are texts with their unit, as in the dump.
nlohmann::ordered_json to_json(const Config& config);

/// The reference of all keys (docs/configuration.md): type, default, meaning; presets.
std::string registry_markdown();

} // namespace twinplane::platform
