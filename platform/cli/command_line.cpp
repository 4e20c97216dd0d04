#include "platform/cli/command_line.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "platform/cli/commands.h"
#include "platform/cli/validators.h"
#include "platform/config/nearest.h"

namespace twinplane::platform {

namespace {

/// One "error:" per line of the message.
void complain(const std::string& message) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) std::cerr << "error: " << line << "\n";
}

/// The innermost command that was chosen.
const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : chosen(*commands.front());
}

/// The words that choose the command, "trace info"; none for the program itself.
std::string words_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  if (parent == nullptr) return {};
  const std::string before = words_of(*parent);
  return (before.empty() ? "" : before + " ") + command.get_name();
}

/// Behind a message about the command line: where its help is.
std::string hint(const CLI::App& app, const CLI::App& command) {
  const std::string words = words_of(command);
  return " (see `" + app.get_name() + (words.empty() ? "" : " " + words) + " --help`)";
}

/// An argument that is not expected: the nearest option or command, if there is one.
std::string unexpected(const CLI::App& app, const std::string& argument) {
  const CLI::App& command = chosen(app);
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(sub->get_name());
  }
  const std::string name = argument.substr(0, argument.find('='));
  const std::string near = nearest(name, known);
  const std::string path = &command == &app ? "" : words_of(command) + ": ";
  return path + "unexpected argument " + name + (near.empty() ? "" : "; did you mean " + near + "?") +
         hint(app, command);
}

bool wants_command(const CLI::App& command) {
  return command.get_require_subcommand_min() > 0;
}

int execute(CLI::App& app, int argc, const char* const* argv, const cli::Context& context) {
  try {
    app.parse(argc, argv);
    return context.status;
  } catch (const CLI::ExtrasError&) {
    complain(unexpected(app, app.remaining(true).front()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error); // --help, --version
    const CLI::App& command = chosen(app);
    if (wants_command(command) && !command.remaining().empty()) {
      complain(unexpected(app, command.remaining().front())); // a misspelt command, not a missing one
    } else {
      const std::string path = &command == &app ? "" : words_of(command) + ": ";
      complain(path + error.what() + hint(app, command));
    }
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return 1;
}

/// Standard output is a result: one that did not arrive (full disk) is a failure.
int delivered(int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return status;
  std::fputc('\n', stdout); // the reason of an earlier failure is forgotten: fail again
  const bool known = std::fflush(stdout) != 0;
  complain("cannot write to standard output" + (known ? std::string(": ") + std::strerror(errno) : ""));
  return 1;
}

} // namespace

int command_line(int argc, const char* const* argv, const ModelCalls& model) {
  cli::Context context{model};
  CLI::App app("Twinplane: a SystemC / TLM-2.0 virtual platform of an SSD", "twinplane");
  app.set_version_flag("--version", TWINPLANE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  twinplane check -c platform/configs/tlc_8ch.toml\n"
      "  twinplane run -c platform/configs/demo.toml --trace FILE --out out/demo --vcd\n"
      "  twinplane run -c platform/configs/demo.toml --set workload.rw=randwrite --set "
      "workload.number_ios=50000");
  cli::add_run_command(app, context);
  cli::add_serve_command(app, context);
  cli::add_load_command(app, context);
  cli::add_check_command(app, context);
  cli::add_config_command(app);
  cli::add_list_command(app);
  cli::add_trace_command(app);
  cli::add_cost_model_command(app);
  cli::refuse_empty_values(app);
  return delivered(execute(app, argc, argv, context));
}

} // namespace twinplane::platform
