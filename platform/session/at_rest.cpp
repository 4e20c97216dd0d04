#include "platform/session/at_rest.h"

namespace twinplane::platform {

namespace {
const sc_core::sc_time kInterval(100, sc_core::SC_US);
}

AtRest::AtRest(const sc_core::sc_module_name& name, Ssd& ssd) : sc_module(name), ssd_(ssd) {
  SC_HAS_PROCESS(AtRest);
  SC_METHOD(look);
  sensitive << look_;
  dont_initialize();
}

void AtRest::look() {
  if (ssd_.firmware().window().rest()) return sc_core::sc_stop();
  look_.notify(kInterval);
}

} // namespace twinplane::platform
