#include "firmware/nvme/erase_job.h"

#include <utility>

namespace twinplane::fw {

namespace {
constexpr std::uint64_t kMostSectors = 1u << 30; // of one request
} // namespace

void EraseJob::boot(Services& services, std::uint16_t slot) {
  services_ = &services;
  work_.slot = slot;
}

void EraseJob::start(bool erases) {
  erases_ = erases;
  busy_ = true;
  next_ = 0;
  work_.status = nvme::status::success;
  work_.kind = RequestKind::trim;
  go_on();
}

void EraseJob::submit(RequestKind kind, std::uint32_t sectors) {
  const std::uint16_t slot = work_.slot;
  static_cast<Request&>(work_) = Request{};
  work_.phase = Phase::erase_job;
  work_.kind = kind;
  work_.slot = slot;
  work_.lba = next_;
  work_.sectors = sectors;
  next_ += sectors;
  part_done_ = false;
  inside_submit_ = true;
  services_->storage->submit(work_);
  inside_submit_ = false;
}

/// The backend may finish a part inside submit().
void EraseJob::go_on() {
  while (work_.status == nvme::status::success && begin_next()) {
    if (!part_done_) return;
  }
  busy_ = false;
  ended_ = true;
}

/// False: that was all.
bool EraseJob::begin_next() {
  const std::uint64_t left = services_->storage->exported_sectors() - next_;
  if (left != 0) {
    submit(RequestKind::trim, static_cast<std::uint32_t>(left < kMostSectors ? left : kMostSectors));
  } else if (work_.kind == RequestKind::trim) {
    submit(RequestKind::commit, 0);
  } else if (work_.kind == RequestKind::commit && erases_) {
    submit(RequestKind::purge, 0);
  } else {
    return false;
  }
  return true;
}

void EraseJob::on_request_done(Command& /*command*/) {
  if (inside_submit_) {
    part_done_ = true;
  } else {
    go_on();
  }
}

bool EraseJob::take_end(std::uint16_t& status) {
  status = work_.status;
  return std::exchange(ended_, false);
}

} // namespace twinplane::fw
