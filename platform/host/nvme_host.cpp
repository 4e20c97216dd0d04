// NvmeHost: the I/O path.
#include "platform/host/nvme_host.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace twinplane::platform {

namespace {

constexpr std::uint64_t kMessageWindow = 0xFEE0'0000; // MSI-X messages: 4-byte writes of the vector number
constexpr std::uint64_t kMessageWindowSize = 0x1000;
constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kNamespace = 1;
constexpr std::uint32_t kForceUnitAccess = 1u << 30; // CDW12

std::uint8_t opcode_of(IoOp op) {
  switch (op) {
    case IoOp::read:
      return nvme::io::read;
    case IoOp::write:
      return nvme::io::write;
    case IoOp::trim:
      return nvme::io::dataset_management;
    case IoOp::flush:
      return nvme::io::flush;
  }
  return nvme::io::flush;
}

} // namespace

NvmeHost::~NvmeHost() = default;

void NvmeHost::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (address >= kMessageWindow && address < kMessageWindow + kMessageWindowSize) {
    if (payload.is_write() && payload.get_data_length() == 4) {
      on_message(hw::word_of(payload), hw::time_at(delay));
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    } else {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    return;
  }
  memory_->access(payload);
}

unsigned NvmeHost::transport_dbg(tlm::tlm_generic_payload& payload) {
  memory_->access(payload);
  return payload.get_data_length();
}

bool NvmeHost::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return memory_->direct(payload.get_address(), dmi);
}

/// An interrupt message.
bool NvmeHost::write32(std::uint64_t address, std::uint32_t value, TimePs& at) {
  if (!timer_.acts_with_drive() || address < kMessageWindow || address >= kMessageWindow + kMessageWindowSize)
    return false;
  on_message(value, at);
  return true;
}

void NvmeHost::on_message(std::uint32_t vector, TimePs at) {
  ++statistics_.interrupts;
  if (vector >= queues_.size()) return;
  queues_[vector].announce(at);
  timer_.call_at(at);
}

void NvmeHost::on_interrupt() {
  if (lost_) return;
  ++statistics_.activations;
  const TimePs now = this->now();
  TimePs next = kNever;
  for (HostQueue& queue : queues_) {
    const std::uint32_t before = queue.cq_head;
    while (queue.next_notice() <= now) {
      const HostQueue::Notice notice = queue.take_notice();
      while (queue.taken != notice.upto) complete(queue, queue.pop(), now);
    }
    if (queue.cq_head != before) tell(nvme::shadow::cq_head(queue.id), queue.entries, before, queue.cq_head);
    next = std::min(next, queue.next_notice());
  }
  client_->on_batch_end();
  ring_doorbells();
  timer_.call_at(next);
}

void NvmeHost::complete(HostQueue& queue, const nvme::Cqe& entry, TimePs at) {
  if (queue.id == 0) {
    admin_.take(entry);
    statistics_.async_events = admin_.events();
    return;
  }
  Tag& tag = tags_[entry.cid];
  HostCompletion completion;
  completion.cookie = tag.command.cookie;
  completion.sqid = entry.sq_id;
  completion.cid = entry.cid;
  completion.status = static_cast<std::uint16_t>(entry.status >> 1);
  completion.op = tag.command.op;
  completion.submitted = tag.submitted;
  completion.completed = at;
  after_completion(entry.cid, tag, completion.status == nvme::status::success);
  ++statistics_.completed;
  statistics_.failed += completion.status == nvme::status::success ? 0 : 1;
  statistics_.latency_sum += at - tag.submitted;
  --outstanding_;
  tag.next_free = static_cast<std::uint16_t>(first_free_);
  first_free_ = entry.cid;
  ++free_tags_;
  client_->on_complete(completion);
}

void NvmeHost::share_queues(std::uint32_t shares) {
  next_queue_.resize(shares);
  std::iota(next_queue_.begin(), next_queue_.end(), 1u);
}

/// Queue q belongs to the share (q - 1) % shares.
HostQueue* NvmeHost::queue_with_room(std::uint32_t share) {
  const auto count = static_cast<std::uint32_t>(queues_.size());
  const auto shares = static_cast<std::uint32_t>(next_queue_.size());
  std::uint32_t& next = next_queue_[share];
  for (std::uint32_t i = 1 + share; i < count; i += shares) {
    HostQueue& queue = queues_[next];
    next += shares;
    if (next >= count) next = 1 + share;
    if (!queue.full()) return &queue;
  }
  return nullptr;
}

bool NvmeHost::submit(const HostCommand& command) {
  if (free_tags_ == 0) return false;
  HostQueue* queue = queue_with_room(command.share);
  if (queue == nullptr) return false;
  const auto number = static_cast<std::uint16_t>(first_free_);
  Tag& tag = tags_[number];
  first_free_ = tag.next_free;
  --free_tags_;
  tag.command = command;
  tag.queue = queue->id;
  tag.submitted = now();
  before_submission(number, tag);
  fill(queue->next(), number, tag);
  queue->push();
  ++statistics_.submitted;
  ++outstanding_;
  return true;
}

void NvmeHost::ring_doorbells() {
  for (HostQueue& queue : queues_) {
    if (!queue.has_news()) continue;
    const std::uint32_t before = queue.rung;
    queue.rung = queue.tail;
    tell(nvme::shadow::sq_tail(queue.id), queue.entries, before, queue.tail);
  }
}

/// A doorbell of a queue of `entries` goes from `old` to `value`: in memory, then, as EventIdx says, in its
/// register (NVMe 1.4 section 7.13). The admin queues' are always written.
inline void NvmeHost::tell(std::uint32_t doorbell, std::uint32_t entries, std::uint32_t old,
                           std::uint32_t value) {
  if (doorbells_ != nullptr && doorbell > 1) {
    doorbells_[doorbell] = value;
    if (!nvme::shadow::passes(events_[doorbell], old, value, entries)) return;
  }
  write32(nvme::bar::doorbells + 4 * doorbell, value);
}

void NvmeHost::fill(nvme::Sqe& sqe, std::uint16_t number, Tag& tag) {
  const HostCommand& command = tag.command;
  sqe = {};
  sqe.opcode = opcode_of(command.op);
  sqe.cid = number;
  sqe.nsid = kNamespace;
  if (command.op == IoOp::trim) {
    nvme::DsmRange range;
    range.blocks = command.sectors;
    range.slba = command.lba;
    std::memcpy(tag.data, &range, sizeof range);
    sqe.prp1 = tag.buffer;
    sqe.cdw10 = 0;      // one range
    sqe.cdw11 = 1 << 2; // AD: deallocate
  } else if (command.op != IoOp::flush) {
    point_at_data(sqe, tag, command.sectors * sector_size_);
    sqe.cdw10 = static_cast<std::uint32_t>(command.lba);
    sqe.cdw11 = static_cast<std::uint32_t>(command.lba >> 32);
    sqe.cdw12 = (command.sectors - 1) | (command.fua ? kForceUnitAccess : 0);
    sqe.cdw13 = std::uint32_t{command.access_latency} << 4;
  }
}

void NvmeHost::point_at_data(nvme::Sqe& sqe, const Tag& tag, std::uint32_t bytes) const {
  sqe.prp1 = tag.buffer;
  if (bytes > 2 * kPage) {
    sqe.prp2 = tag.list;
  } else if (bytes > kPage) {
    sqe.prp2 = tag.buffer + kPage;
  }
}

void NvmeHost::before_submission(std::uint16_t number, Tag& tag) {
  if (shadow_ == nullptr) return;
  const HostCommand& command = tag.command;
  std::uint8_t* data = tag.data;
  if (command.op == IoOp::write) {
    shadow_->begin_writes(command.lba, command.sectors, data, sector_size_);
  } else if (command.op == IoOp::read) {
    const SectorTag poison{~std::uint64_t{0}, ~std::uint64_t{0}}; // data that never arrives must not verify
    std::uint32_t* before = snapshots(number);
    for (std::uint32_t i = 0; i < command.sectors; ++i, data += sector_size_) {
      before[i] = shadow_->snapshot(command.lba + i);
      std::memcpy(data, &poison, sizeof poison);
    }
  } else if (command.op == IoOp::trim) {
    shadow_->begin_trim(command.lba, command.sectors);
  } else {
    tag.flush_mark = shadow_->flush_mark();
  }
}

void NvmeHost::after_completion(std::uint16_t number, Tag& tag, bool succeeded) {
  if (shadow_ == nullptr) return;
  const HostCommand& command = tag.command;
  if (command.op == IoOp::write) {
    shadow_->end_writes(command.lba, command.sectors, succeeded, command.fua);
  } else if (command.op == IoOp::read && succeeded) {
    const std::uint8_t* data = tag.data;
    const std::uint32_t* before = snapshots(number);
    for (std::uint32_t i = 0; i < command.sectors; ++i, data += sector_size_) {
      SectorTag found;
      std::memcpy(&found, data, sizeof found);
      shadow_->check(command.lba + i, before[i], found);
    }
  } else if (command.op == IoOp::trim) {
    shadow_->end_trim(command.lba, command.sectors, succeeded);
  } else if (command.op == IoOp::flush && succeeded) {
    shadow_->end_flush(tag.flush_mark);
  }
}

void NvmeHost::power_lost(bool trims_kept) {
  lost_ = true;
  if (shadow_ != nullptr) shadow_->cut(trims_kept);
}

void NvmeHost::serialise(StateVisitor& state) {
  state.section("host");
  std::uint64_t capacity = shadow_ == nullptr ? 0 : shadow_->sectors();
  bool any = shadow_ != nullptr;
  state.value(capacity);
  state.value(any);
  state.value(foreign_);
  state.value(filled_sectors_);
  state.value(page_sectors_);
  state.require(page_sectors_ != 0, "it is damaged (pages of no sectors)");
  std::uint64_t pages = filled_pages_.size();
  state.value(pages);
  if (state.loading()) filled_pages_.clear();
  for (std::uint64_t p = 0; p < pages; ++p) { // one by one: nothing says that the number is true
    std::uint8_t filled = !state.loading() && filled_pages_[p] ? 1 : 0;
    state.value(filled);
    if (state.loading()) filled_pages_.push_back(filled != 0);
  }
  if (!any) return;
  constexpr std::uint64_t kMostSectors = std::uint64_t{1} << 40;
  if (capacity > kMostSectors) return state.refuse("it is damaged (more sectors than any drive has)");
  if (state.loading()) shadow_ = make_shadow(capacity);
  shadow_->serialise(state);
}

std::unique_ptr<Shadow> NvmeHost::make_shadow(std::uint64_t sectors) const {
  return std::make_unique<Shadow>(ShadowConfig{sectors, filled_sectors_, config_.trim_unit, filled_pages_,
                                               page_sectors_, config_.power_cuts, config_.answered_is_durable,
                                               foreign_});
}

} // namespace twinplane::platform
