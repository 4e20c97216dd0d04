#include "hw/host_if/fetch_engine.h"

#include <algorithm>
#include <cstring>

namespace twinplane::hw {

void CommandRing::set_memory(std::uint8_t* dram, std::uint32_t bytes) {
  dram_ = dram;
  dram_bytes_ = bytes;
}

bool CommandRing::set_size(std::uint32_t entries) {
  const bool power_of_two = entries != 0 && (entries & (entries - 1)) == 0;
  if (!power_of_two || base_ + std::uint64_t{entries} * sizeof(CommandEntry) > dram_bytes_) return false;
  entries_ = reinterpret_cast<CommandEntry*>(dram_ + base_);
  mask_ = entries - 1;
  visible_at_.assign(entries, 0);
  return true;
}

bool CommandRing::append(TimePs visible_at) {
  const bool first_invisible = visible_ == tail_;
  last_visible_at_ = std::max(last_visible_at_, visible_at);
  visible_at_[tail_ & mask_] = last_visible_at_;
  ++tail_;
  return first_invisible;
}

std::uint32_t CommandRing::visible_tail(TimePs at) {
  while (visible_ != tail_ && visible_at_[visible_ & mask_] <= at) ++visible_;
  return visible_;
}

TimePs CommandRing::next_visible() const {
  return visible_ == tail_ ? kNever : visible_at_[visible_ & mask_];
}

TimePs FetchEngine::run(TimePs at) {
  due_ = kNever;
  TimePs notice = kNever;
  while (enabled_ && path_.queues.pending() != 0) {
    const std::uint32_t room = std::min(path_.slots.free(), path_.ring.room());
    starved_ = path_.slots.free() == 0;
    if (room == 0) break;
    const TimePs start = std::max(at, next_issue_);
    if (must_wait(at, start)) {
      due_ = start;
      break;
    }
    const QueueArbiter::Grant grant = choose();
    const SubmissionQueue& queue = path_.queues.sq(grant.sqid);
    const std::uint32_t contiguous = queue.entries - queue.head;
    const std::uint32_t count = std::min({grant.commands, queue.pending, room, contiguous});
    arbiter_.consume(count);
    notice = std::min(notice, fetch(grant.sqid, count, start));
  }
  return notice;
}

// A single queue needs no arbitration: its fetches may be booked ahead, but not without bound.
bool FetchEngine::must_wait(TimePs at, TimePs start) const {
  if (start == at) return false;
  const bool alone = path_.queues.sq(last_sqid_).pending == path_.queues.pending();
  return !alone || start > at + kBookAhead;
}

QueueArbiter::Grant FetchEngine::choose() {
  const std::uint32_t pending = path_.queues.sq(last_sqid_).pending;
  if (pending == path_.queues.pending()) return arbiter_.take_alone(last_sqid_);
  const QueueArbiter::Grant grant = arbiter_.pick(path_.queues);
  last_sqid_ = grant.sqid;
  return grant;
}

TimePs FetchEngine::fetch(std::uint32_t sqid, std::uint32_t count, TimePs start) {
  SubmissionQueue& queue = path_.queues.sq(sqid);
  const std::uint32_t bytes = count * static_cast<std::uint32_t>(sizeof(nvme::Sqe));
  const TimePs visible = path_.link.fetch(start, bytes);
  next_issue_ = start + path_.link.wire(bytes);
  TimePs notice = kNever;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t index = queue.head + i;
    CommandEntry& entry = path_.ring.next();
    if (!path_.host.read(queue.base + std::uint64_t{index} * sizeof(nvme::Sqe), entry.sqe, sizeof entry.sqe,
                         start)) {
      ++failed_;
      continue;
    }
    nvme::Sqe sqe;
    std::memcpy(&sqe, entry.sqe, sizeof sqe);
    const std::uint16_t number = path_.slots.take();
    Slot& slot = path_.slots[number];
    slot = Slot{};
    slot.state = SlotState::active;
    slot.sqid = static_cast<std::uint16_t>(sqid);
    slot.cqid = queue.cqid;
    slot.cid = sqe.cid;
    slot.fetched_at = visible;
    slot.prp1 = sqe.prp1;
    slot.prp2 = sqe.prp2;
    slot.data_bytes = command_data_bytes(sqe, sqid == 0, sector_size_);
    entry.slot = number;
    entry.sqid = slot.sqid;
    entry.queue_tag = queue.tag;
    entry.arrival_ps = queue.announced_at[index];
    if (path_.ring.append(visible)) notice = visible;
    ++fetched_;
  }
  path_.queues.fetched(queue, count);
  return notice;
}

} // namespace twinplane::hw
