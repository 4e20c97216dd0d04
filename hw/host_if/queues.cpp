#include "hw/host_if/queues.h"

#include <algorithm>

namespace twinplane::hw {

namespace {
constexpr std::uint64_t kPageMask = 4095;
constexpr std::uint32_t kAdminEntries = 4096; // AQA allows the admin queues more than CAP.MQES
} // namespace

QueueSet::QueueSet(const QueueLimits& limits)
    : limits_(limits), sq_(limits.io_queues + 1), cq_(limits.io_queues + 1) {}

std::uint16_t QueueSet::check(const QueueRequest& request, bool exists) const {
  if (request.id >= sq_.size() || exists) return nvme::status::qid_invalid;
  const std::uint32_t largest = request.id == 0 ? kAdminEntries : limits_.max_entries;
  if (request.entries < 2 || request.entries > largest) return nvme::status::queue_size;
  if ((request.base & kPageMask) != 0) return nvme::status::prp_offset;
  return nvme::status::success;
}

std::uint16_t QueueSet::create_cq(const QueueRequest& request) {
  const std::uint16_t status = check(request, has_cq(request.id));
  if (status != nvme::status::success) return status;
  const std::uint32_t vector = request.flags >> 16;
  if (vector >= limits_.vectors) return nvme::status::interrupt_vector;
  CompletionQueue& queue = cq_[request.id];
  queue = CompletionQueue{};
  queue.exists = true;
  queue.generation = ++generation_;
  queue.interrupts = (request.flags & 1) != 0;
  queue.vector = static_cast<std::uint16_t>(vector);
  queue.entries = request.entries;
  queue.base = request.base;
  queue.visible_at.assign(request.entries, 0);
  return nvme::status::success;
}

std::uint16_t QueueSet::create_sq(const QueueRequest& request) {
  const std::uint16_t status = check(request, has_sq(request.id));
  if (status != nvme::status::success) return status;
  if (!has_cq(request.cqid) || (request.id != 0 && request.cqid == 0)) return nvme::status::cq_invalid;
  SubmissionQueue& queue = sq_[request.id];
  queue = SubmissionQueue{};
  queue.exists = true;
  queue.generation = ++generation_;
  queue.priority = request.id == 0 ? QueueClass::admin : static_cast<QueueClass>((request.flags >> 1) & 3);
  queue.cqid = static_cast<std::uint16_t>(request.cqid);
  queue.tag = static_cast<std::uint16_t>(request.flags >> 16);
  queue.entries = request.entries;
  queue.base = request.base;
  return nvme::status::success;
}

std::uint16_t QueueSet::check_delete_cq(std::uint32_t id) const {
  if (id == 0 || !has_cq(id)) return nvme::status::qid_invalid;
  for (const SubmissionQueue& queue : sq_) {
    if (queue.exists && queue.cqid == id) return nvme::status::invalid_queue_deletion;
  }
  return nvme::status::success;
}

std::uint16_t QueueSet::delete_sq(std::uint32_t id) {
  if (id == 0 || !has_sq(id)) return nvme::status::qid_invalid;
  pending_ -= sq_[id].pending;
  sq_[id] = SubmissionQueue{};
  return nvme::status::success;
}

void QueueSet::delete_cq(std::uint32_t id) {
  held_ -= static_cast<std::uint32_t>(cq_[id].held.size());
  cq_[id] = CompletionQueue{};
}

void QueueSet::hold(CompletionQueue& queue, const Completion& completion) {
  queue.held.push_back(completion);
  ++held_;
}

Completion QueueSet::take_held(CompletionQueue& queue) {
  const Completion completion = queue.held.front();
  queue.held.pop_front();
  --held_;
  return completion;
}

void QueueSet::drop_held_of(std::uint32_t sqid) {
  for (CompletionQueue& queue : cq_) {
    const auto kept =
        std::remove_if(queue.held.begin(), queue.held.end(),
                       [sqid](const Completion& completion) { return completion.sqid == sqid; });
    held_ -= static_cast<std::uint32_t>(queue.held.end() - kept);
    queue.held.erase(kept, queue.held.end());
  }
}

void QueueSet::reset() {
  held_ = 0;
  sq_.assign(sq_.size(), SubmissionQueue{});
  cq_.assign(cq_.size(), CompletionQueue{});
  pending_ = 0;
}

} // namespace twinplane::hw
