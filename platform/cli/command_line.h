// The command line: `twinplane run | serve | load | check | config | list | trace | cost-model`.
#pragma once

#include <functional>
#include <string>

#include "platform/measure/limits.h"
#include "platform/session/run.h"
#include "platform/session/serve.h"

namespace twinplane::platform {

/// What the commands ask of the model, once all options are read and checked. The command line itself does
/// not depend on it.
struct ModelCalls {
  std::function<int(const RunOptions&)> run;
  std::function<int(const ServeOptions&)> serve;
  /// The configuration, as TOML, that the session in a file was recorded with. Throws InputError.
  std::function<std::string(const std::string& path)> session_config;
  std::function<Limits(const Config&)> limits;
};

/// Reads the arguments and carries the command out. Returns the exit status: 0 on success, 1 on any
/// error, which has been explained on standard error. Does not throw.
int command_line(int argc, const char* const* argv, const ModelCalls& model);

} // namespace twinplane::platform
