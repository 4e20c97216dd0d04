// What summary.json says of the time of planes.
#pragma once

#include "platform/report/summary.h"

namespace twinplane::platform {

/// null without report.plane_time.
Json plane_time_json(const PlaneTimeSummary& times);

} // namespace twinplane::platform
