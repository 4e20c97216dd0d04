#include "platform/pci_host/guarded_copy.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>

namespace twinplane::platform {
namespace {

thread_local sigjmp_buf* volatile landing = nullptr; // of the copy under way; signals are the process's
struct sigaction before;

void on_bus_error(int) {
  if (landing != nullptr) siglongjmp(*landing, 1);
  ::sigaction(SIGBUS, &before, nullptr); // not ours: it ends as it would have
  ::raise(SIGBUS);
}

bool catch_bus_errors() {
  struct sigaction action = {};
  action.sa_handler = on_bus_error;
  action.sa_flags = SA_NODEFER; // the handler is left by a jump, which does not restore the mask
  sigemptyset(&action.sa_mask);
  return ::sigaction(SIGBUS, &action, &before) == 0;
}

} // namespace

bool guarded_copy(void* to, const void* from, std::size_t bytes) {
  static const bool caught = catch_bus_errors();
  if (!caught) return false;
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) {
    landing = nullptr;
    return false;
  }
  landing = &here;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memcpy(to, from, bytes);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  landing = nullptr;
  return true;
}

} // namespace twinplane::platform
