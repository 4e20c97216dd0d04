// The sub-commands. Each adds itself to the application and leaves its exit status in the context.
#pragma once

#include <CLI/CLI.hpp>

#include "platform/cli/command_line.h"

namespace twinplane::platform::cli {

struct Context {
  const ModelCalls& model;
  int status = 0;
};

void add_run_command(CLI::App& app, Context& context);
void add_serve_command(CLI::App& app, Context& context);
void add_load_command(CLI::App& app, Context& context);
void add_check_command(CLI::App& app, Context& context);
void add_config_command(CLI::App& app);
void add_cost_model_command(CLI::App& app);
void add_list_command(CLI::App& app);
void add_trace_command(CLI::App& app);

} // namespace twinplane::platform::cli
