// The keys of a workload profile: one row each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/config/literal.h"
#include "platform/workload/profile.h"

namespace twinplane::platform {

struct ProfileKey {
  std::string_view key;      // "write.sizes"
  std::string_view expected; // for messages: "a size such as ..."
  std::string_view meaning;
  /// Puts the value into the profile; false when it is not what is expected.
  bool (*set)(Profile& profile, const Literal& value);
};

const std::vector<ProfileKey>& profile_keys();

/// nullptr when there is none of that name.
const ProfileKey* find_profile_key(std::string_view key);

} // namespace twinplane::platform
