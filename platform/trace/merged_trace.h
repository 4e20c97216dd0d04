// Several trace files as one: merged by time, each on its own part of the address space.
#pragma once

#include <memory>

#include "platform/trace/trace_source.h"

namespace twinplane::platform {

/// Opens options.path and options.others. The records' `trace` is the number of their file, in this order.
/// Throws as open_trace() does.
std::unique_ptr<TraceSource> merge_traces(const TraceOptions& options);

/// Of one file, whatever the others are.
std::unique_ptr<TraceSource> open_file(const TraceOptions& options);

} // namespace twinplane::platform
