// What a user reads about a configuration.
#pragma once

#include <string>

#include "platform/config/error.h"
#include "platform/config/loader.h"

namespace twinplane::test {

inline platform::Config load(const std::string& toml) {
  platform::ConfigLoader loader;
  loader.add_text(toml, "ssd.toml");
  return loader.finish().config;
}

/// What the user reads when `toml` is refused; "" when it is accepted.
inline std::string complaint(const std::string& toml) {
  try {
    load(toml);
  } catch (const platform::InputError& error) {
    return error.what();
  }
  return "";
}

} // namespace twinplane::test
