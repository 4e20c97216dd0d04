// `twinplane serve` as a child process, on a small drive.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_folder.h"

namespace twinplane::test {

class ServedProgram {
 public:
  explicit ServedProgram(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {TWINPLANE_PROGRAM, "serve", "--vfio-user",
                                      socket(),          "--out", (folder_.path() / "out").string()};
    for (const char* key : {"geometry.channels=2", "geometry.chips_per_channel=1", "geometry.dies_per_chip=2",
                            "geometry.planes_per_die=2", "geometry.blocks_per_plane=24",
                            "geometry.pages_per_block=48", "host.queues=4", "host.queue_size=64"}) {
      words.insert(words.end(), {"--set", key});
    }
    words.insert(words.end(), more.begin(), more.end());
    child_ = ::fork();
    if (child_ == 0) become(words);
    for (int i = 0; i < 3000 && ::access(socket().c_str(), F_OK) != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ~ServedProgram() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string socket() const { return (folder_.path() / "socket").string(); }
  /// Exit status of the program, which is to end by itself within a minute; -1 when it does not, or by a
  /// signal.
  int ends() {
    for (int i = 0; i < 6000; ++i) {
      int status = 0;
      if (::waitpid(child_, &status, WNOHANG) == child_) {
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return -1;
  }

 private:
  [[noreturn]] static void become(const std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, STDOUT_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  TempFolder folder_;
  pid_t child_ = -1;
};

} // namespace twinplane::test
