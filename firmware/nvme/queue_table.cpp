#include "firmware/nvme/queue_table.h"

#include <new>

#include "hw/spec/registers.h"

namespace twinplane::fw {

namespace {

constexpr std::uint64_t kPageMask = 4095; // CC.MPS is 4 KiB
constexpr std::uint32_t kContiguous = 1u << 0;
constexpr std::uint32_t kInterruptsEnabled = 1u << 1;

std::uint16_t low16(std::uint32_t v) {
  return static_cast<std::uint16_t>(v & 0xFFFF);
}
std::uint16_t high16(std::uint32_t v) {
  return static_cast<std::uint16_t>(v >> 16);
}

} // namespace

const char* QueueTable::boot(Hal& hal, const NvmeConfig& config) {
  hal_ = &hal;
  config_ = &config;
  if (config.max_io_queues == 0 || config.max_io_queues > 65534) return "max_io_queues must be 1 to 65534";
  if (config.shadow_doorbells && config.max_io_queues > nvme::shadow::most_queues)
    return "shadow doorbells of max_io_queues must fit into a page: 511 at most";
  const std::size_t rows = config.max_io_queues + 1;
  sq_ = static_cast<SubmissionQueue*>(hal.boot_alloc(rows * sizeof(SubmissionQueue)));
  cq_ = static_cast<CompletionQueue*>(hal.boot_alloc(rows * sizeof(CompletionQueue)));
  if (sq_ == nullptr || cq_ == nullptr) return "out of memory for the queue table";
  for (std::size_t i = 0; i < rows; ++i) {
    new (&sq_[i]) SubmissionQueue;
    new (&cq_[i]) CompletionQueue;
  }
  grant(config.max_io_queues, config.max_io_queues);
  return nullptr;
}

void QueueTable::enable() {
  disable();
  grant(config_->max_io_queues, config_->max_io_queues);
  sq_[0].live = true;
  cq_[0].live = true;
  cq_[0].users = 1;
}

void QueueTable::disable() {
  for (std::uint32_t id = 0; id <= config_->max_io_queues; ++id) {
    sq_[id].live = false;
    cq_[id] = CompletionQueue{};
  }
}

void QueueTable::grant(std::uint32_t submission, std::uint32_t completion) {
  granted_sq_ = submission;
  granted_cq_ = completion;
}

bool QueueTable::any_io_queue() const {
  for (std::uint32_t id = 1; id <= config_->max_io_queues; ++id) {
    if (sq_[id].live || cq_[id].live) return true;
  }
  return false;
}

// The checks both kinds share, in the order of the figures of sections 5.3 and 5.4.
std::uint16_t QueueTable::check_creation(const nvme::Sqe& sqe, bool exists, std::uint32_t granted) const {
  const std::uint32_t id = low16(sqe.cdw10);
  const std::uint32_t entries = high16(sqe.cdw10) + 1u;
  if (id == 0 || id > granted || exists) return nvme::status::qid_invalid;
  if (entries < 2 || entries > config_->max_queue_entries) return nvme::status::queue_size;
  if ((sqe.cdw11 & kContiguous) == 0) return nvme::status::invalid_field; // CAP.CQR = 1
  if (sqe.prp1 == 0 || (sqe.prp1 & kPageMask) != 0) return nvme::status::prp_offset;
  return nvme::status::success;
}

std::uint16_t QueueTable::create_completion(const nvme::Sqe& sqe) {
  const std::uint16_t id = low16(sqe.cdw10);
  const bool exists = knows(id) && cq_[id].live;
  if (const auto status = check_creation(sqe, exists, granted_cq_); status != nvme::status::success)
    return status;
  const std::uint32_t vector = high16(sqe.cdw11);
  if (vector >= config_->interrupt_vectors) return nvme::status::interrupt_vector;
  mailbox_queue(sqe, 0, ((sqe.cdw11 & kInterruptsEnabled) != 0 ? 1u : 0u) | vector << 16);
  const std::uint16_t status = mailbox(reg::queue_op::create_cq, id);
  cq_[id] = CompletionQueue{status == nvme::status::success, 0};
  return status;
}

std::uint16_t QueueTable::create_submission(const nvme::Sqe& sqe) {
  const std::uint16_t id = low16(sqe.cdw10);
  const bool exists = knows(id) && (sq_[id].live || sq_[id].deletion != nullptr);
  if (const auto status = check_creation(sqe, exists, granted_sq_); status != nvme::status::success)
    return status;
  const std::uint16_t cqid = high16(sqe.cdw11);
  if (cqid == 0 || !knows(cqid)) return nvme::status::qid_invalid; // none for I/O, whatever is created
  if (!cq_[cqid].live) return nvme::status::cq_invalid;
  mailbox_queue(sqe, cqid, (sqe.cdw11 & 0x6) | std::uint32_t{sq_[id].tag} << 16);
  const std::uint16_t status = mailbox(reg::queue_op::create_sq, id);
  if (status != nvme::status::success) return status;
  sq_[id].live = true;
  sq_[id].cqid = cqid;
  ++cq_[cqid].users;
  return status;
}

std::uint16_t QueueTable::delete_completion(std::uint16_t id) {
  if (id == 0 || !knows(id) || !cq_[id].live) return nvme::status::qid_invalid;
  if (cq_[id].users != 0) return nvme::status::invalid_queue_deletion;
  const std::uint16_t status = mailbox(reg::queue_op::delete_cq, id);
  if (status == nvme::status::success) cq_[id].live = false;
  return status;
}

std::uint16_t QueueTable::delete_submission(std::uint16_t id) {
  if (id == 0 || !knows(id) || !sq_[id].live) return nvme::status::qid_invalid;
  const std::uint16_t status = mailbox(reg::queue_op::delete_sq, id);
  if (status != nvme::status::success) return status;
  sq_[id].live = false;
  ++sq_[id].tag; // commands still on their way to the ring belong to no queue of that id
  --cq_[sq_[id].cqid].users;
  return status;
}

// Each buffer is one page; an address that is none of a page is Invalid Field there, not PRP Offset Invalid.
std::uint16_t QueueTable::set_doorbell_buffers(const nvme::Sqe& sqe) {
  const auto is_page = [](std::uint64_t address) { return address != 0 && (address & kPageMask) == 0; };
  if (!is_page(sqe.prp1) || !is_page(sqe.prp2)) return nvme::status::invalid_field;
  mailbox_base(sqe.prp1);
  mailbox(reg::queue_op::shadow_doorbells, 0);
  mailbox_base(sqe.prp2);
  return mailbox(reg::queue_op::event_indices, 0);
}

void QueueTable::mailbox_base(std::uint64_t address) {
  hal_->mmio_write(reg::kHostBase + reg::host::queue_base_lo, static_cast<std::uint32_t>(address));
  hal_->mmio_write(reg::kHostBase + reg::host::queue_base_hi, static_cast<std::uint32_t>(address >> 32));
}

void QueueTable::mailbox_queue(const nvme::Sqe& sqe, std::uint32_t cqid, std::uint32_t flags) {
  mailbox_base(sqe.prp1);
  hal_->mmio_write(reg::kHostBase + reg::host::queue_entries, high16(sqe.cdw10) + 1u);
  hal_->mmio_write(reg::kHostBase + reg::host::queue_cq, cqid);
  hal_->mmio_write(reg::kHostBase + reg::host::queue_flags, flags);
}

std::uint16_t QueueTable::mailbox(std::uint32_t operation, std::uint32_t id) {
  hal_->mmio_write(reg::kHostBase + reg::host::queue_id, id);
  hal_->mmio_write(reg::kHostBase + reg::host::queue_command, operation);
  return low16(hal_->mmio_read(reg::kHostBase + reg::host::queue_result));
}

} // namespace twinplane::fw
