#include "platform/host/interruption.h"

namespace twinplane::platform {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

} // namespace

volatile std::sig_atomic_t Interruption::arrived_ = 0;

Interruption::Interruption() {
  arrived_ = 0;
  struct sigaction action = {};
  action.sa_handler = &Interruption::remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART; // the second one finds the default action
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (int i = 0; i < 2; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

void Interruption::remember(int number) {
  arrived_ = number;
}

} // namespace twinplane::platform
