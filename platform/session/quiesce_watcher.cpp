#include "platform/session/quiesce_watcher.h"

namespace twinplane::platform {

namespace {
const sc_core::sc_time kInterval(100, sc_core::SC_US);
}

QuiesceWatcher::QuiesceWatcher(const sc_core::sc_module_name& name, Ssd& ssd) : sc_module(name), ssd_(ssd) {
  SC_HAS_PROCESS(QuiesceWatcher);
  SC_METHOD(look);
  sensitive << look_;
  dont_initialize();
}

void QuiesceWatcher::look() {
  if (ssd_.firmware().window().quiesce()) return sc_core::sc_stop();
  look_.notify(kInterval);
}

} // namespace twinplane::platform
