// What the hardware counted at another time than a run's numbers are of (the ramp, the shutdown), to be left out of
// them.
//
// Failed operations, refused commands and findings of the monitors are not left out: a run in which
// something went wrong says so, whenever it did.
#pragma once

#include "platform/report/summary.h"

namespace twinplane::platform {

/// `part` is what collect_drive() gave when the ramp ended, or the difference of what it gave at two times.
void leave_out(Summary& summary, const Summary& part);

} // namespace twinplane::platform
