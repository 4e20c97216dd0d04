#include "platform/pci_host/nvme_watch.h"

#include <algorithm>
#include <cstring>

namespace twinplane::platform {

namespace {

constexpr std::uint64_t kSqe = sizeof(nvme::Sqe);
constexpr std::uint64_t kCqe = sizeof(nvme::Cqe);
constexpr std::uint8_t kVerify = 0x0C;
constexpr std::uint32_t kMostQueueId = (nvme::bar::msix_table - nvme::bar::doorbells) / 8;

/// The report knows four kinds: what reads data from the medium is a read, what changes it a write.
IoOp kind_of(std::uint8_t opcode) {
  switch (opcode) {
    case nvme::io::flush:
      return IoOp::flush;
    case nvme::io::read:
    case nvme::io::compare:
    case kVerify:
      return IoOp::read;
    case nvme::io::dataset_management:
      return IoOp::trim;
    default:
      return IoOp::write;
  }
}

bool moves_data(std::uint8_t opcode) {
  return opcode == nvme::io::read || opcode == nvme::io::write || opcode == nvme::io::compare;
}

bool manages_queues(std::uint8_t opcode) {
  return opcode == nvme::admin::create_sq || opcode == nvme::admin::create_cq ||
         opcode == nvme::admin::delete_sq || opcode == nvme::admin::delete_cq ||
         opcode == nvme::admin::doorbell_buffers;
}

} // namespace

void NvmeWatch::register_write(std::uint32_t offset, std::uint32_t value, TimePs at) {
  const std::uint64_t wide = value;
  if (offset == nvme::bar::cc) return write_cc(value, at);
  if (offset == nvme::bar::aqa) aqa_ = value;
  if (offset == nvme::bar::asq) asq_ = (asq_ >> 32 << 32) | wide;
  if (offset == nvme::bar::asq + 4) asq_ = (asq_ & 0xFFFF'FFFF) | wide << 32;
  if (offset == nvme::bar::acq) acq_ = (acq_ >> 32 << 32) | wide;
  if (offset == nvme::bar::acq + 4) acq_ = (acq_ & 0xFFFF'FFFF) | wide << 32;
  if (offset < nvme::bar::doorbells || offset % 8 != 0) return;
  const std::uint32_t id = (offset - nvme::bar::doorbells) / 8;
  if (id < kMostQueueId) ring(static_cast<std::uint16_t>(id), value, at);
}

void NvmeWatch::write_cc(std::uint32_t value, TimePs at) {
  const bool was = (cc_ & nvme::cc::en) != 0;
  const bool is = (value & nvme::cc::en) != 0;
  cc_ = value;
  if (was && !is) give_up_all(at);
  if (was || !is) return;
  Sq admin;
  admin.base = asq_;
  admin.rung.assign((aqa_ & 0xFFF) + 1, kNever);
  sqs_[0] = admin;
  cqs_[0] = Cq{acq_, (aqa_ >> 16 & 0xFFF) + 1};
}

void NvmeWatch::ring(std::uint16_t sqid, std::uint32_t tail, TimePs at) {
  if (shadow_doorbells_ && sqid != 0) return;
  const auto found = sqs_.find(sqid);
  if (found == sqs_.end() || tail >= found->second.rung.size()) return;
  Sq& queue = found->second;
  while (queue.tail != tail) {
    if (queue.rung[queue.tail] == kNever && sqid != 0) {
      ++rung_;
      listener_.on_rung(at);
    }
    queue.rung[queue.tail] = at;
    if (++queue.tail == queue.rung.size()) queue.tail = 0;
  }
}

void NvmeWatch::memory_read(std::uint64_t address, const void* data, std::uint64_t length, TimePs at) {
  if (length % kSqe != 0) return;
  for (auto& [id, queue] : sqs_) {
    if (address < queue.base || (address - queue.base) % kSqe != 0) continue;
    const std::uint64_t first = (address - queue.base) / kSqe;
    if (first + length / kSqe > queue.rung.size()) continue;
    for (std::uint64_t i = 0; i < length / kSqe; ++i) {
      TimePs& rung = queue.rung[first + i];
      if (rung == kNever && !(shadow_doorbells_ && id != 0)) continue;
      nvme::Sqe sqe;
      std::memcpy(&sqe, static_cast<const std::uint8_t*>(data) + i * kSqe, sizeof sqe);
      fetched(id, std::exchange(rung, kNever), sqe, at);
    }
    return;
  }
}

void NvmeWatch::fetched(std::uint16_t sqid, TimePs rung, const nvme::Sqe& sqe, TimePs at) {
  if (sqid == 0) {
    if (manages_queues(sqe.opcode)) queue_commands_[sqe.cid] = sqe;
    return;
  }
  if (rung == kNever) {
    rung = at;
    listener_.on_rung(at);
  } else {
    --rung_;
  }
  GuestRequest& request = requests_[{sqid, sqe.cid}];
  if (request.rung != 0) listener_.on_given_up(request.rung, at); // a second one of that name
  request = {};
  request.op = kind_of(sqe.opcode);
  request.opcode = sqe.opcode;
  request.sqid = sqid;
  request.cid = sqe.cid;
  request.rung = rung;
  if (request.op == IoOp::flush || request.op == IoOp::trim) return;
  request.lba = sqe.cdw10 | std::uint64_t{sqe.cdw11} << 32;
  if (moves_data(sqe.opcode)) request.sectors = (sqe.cdw12 & 0xFFFF) + 1;
}

void NvmeWatch::memory_written(std::uint64_t address, const void* data, std::uint64_t length, TimePs at) {
  if (length != kCqe) return;
  for (const auto& [id, queue] : cqs_) {
    if (address < queue.base || (address - queue.base) / kCqe >= queue.entries) continue;
    if ((address - queue.base) % kCqe != 0) continue;
    nvme::Cqe entry;
    std::memcpy(&entry, data, sizeof entry);
    return completed(entry, at);
  }
}

void NvmeWatch::completed(const nvme::Cqe& entry, TimePs at) {
  if (entry.sq_id == 0) {
    const auto found = queue_commands_.find(entry.cid);
    if (found == queue_commands_.end()) return;
    const nvme::Sqe sqe = found->second;
    queue_commands_.erase(found);
    if (entry.status >> 1 == nvme::status::success) queue_command_done(sqe, at);
    return;
  }
  const auto found = requests_.find({entry.sq_id, entry.cid});
  if (found == requests_.end()) return;
  GuestRequest request = found->second;
  requests_.erase(found);
  request.status = static_cast<std::uint16_t>(entry.status >> 1);
  request.completed = at;
  listener_.on_finished(request);
}

void NvmeWatch::queue_command_done(const nvme::Sqe& sqe, TimePs at) {
  const auto id = static_cast<std::uint16_t>(sqe.cdw10);
  const std::uint32_t entries = (sqe.cdw10 >> 16) + 1;
  if (sqe.opcode == nvme::admin::doorbell_buffers) {
    shadow_doorbells_ = true;
  } else if (sqe.opcode == nvme::admin::create_cq) {
    cqs_[id] = Cq{sqe.prp1, entries};
  } else if (sqe.opcode == nvme::admin::create_sq) {
    Sq queue;
    queue.base = sqe.prp1;
    queue.cqid = static_cast<std::uint16_t>(sqe.cdw11 >> 16);
    queue.rung.assign(entries, kNever);
    sqs_[id] = queue;
  } else if (sqe.opcode == nvme::admin::delete_cq) {
    cqs_.erase(id);
  } else {
    drop_queue(id, at);
  }
}

void NvmeWatch::drop_queue(std::uint16_t sqid, TimePs now) {
  const auto found = sqs_.find(sqid);
  if (found == sqs_.end()) return;
  for (const TimePs rung : found->second.rung) {
    if (rung == kNever) continue;
    --rung_;
    listener_.on_given_up(rung, now);
  }
  sqs_.erase(found);
  const auto first = requests_.lower_bound({sqid, 0});
  const auto last = requests_.upper_bound({sqid, 0xFFFF});
  for (auto r = first; r != last; ++r) listener_.on_given_up(r->second.rung, now);
  requests_.erase(first, last);
}

void NvmeWatch::reset(TimePs now) {
  give_up_all(now);
  cc_ = aqa_ = 0;
  asq_ = acq_ = 0;
}

/// With the controller its queues are gone.
void NvmeWatch::give_up_all(TimePs now) {
  while (!sqs_.empty()) {
    const std::uint16_t id = sqs_.rbegin()->first;
    if (id == 0) break;
    drop_queue(id, now);
  }
  sqs_.clear();
  cqs_.clear();
  queue_commands_.clear();
  shadow_doorbells_ = false;
}

} // namespace twinplane::platform
