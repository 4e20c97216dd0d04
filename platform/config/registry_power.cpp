// Section [power]: what the drive has when its supply fails.
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

void add_power_rows(Rows& rows) {
  rows.insert(rows.end(), {
                              {"power.hold_up", count(0, 1 << 24),
                               "pages that can still be programmed after the supply has failed, those under "
                               "way included; 0: no capacitor",
                               at<&Config::power, &PowerKeys::hold_up>},
                          });
}

} // namespace twinplane::platform::rows
