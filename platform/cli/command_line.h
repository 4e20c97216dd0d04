// The command line: `twinplane run | check | config | list | trace | cost-model`.
#pragma once

#include <functional>

#include "platform/model/run.h"

namespace twinplane::platform {

/// What `run` calls once all options are read and checked.
using RunFunction = std::function<int(const RunOptions&)>;

/// Reads the arguments and carries the command out. Returns the exit status: 0 on success, 1 on any
/// error, which has been explained on standard error. Does not throw.
int command_line(int argc, const char* const* argv, const RunFunction& run);

} // namespace twinplane::platform
