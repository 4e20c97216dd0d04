#include "hw/pins/pin_drives.h"

#include <algorithm>

#include "hw/core/kernel_time.h"
#include "hw/pins/notify.h"

namespace twinplane::hw {

void PinDrives::later(Drive drive) {
  if (!drives_.empty()) drive.at = std::max(drive.at, drives_.back().at);
  drives_.push_back(drive);
  planned_ = drive;
  if (drives_.size() == 1) notify_at(event_, drive.at);
}

void PinDrives::release_earlier(TimePs at) {
  if (drives_.empty() || drives_.back().dq_driven) return;
  drives_.back().at = std::min(drives_.back().at, at);
  notify_at(event_, drives_.front().at);
}

void PinDrives::put() {
  const TimePs now = kernel_now();
  while (!drives_.empty() && drives_.front().at <= now) {
    const Drive& d = drives_.front();
    pins_.dq_nand.write(d.dq);
    pins_.dq_nand_oe.write(d.dq_driven);
    pins_.dqs_nand.write(d.dqs);
    pins_.dqs_nand_oe.write(d.dqs_driven);
    drives_.pop_front();
  }
  if (!drives_.empty()) notify_at(event_, drives_.front().at);
}

} // namespace twinplane::hw
