#include "platform/session/quiesce_watcher.h"

#include "hw/core/kernel_time.h"

namespace twinplane::platform {

namespace {
constexpr TimePs kInterval = us(100);
}

QuiesceWatcher::QuiesceWatcher(const sc_core::sc_module_name& name, Ssd& ssd) : sc_module(name), ssd_(ssd) {
  SC_HAS_PROCESS(QuiesceWatcher);
  SC_METHOD(look);
  sensitive << look_;
  dont_initialize();
}

void QuiesceWatcher::look() {
  if (ssd_.firmware().window().quiesce()) return sc_core::sc_stop();
  look_.notify(hw::to_sc_time(kInterval));
}

} // namespace twinplane::platform
