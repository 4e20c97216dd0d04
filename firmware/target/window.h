// The image's side of the debug window: functions that are called from outside, and what it tells observers
// that watch. Its code lies in a section of its own, .window, so that a counter of instructions can leave it
// out.
#pragma once

#include "firmware/boot/firmware.h"
#include "firmware/target/image.h"

namespace twinplane::fw::target {

/// The firmware that calls from outside and probe points are about. Before it boots.
void open_window(Firmware& firmware);
/// ... and once it has.
void window_for_work(Firmware& firmware);

} // namespace twinplane::fw::target
