// Cross-checks between parameters: what each value's own limits cannot see.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config.h"

namespace twinplane::platform {

struct Finding {
  bool error = true; // false: a warning
  std::string key;   // the parameter to change
  std::string text;  // what is wrong, with the numbers
};

/// What the firmware's rules (firmware/ftl/rules/rules.h) do not see, for they concern the parts: of parts that program a wordline
/// in one pass, and of drives whose collector moves pages by copyback. Parts of the last.
std::vector<Finding> check_one_pass(const Config& config);
std::vector<Finding> check_copyback(const Config& config);
/// Of drives that keep a limit of current.
std::vector<Finding> check_peak_limit(const Config& config);

/// Of the firmware as an image.
std::vector<Finding> check_firmware(const Config& config);
/// Of hold-up energy.
std::vector<Finding> check_power(const Config& config);
/// Of these keys, which have been set, those that differ from their defaults and change nothing.
std::vector<Finding> check_effect(const Config& config, const Config& defaults,
                                  const std::vector<std::string>& keys);

/// All findings, in the order of the sections. Empty: the configuration can run.
std::vector<Finding> check_config(const Config& config);

} // namespace twinplane::platform
