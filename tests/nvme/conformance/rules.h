// The rules of NVM Express 1.4 that a drive is held to, each told once.
//
// A rule starts with a disabled controller and a host that knows nothing of what was before, and may leave
// both as they are. It must not lean on anything but the standard and what the drive says of itself: it is
// put to drives of any size and speed. Sectors may hold anything.
#pragma once

#include <string>
#include <vector>

#include "tests/nvme/conformance/host.h"

namespace twinplane::test::conformance {

struct Rule {
  const char* name;    // of letters, digits and underscores
  const char* section; // of the standard
  void (*check)(Host&);
};

/// All, in the order of the standard's sections.
const std::vector<Rule>& rules();

/// What the drive has done wrong; empty: nothing.
std::vector<std::string> broken(const Rule& rule, Transport& transport);

} // namespace twinplane::test::conformance
