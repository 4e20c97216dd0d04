#include "firmware/nvme/sanitize.h"

#include <utility>

#include "firmware/nvme/little_endian.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kExitFailure = 1, kBlockErase = 2; // CDW10 bits 2:0
constexpr std::uint32_t kUnrestricted = 1u << 3;           // AUSE
constexpr std::uint32_t kNoDeallocate = 1u << 9;           // NDAS

} // namespace

void Sanitize::boot(const Parts& parts, std::uint16_t slot) {
  parts_ = parts;
  work_.slot = slot;
}

std::uint16_t Sanitize::refusal() const {
  if (state() == in_progress) return nvme::status::sanitize_in_progress;
  return state() == failed ? nvme::status::sanitize_failed : nvme::status::success;
}

/// The failure of an operation that was to be restricted is left by another such operation alone. What has
/// been erased is deallocated (SANICAP.NDI).
std::uint16_t Sanitize::check(std::uint32_t cdw10) const {
  if (state() == in_progress) return nvme::status::sanitize_in_progress;
  const std::uint32_t action = cdw10 & 7;
  const bool unrestricted = (cdw10 & kUnrestricted) != 0 || action == kExitFailure;
  const bool restricted = state() == failed && (parts_.services->health.sanitize_cdw10 & kUnrestricted) == 0;
  if (action != kExitFailure && (action != kBlockErase || (cdw10 & kNoDeallocate) != 0))
    return nvme::status::invalid_field;
  return restricted && unrestricted ? nvme::status::sanitize_failed : nvme::status::success;
}

void Sanitize::execute(Command& command) {
  Services& s = *parts_.services;
  const std::uint32_t cdw10 = command.sqe.cdw10;
  const std::uint16_t status = check(cdw10);
  if (status != nvme::status::success || (cdw10 & 7) == kExitFailure) {
    if (status == nvme::status::success && state() == failed) keep(failure_left);
    return s.finish(command, status);
  }
  s.health.sanitize_cdw10 = cdw10;
  s.events.withdraw(EventType::command_set);
  tells_ = false;
  parts_.self_test->end(SelfTest::Result::sanitized);
  parts_.io->end_waiting(nvme::status::sanitize_in_progress);
  command.phase = Phase::sanitize;
  waiter_ = &command;
  keep(in_progress);
}

/// Whatever is restricted is so from now on, and in the next life.
void Sanitize::keep(State state) {
  parts_.services->health.sanitize_state = state;
  parts_.io->refuse_all(refusal());
  parts_.services->storage->record_changed();
  if (work_.phase == Phase::record) {
    keep_again_ = true;
  } else {
    commit();
  }
}

void Sanitize::commit() {
  const std::uint16_t slot = work_.slot;
  static_cast<Request&>(work_) = Request{};
  work_.phase = Phase::record;
  work_.kind = RequestKind::commit;
  work_.slot = slot;
  parts_.services->storage->submit(work_);
}

void Sanitize::on_request_done() {
  Services& s = *parts_.services;
  work_.phase = Phase::idle;
  if (std::exchange(keep_again_, false)) return commit();
  if (std::exchange(tells_, false))
    s.events.report(EventType::command_set, event_info::sanitize_completed, log_id::sanitize);
  if (state() != in_progress) return;
  if (Command* const waiter = std::exchange(waiter_, nullptr)) s.finish(*waiter, nvme::status::success);
  erasing_ = true;
  parts_.erase->start(true);
}

void Sanitize::on_erased(std::uint16_t status) {
  erasing_ = false;
  tells_ = true;
  const bool good = status == nvme::status::success;
  if (good) parts_.services->health.sanitized_at = parts_.services->health.changes();
  if (good) parts_.io->forget_data();
  keep(good ? completed : failed);
}

void Sanitize::recall() {
  parts_.io->refuse_all(refusal());
  if (state() != in_progress) return;
  erasing_ = true;
  parts_.erase->start(true);
}

void Sanitize::reset() {
  if (Command* const waiter = std::exchange(waiter_, nullptr))
    parts_.services->finish(*waiter, nvme::status::abort_requested);
}

// Figure 236; no time is estimated.
void Sanitize::write_page(std::uint8_t* page) const {
  const DriveRecord& record = parts_.services->health;
  constexpr std::uint16_t kNothingGoesOn = 0xFFFF, kNothingWritten = 1u << 8;
  constexpr std::uint32_t kNoEstimate = 0xFFFF'FFFF;
  const bool unwritten =
      record.sanitized_at == record.changes() && parts_.services->storage->statistics().valid_pages == 0;
  put(page, 0, state() == in_progress ? parts_.erase->progress() : kNothingGoesOn);
  put(page, 2, static_cast<std::uint16_t>((state() & 7) | (unwritten ? kNothingWritten : 0u)));
  put(page, 4, record.sanitize_cdw10);
  for (std::uint32_t offset = 8; offset < 32; offset += 4) put(page, offset, kNoEstimate);
}

} // namespace twinplane::fw
