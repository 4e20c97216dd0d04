// The image's side of the debug window: functions that are called from outside, and what it tells those who
// watch. Its code lies in a section of its own, .window, so that whoever counts instructions can leave it
// out.
#pragma once

#include "firmware/boot/firmware.h"
#include "firmware/target/image.h"

namespace twinplane::fw::target {

/// The firmware that calls from outside are about; attaches what `observed` asks for. Before it boots.
void open_window(Firmware& firmware, std::uint32_t observed);

} // namespace twinplane::fw::target
