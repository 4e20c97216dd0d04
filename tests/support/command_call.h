// The command line as a user calls it: arguments in, exit status and both outputs out.
#pragma once

#include <gtest/gtest.h>

#include <functional>
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

/// Of a drive whose parts are told apart by their numbers.
inline platform::Limits limits(const platform::Config&) {
  platform::Limits l;
  l.request_bytes = 4096;
  l.reads = {11e6, 22e6, 33e6};
  l.writes = {44e6, 55e6, 66e6};
  l.read_bytes = 4321;
  l.program_bytes = 8765;
  l.core_read = {1000, 1, 33e6 / 4096};
  l.core_write = {2000, 1, 66e6 / 4096};
  return l;
}

/// `twinplane` with these arguments; simulations go to `run`.
inline Outcome call_twinplane(std::vector<const char*> arguments,
                              const std::function<int(const platform::RunOptions&)>& run) {
  arguments.insert(arguments.begin(), "twinplane");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome o;
  o.status =
      platform::command_line(static_cast<int>(arguments.size()), arguments.data(), {run, {}, {}, limits});
  o.out = testing::internal::GetCapturedStdout();
  o.err = testing::internal::GetCapturedStderr();
  return o;
}

/// One of its commands.
inline Outcome call_command(const char* command, const std::vector<std::string>& words,
                            const std::function<int(const platform::RunOptions&)>& run) {
  std::vector<const char*> arguments{command};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return call_twinplane(std::move(arguments), run);
}

} // namespace twinplane::test
