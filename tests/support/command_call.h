// The command line as a user calls it: arguments in, exit status and both outputs out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "platform/cli/command_line.h"

namespace twinplane::test {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

/// `twinplane` with these arguments; simulations go to `run`.
inline Outcome call_twinplane(std::vector<const char*> arguments, platform::RunFunction run) {
  arguments.insert(arguments.begin(), "twinplane");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome o;
  o.status = platform::command_line(static_cast<int>(arguments.size()), arguments.data(), run);
  o.out = testing::internal::GetCapturedStdout();
  o.err = testing::internal::GetCapturedStderr();
  return o;
}

/// One of its commands.
inline Outcome call_command(const char* command, const std::vector<std::string>& words,
                            platform::RunFunction run) {
  std::vector<const char*> arguments{command};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return call_twinplane(std::move(arguments), run);
}

} // namespace twinplane::test
