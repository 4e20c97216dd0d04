// The command line: `twinplane run | serve | load | check | config | list | trace | cost-model`.
#pragma once

#include <functional>
#include <string>

#include "platform/model/run.h"
#include "platform/model/serve.h"

namespace twinplane::platform {

/// What `run` calls once all options are read and checked.
using RunFunction = std::function<int(const RunOptions&)>;
/// The same for `serve`.
using ServeFunction = std::function<int(const ServeOptions&)>;
/// The configuration, as TOML, that the session in a file was recorded with. Throws InputError.
using SessionConfigFunction = std::function<std::string(const std::string& path)>;

/// Reads the arguments and carries the command out. Returns the exit status: 0 on success, 1 on any
/// error, which has been explained on standard error. Does not throw.
int command_line(int argc, const char* const* argv, const RunFunction& run, const ServeFunction& serve = {},
                 const SessionConfigFunction& session_config = {});

} // namespace twinplane::platform
