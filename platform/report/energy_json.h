// What summary.json says of energy.
#pragma once

#include "platform/report/energy.h"
#include "platform/report/summary.h"

namespace twinplane::platform {

/// null without report.energy.
Json energy_json(const EnergySummary& energy);

} // namespace twinplane::platform
