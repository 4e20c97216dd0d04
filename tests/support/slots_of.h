// The slots of a drive's write buffer, for what the pipeline does not ask it.
#pragma once

#include "firmware/ftl/features/write_buffer/buffered_writes.h"

namespace twinplane::test {

/// Of a drive that has one.
inline fw::WriteBuffer& slots_of(const fw::FtlState& state) {
  return static_cast<fw::BufferedWrites&>(*state.buffer).slots();
}

} // namespace twinplane::test
