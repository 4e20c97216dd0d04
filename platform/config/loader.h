// From files and command line to a Config, or to a list of everything that is wrong with them.
//
// Order of precedence, lowest first: built-in defaults, presets (nand.cell, bus.interface,
// ftl.policy), files in the order given, settings in the order given.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/config/config.h"
#include "platform/config/literal.h"

namespace twinplane::platform {

/// A resolved configuration and where each key that was set came from ("ssd.toml:12", "--seed").
struct LoadedConfig {
  Config config;
  std::map<std::string, std::string> origins;
  std::vector<std::string> warnings; // legal, but perhaps not what was meant

  /// True when any key of that section was set by file or command line.
  bool sets_section(std::string_view section) const;
};

class ConfigLoader {
 public:
  /// Throws InputError when the file cannot be read or is no TOML (file, line and column are named).
  void add_file(const std::string& path);
  /// TOML text; `name` stands for the file in messages.
  void add_text(std::string_view text, const std::string& name);
  /// "key=value" with a TOML value or bare text: ftl.policy=conventional, nand.tR=50us,75us,100us.
  void add_setting(std::string_view assignment);
  /// A value given by an option of its own, e.g. ("run.seed", 7, "--seed").
  void add_value(std::string_view key, Literal value, std::string origin);

  /// Resolves everything. Throws InputError with one line per problem: `ssd.toml:12: geometry.chanels:
  /// unknown key; did you mean geometry.channels?`.
  LoadedConfig finish() const;

 private:
  struct Assignment {
    std::string key;
    Literal value;
    std::string origin;
  };

  void apply_presets(Config& config) const;
  /// What the selector of presets is set to.
  std::string choice_of(std::string_view selector) const;

  std::vector<Assignment> assignments_;
};

/// What finish() checks, of a configuration that was made otherwise: each value and how they go together. Throws
/// InputError with one line per problem.
void require_valid(const Config& config);

/// The defaults with all presets applied.
Config default_config();

} // namespace twinplane::platform
