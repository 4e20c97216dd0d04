// What the hardware counted before the ramp ended, to be left out of the numbers of a run.
//
// Failed operations, refused commands and findings of the monitors are not left out: a run in which
// something went wrong says so, whenever it did.
#pragma once

#include "platform/report/summary.h"

namespace twinplane::platform {

/// `ramp` is what collect_drive() gave when the ramp ended.
void leave_out(Summary& summary, const Summary& ramp);

} // namespace twinplane::platform
