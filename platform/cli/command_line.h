// The command line: `twinplane run | serve | load | check | config | list | trace | cost-model`.
#pragma once

#include <functional>

#include "platform/model/run.h"
#include "platform/model/serve.h"

namespace twinplane::platform {

/// What `run` calls once all options are read and checked.
using RunFunction = std::function<int(const RunOptions&)>;
/// The same for `serve`.
using ServeFunction = std::function<int(const ServeOptions&)>;

/// Reads the arguments and carries the command out. Returns the exit status: 0 on success, 1 on any
/// error, which has been explained on standard error. Does not throw.
int command_line(int argc, const char* const* argv, const RunFunction& run, const ServeFunction& serve = {});

} // namespace twinplane::platform
