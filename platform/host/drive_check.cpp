#include "platform/host/drive_check.h"

#include <algorithm>

#include "hw/core/kernel_time.h"

namespace twinplane::platform {

namespace {
constexpr std::uint32_t kOutstanding = 64;
}

DriveCheck::DriveCheck(NvmeHost& host, HostClient& next) : host_(host), next_(next) {
  host_.bind(*this);
}

void DriveCheck::on_ready() {
  ready_ = true;
  result_.ready_at = hw::kernel_now();
  if (host_.shadow() == nullptr) return finish();
  host_.shadow()->settle();
  submit();
}

void DriveCheck::submit() {
  while (outstanding_ < kOutstanding && next_lba_ < host_.capacity_sectors()) {
    HostCommand read;
    read.op = IoOp::read;
    read.lba = next_lba_;
    read.sectors = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(host_.max_sectors(), host_.capacity_sectors() - next_lba_));
    read.cookie = read.sectors;
    if (!host_.submit(read)) return;
    next_lba_ += read.sectors;
    ++outstanding_;
  }
}

void DriveCheck::on_complete(const HostCompletion& completion) {
  --outstanding_;
  result_.sectors += completion.cookie;
  if (completion.status != 0) result_.unreadable += completion.cookie;
}

void DriveCheck::on_batch_end() {
  if (!ready_) return; // completions of the bring-up
  submit();
  if (outstanding_ == 0) finish();
}

void DriveCheck::finish() {
  result_.done_at = hw::kernel_now();
  if (Shadow* const shadow = host_.shadow()) {
    shadow->settled();
    result_.wrong = shadow->mismatches();
    result_.old_or_new = shadow->settled_sectors();
  }
  host_.bind(next_);
  next_.on_ready();
}

} // namespace twinplane::platform
