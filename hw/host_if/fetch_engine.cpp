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

TimePs FetchEngine::run(TimePs at) {
  due_ = kNever;
  TimePs notice = kNever;
  while (enabled_ && !open_.open && path_.queues.pending() != 0) {
    const std::uint32_t slots = slots_for_all();
    starved_ = slots == 0;
    const bool admin_alone = starved_ && admin_has_a_slot();
    const std::uint32_t room = std::min(admin_alone ? path_.slots.free() : slots, path_.ring.room());
    if (room == 0) break;
    const TimePs start = std::max(at, next_issue_);
    if (must_wait(at, start)) {
      due_ = start;
      break;
    }
    const QueueArbiter::Grant grant = admin_alone ? arbiter_.take_alone(0) : choose();
    const SubmissionQueue& queue = path_.queues.sq(grant.sqid);
    const std::uint32_t contiguous = queue.entries - queue.head;
    const std::uint32_t wanted = std::min(grant.commands, queue.pending);
    const std::uint32_t count = std::min(wanted, std::min(room, contiguous));
    arbiter_.consume(count);
    notice = std::min(notice, fetch(grant.sqid, count, start));
  }
  return notice;
}

// Commands whose completions wait for the host are still the drive's: a host that takes none of them must not
// be able to send ever more.
inline std::uint32_t FetchEngine::slots_for_all() const {
  const std::uint32_t free = path_.slots.free();
  const std::uint32_t held = path_.queues.held();
  return free > held ? free - held : 0;
}

/// But they must not keep the admin commands out that would delete their queue, or abort.
bool FetchEngine::admin_has_a_slot() const {
  return path_.slots.free() != 0 && path_.queues.sq(0).pending != 0 && path_.queues.cq(0).held.empty();
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

inline TimePs FetchEngine::fetch(std::uint32_t sqid, std::uint32_t count, TimePs start) {
  const SubmissionQueue& queue = path_.queues.sq(sqid);
  const std::uint32_t bytes = count * static_cast<std::uint32_t>(sizeof(nvme::Sqe));
  const TimePs wire = path_.link.wire(bytes);
  const TimePs visible = path_.link.fetch(start, bytes, wire);
  next_issue_ = start + wire;
  const std::uint64_t address = queue.base + std::uint64_t{queue.head} * sizeof(nvme::Sqe);
  if (!path_.host.is_at_once(address, bytes)) {
    open_ = Burst{true, sqid, queue.generation, count, address, start, visible};
    path_.host.notify(open_event_, sc_core::SC_ZERO_TIME);
    return kNever;
  }
  TimePs notice = kNever;
  HostCall call{start};
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint8_t* const place = path_.ring.next().sqe;
    if (path_.host.read(address + i * sizeof(nvme::Sqe), place, sizeof(nvme::Sqe), call) != HostAnswer::ok) {
      break_down();
      break;
    }
    if (accept(sqid, visible)) notice = visible;
  }
  return notice;
}

/// The next entry of the queue lies in the command ring's next place. True when it needs an interrupt.
inline bool FetchEngine::accept(std::uint32_t sqid, TimePs visible) {
  SubmissionQueue& queue = path_.queues.sq(sqid);
  CommandEntry& entry = path_.ring.next();
  const nvme::Sqe& sqe = *reinterpret_cast<const nvme::Sqe*>(entry.sqe);
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
  ++fetched_;
  path_.queues.fetched(queue, 1);
  if (observer_ != nullptr && sqid != 0) observer_->on_fetched(number, visible);
  return path_.ring.append(visible);
}

void FetchEngine::break_down() {
  broken_ = true;
  enabled_ = false;
}

// The queue may have gone, and a controller reset may have come and passed, while the host took its time:
// then the entries are not wanted.
void FetchEngine::serve() {
  for (;;) {
    if (!open_.open) {
      sc_core::wait(open_event_);
      continue;
    }
    burst_.resize(open_.count * sizeof(nvme::Sqe));
    HostCall call{open_.start, true};
    const auto bytes = static_cast<std::uint32_t>(burst_.size());
    const HostAnswer answer = path_.host.read(open_.address, burst_.data(), bytes, call);
    const Burst burst = open_;
    open_ = Burst{};
    const bool wanted = enabled_ && path_.queues.has_sq(burst.sqid) &&
                        path_.queues.sq(burst.sqid).generation == burst.generation;
    TimePs notice = kNever;
    const TimePs visible = std::max(burst.visible, call.answered);
    for (std::uint32_t i = 0; wanted && answer == HostAnswer::ok && i < burst.count; ++i) {
      std::memcpy(path_.ring.next().sqe, burst_.data() + i * sizeof(nvme::Sqe), sizeof(nvme::Sqe));
      if (accept(burst.sqid, visible)) notice = visible;
    }
    if (wanted && answer != HostAnswer::ok) break_down();
    on_fetched_(notice);
  }
}

} // namespace twinplane::hw
