#include "hw/host_if/completion_poster.h"

#include <algorithm>
#include <cstring>

namespace twinplane::hw {

TimePs CompletionPoster::complete(std::uint16_t index, std::uint16_t status, std::uint32_t result,
                                  TimePs at) {
  const Slot& slot = path_.slots[index];
  Completion completion{slot.sqid, slot.cid, status, result, slot.fetched_at, at};
  if (status == nvme::status::success) completion.status = slot.error;
  if (completion.status == nvme::status::prp_offset)
    completion.status |= nvme::status::dnr; // a retry would fail, too
  CompletionQueue& queue = path_.queues.cq(slot.cqid);
  const bool wanted = queue.exists && !slot.unwanted; // else a queue of the command has been deleted
  TimePs sent = at;
  if (wanted && queue.held.empty() && !queue.full()) {
    sent = post(slot.cqid, completion, at);
  } else if (wanted) {
    ++held_;
    path_.queues.hold(queue, completion);
    on_held_(slot.cqid, at);
  }
  path_.slots.release(index);
  if (observer_ != nullptr && completion.sqid != 0) {
    observer_->on_completed(index, completion.fetched_at, sent);
  }
  return sent;
}

void CompletionPoster::on_head(std::uint32_t id, std::uint32_t head, TimePs at) {
  CompletionQueue& queue = path_.queues.cq(id);
  queue.head = head;
  while (!queue.held.empty() && !queue.full()) {
    const Completion completion = path_.queues.take_held(queue);
    post(static_cast<std::uint16_t>(id), completion,
         std::max(at, completion.ready_at)); // the core may be ahead
  }
}

// NVMe 1.4 section 5.6: commands of a deleted queue are completed implicitly, without an entry, unless their
// entry was posted before; none is posted after the entry of the delete command, which follows this call.
void CompletionPoster::drop_completions_of(std::uint32_t id) {
  for (std::uint32_t i = 0; i < path_.slots.count(); ++i) {
    Slot& slot = path_.slots[i];
    if (slot.sqid == id && slot.state == SlotState::active) slot.unwanted = true;
  }
  path_.queues.drop_held_of(id);
}

void CompletionPoster::on_written(const PostedWrite& write) {
  if (write.generation == 0 || !path_.queues.has_cq(write.cqid)) return;
  CompletionQueue& queue = path_.queues.cq(write.cqid);
  if (queue.generation != write.generation) return; // another queue of that number
  queue.visible_at[write.entry] = write.at;
  path_.interrupts.review_pin(write.at);
}

/// A thread writes the entry: on_written() tells when it can be seen.
void CompletionPoster::post_later(CompletionQueue& queue, std::uint16_t cqid, const nvme::Cqe& entry,
                                  TimePs at) {
  PostedWrite write;
  write.address = queue.base + std::uint64_t{queue.tail} * sizeof entry;
  std::memcpy(write.data, &entry, sizeof entry);
  write.length = sizeof entry;
  write.at = at;
  write.cqid = cqid;
  write.entry = queue.tail;
  write.generation = queue.generation;
  queue.visible_at[queue.tail] = kNever;
  path_.host.post(write);
}

/// A completion in two calls would cost 30 instructions more.
[[gnu::always_inline]] inline TimePs CompletionPoster::post(std::uint16_t cqid, const Completion& completion,
                                                            TimePs at) {
  CompletionQueue& queue = path_.queues.cq(cqid);
  nvme::Cqe entry;
  entry.result = completion.result;
  entry.sq_head = static_cast<std::uint16_t>(path_.queues.sq(completion.sqid).head);
  entry.sq_id = completion.sqid;
  entry.cid = completion.cid;
  entry.status = static_cast<std::uint16_t>(completion.status << 1 | queue.phase);

  const TimePs sent = path_.link.post(std::max(at, queue.last_post), sizeof entry, entry_wire_);
  const TimePs visible = sent + path_.link.latency();
  queue.last_post = sent;
  const std::uint64_t address = queue.base + std::uint64_t{queue.tail} * sizeof entry;
  queue.visible_at[queue.tail] = visible;
  if (!path_.host.write_at_once(address, &entry, sizeof entry, visible)) {
    post_later(queue, cqid, entry, visible);
  }
  if (++queue.tail == queue.entries) {
    queue.tail = 0;
    queue.phase ^= 1;
  }
  ++posted_;
  in_flight_time_ += sent - std::min(sent, completion.fetched_at);
  path_.interrupts.on_completion(queue, cqid == 0, sent, visible);
  return sent;
}

} // namespace twinplane::hw
