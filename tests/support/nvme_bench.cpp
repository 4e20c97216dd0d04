#include "tests/support/nvme_bench.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace twinplane::test {

namespace {

constexpr std::uint32_t kDmaEntries = 1024;
constexpr std::uint32_t kCommandRing = 0;
constexpr std::uint32_t kDmaRing = 64 << 10;
constexpr std::uint32_t kData = 128 << 10;
constexpr std::uint32_t kStaging = 2u << 20;

} // namespace

// --- front end ---

std::uint16_t NvmeFrontEnd::fetch(std::uint16_t sqid, const nvme::Sqe& sqe, std::vector<std::uint8_t> data) {
  std::uint16_t slot = 0;
  while (slot < kSlots && slots_[slot].busy) ++slot;
  if (slot == kSlots) panic("test fetched more commands than there are slots");
  slots_[slot] = Slot{true, sqid, sqe.cid, std::move(data), 0, 0};
  CommandEntry entry;
  std::memcpy(entry.sqe, &sqe, sizeof sqe);
  entry.slot = slot;
  entry.sqid = sqid;
  entry.queue_tag = queue_tags[sqid];
  const std::uint32_t mask = registers.at(reg::host::command_size) - 1;
  std::memcpy(&dram_[registers.at(reg::host::command_base) + (command_tail_++ & mask) * sizeof entry], &entry,
              sizeof entry);
  causes_ |= 1u << reg::irq::host_command;
  return slot;
}

void NvmeFrontEnd::raise_event(std::uint32_t bits, std::uint32_t info) {
  if ((bits & reg::host_event::disabled) != 0)
    events_ &= ~(reg::host_event::enabled | reg::host_event::shutdown);
  events_ |= bits;
  event_info_ = info;
  causes_ |= 1u << reg::irq::host_event;
}

std::uint32_t NvmeFrontEnd::take_causes() {
  const std::uint32_t causes = causes_;
  causes_ = 0;
  return causes;
}

std::uint32_t NvmeFrontEnd::busy_slots() const {
  std::uint32_t count = 0;
  for (const Slot& slot : slots_) count += slot.busy ? 1 : 0;
  return count;
}

void NvmeFrontEnd::release_dma() {
  dma_held_ = false;
  execute_dma();
}

DmaStatus& NvmeFrontEnd::status() {
  return *reinterpret_cast<DmaStatus*>(&dram_[registers.at(reg::host::dma_status)]);
}

void NvmeFrontEnd::move_up_to(std::uint32_t index) {
  const std::uint32_t mask = registers.at(reg::host::dma_size) - 1;
  while (!dma_held_ && static_cast<std::int32_t>(index - dma_moved_) > 0) {
    DmaDescriptor d;
    std::memcpy(&d, &dram_[registers.at(reg::host::dma_base) + (dma_moved_ & mask) * sizeof d], sizeof d);
    if (d.slot >= kSlots || !slots_[d.slot].busy) panic("a DMA descriptor names a slot that is not in use");
    const auto op = static_cast<DmaOp>(d.op);
    if (op != DmaOp::complete && op != DmaOp::release) move(d, slots_[d.slot]);
    status().moved = ++dma_moved_;
  }
}

void NvmeFrontEnd::execute_dma() {
  if (dma_held_) return;
  const std::uint32_t mask = registers.at(reg::host::dma_size) - 1;
  while (dma_done_ != dma_tail_) {
    DmaDescriptor descriptor;
    std::memcpy(&descriptor,
                &dram_[registers.at(reg::host::dma_base) + (dma_done_ & mask) * sizeof descriptor],
                sizeof descriptor);
    move_up_to(dma_done_ + 1);
    execute(descriptor);
    ++dma_done_;
    if ((descriptor.flags & dma_flag::notify) != 0) causes_ |= 1u << reg::irq::host_dma;
  }
}

void NvmeFrontEnd::execute(const DmaDescriptor& d) {
  if (d.slot >= kSlots || !slots_[d.slot].busy) panic("a DMA descriptor names a slot that is not in use");
  Slot& slot = slots_[d.slot];
  const auto op = static_cast<DmaOp>(d.op);
  if (op != DmaOp::complete && op != DmaOp::release) return;
  Completion c;
  c.sqid = slot.sqid;
  c.cid = slot.cid;
  c.released = op == DmaOp::release;
  c.status = static_cast<std::uint16_t>(d.status & ~nvme::status::dnr);
  c.dnr = (d.status & nvme::status::dnr) != 0;
  c.result = d.result;
  if (slot.error != 0) {
    if (c.status == nvme::status::success) c.status = slot.error;
    --status().failed;
  }
  completions.push_back(c);
  slot.busy = false;
}

void NvmeFrontEnd::move(const DmaDescriptor& d, Slot& slot) {
  const auto op = static_cast<DmaOp>(d.op);
  const bool bytes = op == DmaOp::bytes_to_device || op == DmaOp::bytes_to_host;
  const std::uint32_t unit = bytes ? 1 : stride_;
  const std::size_t from = std::size_t{d.offset} * unit, length = std::size_t{d.length} * unit;
  if (from + length > slot.data.size()) panic("a DMA descriptor moves more data than the command has");
  const bool in = op == DmaOp::to_device || op == DmaOp::bytes_to_device;
  if (in && slot.refused != 0) {
    if (slot.error == 0) ++status().failed;
    slot.error = slot.refused;
  } else if (in) {
    std::memcpy(&dram_[d.buffer], slot.data.data() + from, length);
  } else if (op == DmaOp::zero_to_host) {
    std::memset(slot.data.data() + from, 0, length);
  } else {
    std::memcpy(slot.data.data() + from, &dram_[d.buffer], length);
  }
}

std::uint32_t NvmeFrontEnd::mmio_read(std::uint32_t address) {
  const std::uint32_t offset = address - reg::kHostBase;
  switch (offset) {
    case reg::host::max_slots:
      return kSlots;
    case reg::host::command_tail:
      return command_tail_;
    case reg::host::dma_done:
      return dma_done_;
    case reg::host::inflight:
      return busy_slots() + slots_kept;
    case reg::host::event_info:
      return event_info_;
    case reg::host::queue_result:
      return mailbox_answer;
    case reg::host::data_status:
      return slots_[registers.at(reg::host::data_slot)].error;
    case reg::host::event: {
      const std::uint32_t events = events_;
      events_ = 0;
      return events;
    }
    default:
      return registers.count(offset) != 0 ? registers.at(offset) : 0;
  }
}

void NvmeFrontEnd::mmio_write(std::uint32_t address, std::uint32_t value) {
  if (address == reg::kTimerBase + reg::timer::arm_ns) {
    timer_ns = value;
    return;
  }
  const std::uint32_t offset = address - reg::kHostBase;
  registers[offset] = value;
  if (offset == reg::host::dma_tail) {
    dma_tail_ = value;
    execute_dma();
  } else if (offset == reg::host::dma_move) {
    move_up_to(value);
  } else if (offset == reg::host::control) {
    controls.push_back(value);
  } else if (offset == reg::host::queue_command) {
    const std::uint32_t id = registers[reg::host::queue_id];
    mailbox.emplace_back(value, id);
    if (value == reg::queue_op::create_sq)
      queue_tags[id] = static_cast<std::uint16_t>(registers[reg::host::queue_flags] >> 16);
  }
}

void* NvmeFrontEnd::boot_alloc(std::size_t bytes) {
  const std::size_t words = (bytes + 31) / 16 * 2;
  tables_.push_back(std::make_unique<std::uint64_t[]>(words));
  return tables_.back().get();
}

void NvmeFrontEnd::panic(const char* what) {
  std::fprintf(stderr, "NVMe bench: %s\n", what);
  std::abort();
}

// --- storage ---

void MemoryStorage::boot(NvmeFrontEnd& front, fw::HostPort& host, fw::RequestSink& sink, std::uint32_t stride,
                         std::uint32_t staging_offset) {
  front_ = &front;
  host_ = &host;
  sink_ = &sink;
  stride_ = stride;
  staging_ = staging_offset;
  sectors_.assign(kSectors * stride, 0);
}

void MemoryStorage::submit(fw::Request& request) {
  log.push_back(request);
  request.status = fail == request.kind ? nvme::status::internal_error : next_status;
  if (deferred) {
    waiting_.push_back(&request);
  } else {
    start(request);
  }
}

bool MemoryStorage::finish_one() {
  if (waiting_.empty()) return false;
  fw::Request* request = waiting_.front();
  waiting_.pop_front();
  start(*request);
  return true;
}

void MemoryStorage::start(fw::Request& r) {
  const std::size_t bytes = std::size_t{r.sectors} * stride_;
  DmaDescriptor d;
  d.slot = r.slot;
  d.length = r.sectors;
  d.buffer = staging_ + r.slot * (64u << 10);
  if (r.status != nvme::status::success) {
    sink_->on_request_done(r);
    return;
  }
  if (r.kind == fw::RequestKind::read) r.status = look_for_losses(r);
  if (r.status != nvme::status::success) {
    sink_->on_request_done(r);
    return;
  }
  for (std::uint32_t i = 0; i < r.sectors && r.kind != fw::RequestKind::read; ++i)
    r.kind == fw::RequestKind::write_uncorrectable ? lost_.insert(r.lba + i).second
                                                   : lost_.erase(r.lba + i) != 0;
  if (r.kind == fw::RequestKind::trim || r.kind == fw::RequestKind::write_zeroes) {
    std::memset(sector(r.lba), 0, bytes);
  } else if (r.kind == fw::RequestKind::read && r.device_buffer == fw::kNoData) {
    // only its status is asked for
  } else if (r.kind == fw::RequestKind::write) {
    d.op = static_cast<std::uint8_t>(DmaOp::to_device);
    host_->post(d);
    writes_.push_back({r.lba, r.sectors, d.buffer});
  } else if (r.kind == fw::RequestKind::read && r.device_buffer != fw::kHostData) {
    std::memcpy(front_->dram() + r.device_buffer, sector(r.lba), bytes);
  } else if (r.kind == fw::RequestKind::read) {
    std::memcpy(front_->dram() + d.buffer, sector(r.lba), bytes);
    d.op = static_cast<std::uint8_t>(DmaOp::to_host);
    host_->post(d);
  }
  sink_->on_request_done(r);
}

std::uint16_t MemoryStorage::look_for_losses(const fw::Request& r) const {
  const auto first = lost_.lower_bound(r.lba);
  const bool any = first != lost_.end() && *first < r.lba + r.sectors;
  return any ? nvme::status::unrecovered_read : nvme::status::success;
}

void MemoryStorage::commit() {
  for (const Write& w : writes_) {
    std::memcpy(sector(w.lba), front_->dram() + w.buffer, std::size_t{w.sectors} * stride_);
  }
  writes_.clear();
}

// --- bench ---

fw::NvmeConfig NvmeBench::default_config() {
  fw::NvmeConfig config;
  config.max_io_queues = 4;
  config.max_queue_entries = 256;
  config.interrupt_vectors = 5;
  config.mdts = 3; // 32 KiB
  config.volatile_write_cache = true;
  config.geometry.page_size = 16384;
  config.geometry.planes_per_die = 4;
  config.unit_sectors = 4;
  return config;
}

NvmeBench::NvmeBench(fw::NvmeConfig given, std::uint32_t slots, bool keeps_tables) : config(given) {
  storage.keeps = keeps_tables;
  const std::uint32_t stride = payload_bytes(config.data_mode, config.geometry.sector_size);
  front.set_payload_stride(stride);
  host.boot(front, kDmaRing, kDmaEntries);
  storage.boot(front, host, controller, stride, kStaging);
  const char* error = controller.boot({&front, &host, &storage, &config, slots, kCommandRing, kData});
  EXPECT_EQ(error, nullptr);
}

void NvmeBench::run() {
  for (std::uint32_t causes = front.take_causes(); causes != 0; causes = front.take_causes()) {
    if ((causes & 1u << reg::irq::host_event) != 0) controller.on_host_event();
    if ((causes & 1u << reg::irq::host_dma) != 0) controller.on_host_dma();
    if ((causes & 1u << reg::irq::host_command) != 0) controller.on_host_command();
    while (controller.pump()) controller.on_host_command();
    host.kick();
    storage.commit();
  }
  while (controller.pump()) controller.on_host_command();
  host.kick();
  storage.commit();
}

void NvmeBench::enable() {
  front.raise_event(reg::host_event::enabled);
  run();
  create_pair(1);
}

void NvmeBench::create_pair(std::uint16_t id) {
  EXPECT_EQ(admin(create_cq(id, 64)).status, nvme::status::success);
  EXPECT_EQ(admin(create_sq(id, 64, id)).status, nvme::status::success);
}

Completion NvmeBench::command(std::uint16_t sqid, const nvme::Sqe& entry, std::vector<std::uint8_t> bytes) {
  last_slot_ = front.fetch(sqid, entry, std::move(bytes));
  run();
  return take();
}

Completion NvmeBench::take() {
  if (front.completions.empty()) {
    ADD_FAILURE() << "no completion";
    return {};
  }
  const Completion c = front.completions.front();
  front.completions.pop_front();
  return c;
}

// --- submission queue entries ---

nvme::Sqe sqe(std::uint8_t opcode, std::uint32_t nsid, std::uint32_t cdw10, std::uint32_t cdw11) {
  nvme::Sqe entry;
  entry.opcode = opcode;
  entry.cid = 7;
  entry.nsid = nsid;
  entry.cdw10 = cdw10;
  entry.cdw11 = cdw11;
  return entry;
}

nvme::Sqe transfer(std::uint8_t opcode, std::uint64_t lba, std::uint32_t sectors) {
  nvme::Sqe entry = sqe(opcode, 1, static_cast<std::uint32_t>(lba), static_cast<std::uint32_t>(lba >> 32));
  entry.cdw12 = sectors - 1;
  return entry;
}

nvme::Sqe create_cq(std::uint32_t id, std::uint32_t entries, std::uint32_t vector) {
  nvme::Sqe entry = sqe(nvme::admin::create_cq, 0, id | (entries - 1) << 16, 1u | 2u | vector << 16);
  entry.prp1 = 0x10000;
  return entry;
}

nvme::Sqe create_sq(std::uint32_t id, std::uint32_t entries, std::uint32_t cqid) {
  nvme::Sqe entry = sqe(nvme::admin::create_sq, 0, id | (entries - 1) << 16, 1u | cqid << 16);
  entry.prp1 = 0x20000;
  return entry;
}

} // namespace twinplane::test
