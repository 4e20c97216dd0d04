#include "hw/host_if/completion_poster.h"

#include <algorithm>
#include <cstring>

namespace twinplane::hw {

TimePs CompletionPoster::complete(std::uint16_t index, std::uint16_t status, std::uint32_t result,
                                  TimePs at) {
  Slot& slot = path_.slots[index];
  slot.held_status = status == nvme::status::success ? slot.error : status;
  if (slot.held_status == nvme::status::prp_offset) slot.held_status |= nvme::status::dnr; // it stays wrong
  slot.held_result = result;
  CompletionQueue& queue = path_.queues.cq(slot.cqid);
  if (!queue.exists || slot.unheard) { // a queue was deleted under the command: nobody to tell
    path_.slots.release(index);
    return at;
  }
  if (queue.held_first == kNoSlot && !queue.full()) return post(queue, index, at);
  ++held_;
  slot.state = SlotState::held;
  slot.next = kNoSlot;
  if (queue.held_first == kNoSlot) {
    queue.held_first = index;
  } else {
    path_.slots[queue.held_last].next = index;
  }
  queue.held_last = index;
  return at;
}

void CompletionPoster::on_head(std::uint32_t id, std::uint32_t head, TimePs at) {
  CompletionQueue& queue = path_.queues.cq(id);
  queue.head = head;
  while (queue.held_first != kNoSlot && !queue.full()) {
    const std::uint16_t index = queue.held_first;
    queue.held_first = path_.slots[index].next;
    post(queue, index, at);
  }
}

void CompletionPoster::drop_held(std::uint32_t id) {
  CompletionQueue& queue = path_.queues.cq(id);
  while (queue.held_first != kNoSlot) {
    const std::uint16_t index = queue.held_first;
    queue.held_first = path_.slots[index].next;
    path_.slots.release(index);
  }
}

// NVMe 1.4 section 5.6: commands of a deleted queue are completed implicitly, without an entry, unless their
// entry was posted before; none is posted after the entry of the delete command, which follows this call.
void CompletionPoster::silence(std::uint32_t id) {
  for (std::uint32_t i = 0; i < path_.slots.count(); ++i) {
    Slot& slot = path_.slots[i];
    if (slot.sqid == id && slot.state == SlotState::active) slot.unheard = true;
    if (slot.sqid == id && slot.state == SlotState::held) unhold(static_cast<std::uint16_t>(i));
  }
}

/// Takes a completion out of the middle of its queue's list and frees its slot.
void CompletionPoster::unhold(std::uint16_t index) {
  CompletionQueue& queue = path_.queues.cq(path_.slots[index].cqid);
  std::uint16_t before = kNoSlot;
  for (std::uint16_t i = queue.held_first; i != index; i = path_.slots[i].next) before = i;
  const std::uint16_t after = path_.slots[index].next;
  (before == kNoSlot ? queue.held_first : path_.slots[before].next) = after;
  if (queue.held_last == index) queue.held_last = before;
  path_.slots.release(index);
}

void CompletionPoster::on_written(const PostedWrite& write) {
  if (write.generation == 0 || !path_.queues.has_cq(write.cqid)) return;
  CompletionQueue& queue = path_.queues.cq(write.cqid);
  if (queue.generation != write.generation) return; // another queue of that number
  queue.visible_at[write.entry] = write.at;
  path_.interrupts.review_pin(write.at);
}

TimePs CompletionPoster::post(CompletionQueue& queue, std::uint16_t index, TimePs at) {
  const Slot& slot = path_.slots[index];
  nvme::Cqe entry;
  entry.result = slot.held_result;
  entry.sq_head = static_cast<std::uint16_t>(path_.queues.sq(slot.sqid).head);
  entry.sq_id = slot.sqid;
  entry.cid = slot.cid;
  entry.status = static_cast<std::uint16_t>(slot.held_status << 1 | queue.phase);

  const TimePs sent = path_.link.post(std::max(at, queue.last_post), sizeof entry);
  const TimePs visible = sent + path_.link.latency();
  queue.last_post = sent;
  PostedWrite write;
  write.address = queue.base + std::uint64_t{queue.tail} * sizeof entry;
  std::memcpy(write.data, &entry, sizeof entry);
  write.length = sizeof entry;
  write.at = visible;
  write.cqid = slot.cqid;
  write.entry = queue.tail;
  write.generation = queue.generation;
  queue.visible_at[queue.tail] = path_.host.post_entry(write) ? visible : kNever;
  if (++queue.tail == queue.entries) {
    queue.tail = 0;
    queue.phase ^= 1;
  }
  ++posted_;
  in_flight_time_ += sent - std::min(sent, slot.fetched_at);
  path_.interrupts.on_completion(queue, slot.cqid == 0, sent, visible);
  path_.slots.release(index);
  return sent;
}

} // namespace twinplane::hw
