#include "platform/host/admin_queue.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace twinplane::platform {

namespace {
constexpr std::uint16_t kEventCid = 0x8000; // and up: asynchronous event requests
constexpr std::uint32_t kPage = 4096;
} // namespace

HostQueue& AdminQueue::place(HostMemory& memory) {
  queues_.clear();
  queues_.emplace_back(0, kEntries);
  const std::uint64_t sq = memory.allocate(kEntries * sizeof(nvme::Sqe));
  const std::uint64_t cq = memory.allocate(kEntries * sizeof(nvme::Cqe));
  queues_[0].place(sq, memory.pointer(sq), cq, memory.pointer(cq));
  buffer_ = memory.allocate(kPage);
  memory_ = memory.pointer(buffer_);
  return queues_[0];
}

nvme::Cqe AdminQueue::run(nvme::Sqe sqe, void* data, std::uint32_t bytes) {
  sqe.cid = ++cid_ & 0x7FFF;
  cid_ = sqe.cid;
  if (data != nullptr) {
    std::memcpy(memory_, data, bytes);
    sqe.prp1 = buffer_;
  }
  waiting_ = true;
  queues_[0].push(sqe);
  ring_();
  while (waiting_) HostTimer::wait_for(done_);
  if (data != nullptr) std::memcpy(data, memory_, bytes);
  return entry_;
}

std::uint32_t AdminQueue::require(const nvme::Sqe& sqe, const char* what, void* data, std::uint32_t bytes) {
  const nvme::Cqe entry = run(sqe, data, bytes);
  if (entry.status >> 1 == nvme::status::success) return entry.result;
  throw std::runtime_error(std::string("the drive refuses ") + what + " with status " +
                           std::to_string(entry.status >> 1));
}

void AdminQueue::request_events(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    nvme::Sqe sqe;
    sqe.opcode = nvme::admin::async_event;
    sqe.cid = static_cast<std::uint16_t>(kEventCid + i);
    queues_[0].push(sqe);
  }
  ring_();
}

void AdminQueue::take(const nvme::Cqe& entry) {
  if (entry.cid >= kEventCid) {
    ++events_;
    last_event_ = entry.result;
    if (entry.status >> 1 != nvme::status::success) return; // refused or aborted: do not ask again
    nvme::Sqe again;
    again.opcode = nvme::admin::async_event;
    again.cid = entry.cid;
    queues_[0].push(again);
  } else if (entry.cid == cid_) {
    entry_ = entry;
    waiting_ = false;
    timer_.notify(done_);
  }
}

} // namespace twinplane::platform
