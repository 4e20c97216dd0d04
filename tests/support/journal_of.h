// The journal of a drive under test, for what the pipeline does not ask it.
#pragma once

#include "firmware/ftl/features/journal/journal.h"
#include "tests/support/ftl_bench.h"

namespace twinplane::test {

inline fw::Journal& journal_of(FtlBench& b) {
  return static_cast<fw::Journal&>(*b.ftl().state.durability);
}

} // namespace twinplane::test
