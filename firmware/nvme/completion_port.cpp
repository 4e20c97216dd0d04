#include "firmware/nvme/completion_port.h"

namespace twinplane::fw {

namespace {

// Do Not Retry (section 4.6.1): the same command would fail again.
constexpr bool retry_may_succeed(std::uint16_t status) {
  return status == nvme::status::abort_requested || status == nvme::status::aborted_sq_deletion ||
         status == nvme::status::internal_error || status == nvme::status::data_transfer_error ||
         status == nvme::status::namespace_not_ready || status == nvme::status::write_fault ||
         status == nvme::status::unrecovered_read;
}

// Outcomes that are no errors of the device or of the command.
constexpr bool worth_logging(std::uint16_t status) {
  return status != nvme::status::abort_requested && status != nvme::status::compare_failure;
}

} // namespace

std::uint16_t CompletionPort::record(const Command& command, std::uint16_t status) {
  if (status == nvme::status::write_fault || status == nvme::status::unrecovered_read)
    ++parts_.health->media_errors;
  if (!retry_may_succeed(status)) status = static_cast<std::uint16_t>(status | nvme::status::dnr);
  if (worth_logging(static_cast<std::uint16_t>(status & ~nvme::status::dnr))) {
    ErrorEntry entry;
    entry.sqid = command.sqid;
    entry.cid = command.sqe.cid;
    entry.status = static_cast<std::uint16_t>(status << 1);
    entry.lba = command.sqid == 0 ? 0 : command.lba;
    entry.nsid = command.sqe.nsid;
    parts_.errors->add(entry);
  }
  return status;
}

void CompletionPort::drop(std::uint16_t slot, SubmissionQueue& queue) {
  DmaDescriptor descriptor;
  descriptor.op = static_cast<std::uint8_t>(DmaOp::release);
  descriptor.slot = slot;
  parts_.host->post(descriptor);
  if (queue.in_flight != 0 || queue.deletion == nullptr) return;
  Command& deletion = *queue.deletion;
  queue.deletion = nullptr;
  finish(deletion, nvme::status::success);
}

} // namespace twinplane::fw
