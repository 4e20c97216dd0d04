// Which rule provokes which status: each that the model can answer has one.
#pragma once

#include <cstdint>
#include <vector>

namespace twinplane::test::conformance {

struct ProvokedStatus {
  std::uint16_t status; // SCT and SC
  const char* rule;     // nullptr: the model never answers it
};

/// All of nvme::status, in the order of their codes.
const std::vector<ProvokedStatus>& statuses();

} // namespace twinplane::test::conformance
