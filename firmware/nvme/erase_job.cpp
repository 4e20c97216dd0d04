#include "firmware/nvme/erase_job.h"

namespace twinplane::fw {

namespace {
constexpr std::uint64_t kMostSectors = 1u << 30; // of one request
} // namespace

void EraseJob::boot(Services& services, IoCommands& io, std::uint16_t slot) {
  services_ = &services;
  io_ = &io;
  work_.slot = slot;
}

void EraseJob::start(Command& waiter) {
  waiter.phase = Phase::format;
  waiter_ = &waiter;
  next_ = 0;
  io_->refuse_all(nvme::status::format_in_progress);
  trim_next();
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
void EraseJob::trim_next() {
  const std::uint64_t all = services_->storage->exported_sectors();
  while (next_ < all) {
    const std::uint64_t left = all - next_;
    submit(RequestKind::trim, static_cast<std::uint32_t>(left < kMostSectors ? left : kMostSectors));
    if (!part_done_) return;
    if (work_.status != nvme::status::success) return end(work_.status);
  }
  submit(RequestKind::commit, 0);
  if (part_done_) end(work_.status);
}

void EraseJob::on_request_done(Command& command) {
  if (inside_submit_) {
    part_done_ = true;
  } else if (command.kind == RequestKind::commit || command.status != nvme::status::success) {
    end(command.status);
  } else {
    trim_next();
  }
}

void EraseJob::end(std::uint16_t status) {
  io_->refuse_all(nvme::status::success);
  Command& waiter = *waiter_;
  waiter_ = nullptr;
  services_->finish(waiter, status);
}

} // namespace twinplane::fw
