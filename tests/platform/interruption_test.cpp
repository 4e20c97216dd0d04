// Does a signal end a program in any case: one that asks for it in its own time, and one that hangs?
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/host/interruption.h"

namespace twinplane::test::interruption_test {
namespace {

using platform::Interruption;

/// The status of a child that does this.
template <class Action>
int status_of(Action action) {
  const pid_t child = ::fork();
  if (child == 0) {
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Interruption, EndsAProgramThatDoesNotAskForTheSignal) {
  EXPECT_EQ(status_of([] {
              const Interruption interruption(1);
              ::raise(SIGTERM);
              for (volatile bool hangs = true; hangs;) {
              }
            }),
            128 + SIGTERM);
}

TEST(Interruption, WaitsForOneThatAsksForIt) {
  EXPECT_EQ(status_of([] {
              const Interruption interruption(1);
              ::raise(SIGINT);
              if (Interruption::signal() != SIGINT) ::_exit(1);
              for (int i = 0; i < 3; ++i) ::usleep(500'000);
            }),
            0);
}

TEST(Interruption, EndsItAtTheSecondSignal) {
  EXPECT_EQ(status_of([] {
              const Interruption interruption;
              ::raise(SIGTERM);
              Interruption::signal();
              ::raise(SIGTERM);
            }),
            1000 + SIGTERM);
}

TEST(Interruption, GoesOnWithWhatAnotherAroundItHasHeard) {
  EXPECT_EQ(status_of([] {
              const Interruption around;
              ::raise(SIGTERM);
              const Interruption within;
              if (Interruption::signal() != SIGTERM) ::_exit(1);
            }),
            0);
}

} // namespace
} // namespace twinplane::test::interruption_test
