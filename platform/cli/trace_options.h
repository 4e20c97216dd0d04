// Options that say how a trace file is read; shared by `run` and `trace`.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "platform/trace/trace_source.h"

namespace twinplane::platform::cli {

/// The first of them, and the others to merge with it.
void set_paths(TraceOptions& options, const std::vector<std::string>& paths);

/// Everything but the paths. Returns them: without a trace they would be ignored.
std::vector<CLI::Option*> add_trace_options(CLI::App& command, TraceOptions& options);

} // namespace twinplane::platform::cli
