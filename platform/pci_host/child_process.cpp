#include "platform/pci_host/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

constexpr int kLookMs = 5;
constexpr int kTermMs = 5000;

/// In the child: becomes the program, or tells why not through `failure`.
[[noreturn]] void become(char* const* argv, const std::vector<int>& inherited, int failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int fd : inherited) ::fcntl(fd, F_SETFD, 0);
  ::execvp(argv[0], argv);
  const int error = errno;
  if (::write(failure, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

} // namespace

SocketPair::SocketPair() {
  int pair[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    throw InputError(std::string("no pair of sockets: ") + std::strerror(errno));
  ours = Descriptor(pair[0]);
  theirs = Descriptor(pair[1]);
}

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::vector<int>& inherited) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  SocketPair failure;
  pid_ = ::fork();
  if (pid_ < 0) throw InputError(words[0] + ": cannot be started: " + std::strerror(errno));
  if (pid_ == 0) become(argv.data(), inherited, failure.theirs.get());
  failure.theirs = Descriptor();
  int error = 0;
  if (::read(failure.ours.get(), &error, sizeof error) != sizeof error) return; // it runs
  end(kTermMs);
  throw InputError(words[0] + ": cannot be run: " + std::strerror(error));
}

ChildProcess::~ChildProcess() {
  end(0);
}

bool ChildProcess::wait(int milliseconds) {
  for (;; milliseconds -= kLookMs) {
    if (::waitpid(pid_, &status_, WNOHANG) == pid_) {
      pid_ = -1;
      return true;
    }
    if (milliseconds <= 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  }
}

int ChildProcess::end(int milliseconds) {
  if (pid_ < 0 || wait(milliseconds)) return status_;
  ::kill(pid_, SIGTERM);
  if (wait(kTermMs)) return status_;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
  pid_ = -1;
  return status_;
}

} // namespace twinplane::platform
