// Options that say how a trace file is read; shared by `run` and `trace`.
#pragma once

#include <CLI/CLI.hpp>

#include "platform/trace/trace_source.h"

namespace twinplane::platform::cli {

/// Everything but the path.
void add_trace_options(CLI::App& command, TraceOptions& options);

} // namespace twinplane::platform::cli
