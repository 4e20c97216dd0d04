// The rules of NVM Express 1.4 that a drive is held to, each told once.
//
// A rule starts with a disabled controller and a host that knows nothing of what was before, and may leave
// both as they are. It must not lean on anything but the standard and what the drive says of itself: it is
// put to drives of any size and speed. Sectors may hold anything.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/nvme/conformance/host.h"

namespace twinplane::test::conformance {

struct Rule {
  const char* name;    // of letters, digits and underscores
  const char* section; // of the standard
  void (*check)(Host&);
};

/// The drive that rules are for.
enum class DriveKind {
  sound,
  worn,   // each block whose erase it begins is lost; a small one, so that it wears out soon
  failing // no program succeeds
};
constexpr DriveKind kDriveKinds[] = {DriveKind::sound, DriveKind::worn, DriveKind::failing};

/// All of a kind, in the order of the standard's sections.
const std::vector<Rule>& rules(DriveKind kind = DriveKind::sound);

struct Verdict {
  std::vector<std::string> findings; // what the drive has done wrong; empty: nothing
  std::set<std::uint16_t> statuses;  // that it has answered
};
Verdict judge(const Rule& rule, Transport& transport);

} // namespace twinplane::test::conformance
