#include "platform/host/drive_check.h"

#include <algorithm>
#include <utility>

#include "hw/core/kernel_time.h"

namespace twinplane::platform {

DriveCheck::DriveCheck(NvmeHost& host, HostClient& next, MayGoBack may_go_back)
    : host_(host), next_(next), may_go_back_(std::move(may_go_back)) {
  for (std::uint32_t i = 0; i < kOutstanding; ++i) free_[i] = i;
  host_.bind(*this);
}

void DriveCheck::on_ready() {
  ready_ = true;
  result_.ready_at = host_.now();
  if (host_.shadow() == nullptr) return finish();
  host_.shadow()->settle(may_go_back_());
  submit();
}

/// A failed command's next sector, or as much of the drive as a command can read. False: all has been
/// submitted.
bool DriveCheck::next_piece(Piece& piece) const {
  if (!failed_.empty()) {
    piece = {failed_.back().lba, 1};
    return true;
  }
  const std::uint64_t left = host_.capacity_sectors() - next_lba_;
  piece = {next_lba_, static_cast<std::uint32_t>(std::min<std::uint64_t>(host_.max_sectors(), left))};
  return left != 0;
}

void DriveCheck::submit() {
  Piece piece;
  while (outstanding_ < kOutstanding && next_piece(piece)) {
    HostCommand read;
    read.op = IoOp::read;
    read.lba = piece.lba;
    read.sectors = piece.sectors;
    read.cookie = free_[kOutstanding - 1 - outstanding_];
    if (!host_.submit(read)) return;
    pieces_[read.cookie] = piece;
    ++outstanding_;
    if (failed_.empty()) {
      next_lba_ += piece.sectors;
      continue;
    }
    Piece& rest = failed_.back();
    ++rest.lba;
    if (--rest.sectors == 0) failed_.pop_back();
  }
}

void DriveCheck::on_complete(const HostCompletion& completion) {
  const Piece piece = pieces_[completion.cookie];
  --outstanding_;
  free_[kOutstanding - 1 - outstanding_] = completion.cookie;
  result_.commands_failed = result_.commands_failed || completion.status != 0;
  if (completion.status != 0 && piece.sectors > 1) {
    failed_.push_back(piece);
    return;
  }
  result_.sectors += piece.sectors;
  if (completion.status != 0) ++result_.unreadable;
}

void DriveCheck::on_batch_end() {
  if (!ready_) return; // completions of the bring-up
  submit();
  if (outstanding_ == 0) finish();
}

void DriveCheck::finish() {
  result_.done_at = host_.now();
  if (Shadow* const shadow = host_.shadow()) {
    shadow->settled();
    result_.wrong = shadow->mismatches();
    result_.old_or_new = shadow->settled_sectors();
  }
  host_.bind(next_);
  next_.on_ready();
}

} // namespace twinplane::platform
