#include "platform/host/interruption.h"

#include <unistd.h>

namespace twinplane::platform {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGALRM};
constexpr int kWishes = 2; // the first of them

} // namespace

volatile std::sig_atomic_t Interruption::arrived_ = 0;
volatile std::sig_atomic_t Interruption::unheard_ = 0;
unsigned Interruption::patience_s_ = 0;
int Interruption::alive_ = 0;

Interruption::Interruption(unsigned patience_s) {
  if (alive_++ == 0) arrived_ = unheard_ = 0;
  patience_s_ = patience_s;
  struct sigaction action = {};
  action.sa_handler = &Interruption::remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART; // the second one finds the default action
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < kWishes; ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
  action.sa_handler = &Interruption::give_up;
  ::sigaction(SIGALRM, &action, &before_[kWishes]);
}

Interruption::~Interruption() {
  --alive_;
  ::alarm(0);
  for (int i = 0; i <= kWishes; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

void Interruption::remember(int number) {
  arrived_ = number;
  unheard_ = 1;
  ::alarm(patience_s_);
}

void Interruption::hear() {
  unheard_ = 0;
  ::alarm(0);
}

void Interruption::give_up(int) {
  static constexpr char kText[] =
      "twinplane: interrupted by a signal, and nothing has answered to it: the program is caught in a loop; "
      "ended without results\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  ::_exit(128 + arrived_);
}

} // namespace twinplane::platform
