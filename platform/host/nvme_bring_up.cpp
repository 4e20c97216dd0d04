// NvmeHost: bring-up, admin commands and shutdown, in the order of Linux's driver.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "hw/core/kernel_time.h"
#include "platform/host/nvme_host.h"

namespace twinplane::platform {

namespace {

constexpr std::uint64_t kMemoryBase = 0x1'0000'0000; // above the MSI-X window, as DRAM above 4 GiB is
constexpr std::uint64_t kMessageAddress = 0xFEE0'0000;
constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kLargestTransfer = 2u << 20; // its PRP list fits in one page
// A drive that takes longer than it promises still ends with a report.
constexpr std::uint32_t kShutdownPatience = 64;

template <typename T>
T field(const std::uint8_t* data, std::size_t offset) {
  T value;
  std::memcpy(&value, data + offset, sizeof value);
  return value;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint32_t power_of_two_above(std::uint32_t value) {
  std::uint32_t power = 8;
  while (power < value) power *= 2;
  return power;
}

DriveRegisters::Limit ready_limit(std::uint64_t capabilities) {
  const auto timeout = static_cast<std::uint32_t>(capabilities >> 24) & 0xFF;
  const bool most = timeout == 0xFF; // a drive that needs longer has no way to say so
  return {sc_core::sc_time(500.0 * std::max(1u, timeout), sc_core::SC_MS),
          most ? "CAP.TO (127.5 s, the most that the register can say)" : "CAP.TO"};
}

/// Drives that say nothing get Linux's 5 s.
DriveRegisters::Limit shutdown_limit(const std::uint8_t* identify_controller) {
  const auto told = field<std::uint32_t>(identify_controller, 88);
  return {told == 0 ? sc_core::sc_time(5, sc_core::SC_SEC) : sc_core::sc_time(told, sc_core::SC_US), "RTD3E"};
}

/// Everything the driver may allocate: queues, PRP lists, and one buffer per command.
std::uint64_t arena_bytes(const NvmeHostConfig& config) {
  const std::uint64_t per_queue = round_up(std::uint64_t{config.queue_size} * 64, kPage) +
                                  round_up(std::uint64_t{config.queue_size} * 16, kPage);
  const std::uint64_t per_command = std::uint64_t{config.max_transfer} + 2 * kPage;
  return (config.queues + 1) * (per_queue + 2 * kPage) + config.max_commands * per_command + 64 * kPage;
}

} // namespace

NvmeHost::NvmeHost(const sc_core::sc_module_name& name, const NvmeHostConfig& config)
    : sc_module(name), config_(config), identify_controller_(kPage) {
  config_.queues = std::max(1u, config_.queues);
  config_.queue_size = std::clamp(config_.queue_size, 2u, 65536u);
  config_.max_transfer = std::clamp(config_.max_transfer, kPage, kLargestTransfer);
  const std::uint64_t room = std::uint64_t{config_.queues} * (config_.queue_size - 1);
  config_.max_commands = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(config_.max_commands, 1, std::min<std::uint64_t>(room, 65535)));
  memory_ = std::make_unique<HostMemory>(kMemoryBase, arena_bytes(config_));
  memory.bind(*this);
  SC_HAS_PROCESS(NvmeHost);
  SC_THREAD(life);
  SC_METHOD(on_timer);
  sensitive << timer_.event();
  dont_initialize();
  SC_METHOD(end_simulation);
  sensitive << stop_;
  dont_initialize();
}

void NvmeHost::life() {
  try {
    bring_up();
    if (lost_) return;
    client_->on_ready();
    ring_doorbells();
    HostTimer::wait_for(shutdown_requested_);
    shut_down();
    if (!lost_) client_->on_shutdown();
  } catch (const std::runtime_error& error) {
    if (!lost_) client_->on_failure(error.what());
  }
}

void NvmeHost::bring_up() {
  enable_controller();
  identify();
  set_features();
  create_queues();
  give_doorbell_buffers();
  create_buffers();
  admin_.request_events(config_.async_events);
}

// --- registers -----------------------------------------------------------------------------------

void NvmeHost::enable_controller() {
  capabilities_ = registers_.read64(nvme::bar::cap);
  if (registers_.read32(nvme::bar::vs) < nvme::kVersion14)
    throw std::runtime_error("the drive's NVMe version is below 1.4");
  const std::uint32_t old = registers_.read32(nvme::bar::cc);
  if ((old & nvme::cc::en) != 0) write32(nvme::bar::cc, old & ~nvme::cc::en);
  registers_.wait_for_status(nvme::csts::rdy, 0, "leave the ready state", ready_limit(capabilities_));

  config_.queue_size = std::min(config_.queue_size, static_cast<std::uint32_t>(capabilities_ & 0xFFFF) + 1);
  const HostQueue& admin_queue = admin_.place(*memory_);

  for (std::uint32_t vector = 0; vector <= config_.queues; ++vector) {
    const std::uint32_t entry = nvme::bar::msix_table + 16 * vector;
    registers_.write64(entry, kMessageAddress, now());
    write32(entry + 8, vector);
    write32(entry + 12, 0);
  }
  write32(nvme::bar::msix_control, 0x8000);
  write32(nvme::bar::aqa, (AdminQueue::kEntries - 1) << 16 | (AdminQueue::kEntries - 1));
  registers_.write64(nvme::bar::asq, admin_queue.sq_address, now());
  registers_.write64(nvme::bar::acq, admin_queue.cq_address, now());
  const std::uint32_t arbitration = config_.weighted ? 1u << 11 : 0;
  write32(nvme::bar::cc, nvme::cc::en | 6u << 16 | 4u << 20 | arbitration);
  registers_.wait_for_status(nvme::csts::rdy, nvme::csts::rdy, "become ready", ready_limit(capabilities_));
}

// --- admin commands ------------------------------------------------------------------------------

void NvmeHost::identify() {
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::identify;
  sqe.cdw10 = 1; // CNS: controller
  admin_.require(sqe, "Identify Controller", identify_controller_.data(), kPage);
  std::vector<std::uint8_t> name_space(kPage);
  sqe.cdw10 = 0; // CNS: namespace
  sqe.nsid = 1;
  admin_.require(sqe, "Identify Namespace 1", name_space.data(), kPage);

  capacity_ = field<std::uint64_t>(name_space.data(), 0);             // NSZE
  const std::size_t format = name_space[26] & 0xF;                    // FLBAS
  const std::uint32_t shift = name_space[128 + 4 * format + 2] & 31u; // LBADS
  if (shift < 9 || shift > 16) throw std::runtime_error("the drive's sector size is not supported");
  sector_size_ = 1u << shift;
  const std::uint32_t mdts = identify_controller_[77];
  if (mdts != 0 && mdts < 16) config_.max_transfer = std::min(config_.max_transfer, kPage << mdts);
  max_sectors_ = config_.max_transfer / sector_size_;
  if (max_sectors_ == 0) throw std::runtime_error("the largest transfer (MDTS) is below one sector");
}

void NvmeHost::set_features() {
  const auto set = [this](std::uint32_t feature, std::uint32_t value, const char* what) {
    nvme::Sqe sqe;
    sqe.opcode = nvme::admin::set_features;
    sqe.cdw10 = feature;
    sqe.cdw11 = value;
    return admin_.require(sqe, what);
  };
  const std::uint32_t wanted = config_.queues - 1;
  const std::uint32_t granted = set(0x07, wanted | wanted << 16, "Number of Queues");
  config_.queues = std::min({config_.queues, (granted & 0xFFFF) + 1, (granted >> 16) + 1});
  if (config_.arbitration != 0) set(0x01, config_.arbitration, "Arbitration");
  if (config_.coalescing != 0) set(0x08, config_.coalescing, "Interrupt Coalescing");
}

void NvmeHost::create_queues() {
  for (std::uint32_t id = 1; id <= config_.queues; ++id) {
    const std::uint64_t sq = memory_->allocate(std::uint64_t{config_.queue_size} * sizeof(nvme::Sqe));
    const std::uint64_t cq = memory_->allocate(std::uint64_t{config_.queue_size} * sizeof(nvme::Cqe));
    nvme::Sqe sqe;
    sqe.opcode = nvme::admin::create_cq;
    sqe.prp1 = cq;
    sqe.cdw10 = id | (config_.queue_size - 1) << 16;
    sqe.cdw11 = 1 | 1 << 1 | id << 16; // physically contiguous, interrupts on, vector
    admin_.require(sqe, "Create I/O Completion Queue");
    sqe.opcode = nvme::admin::create_sq;
    sqe.prp1 = sq;
    const std::uint32_t priority =
        config_.priorities.empty() ? 0 : config_.priorities[(id - 1) % config_.priorities.size()] & 3u;
    sqe.cdw11 = 1 | priority << 1 | id << 16; // physically contiguous, QPRIO, completion queue
    admin_.require(sqe, "Create I/O Submission Queue");
    queues_.emplace_back(id, config_.queue_size);
    queues_.back().place(sq, memory_->pointer(sq), cq, memory_->pointer(cq));
  }
}

/// As Linux's driver does, wherever a controller takes them.
void NvmeHost::give_doorbell_buffers() {
  doorbells_ = events_ = nullptr;
  if ((field<std::uint16_t>(identify_controller_.data(), 256) & nvme::shadow::oacs) == 0) return;
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::doorbell_buffers;
  sqe.prp1 = memory_->allocate(kPage);
  sqe.prp2 = memory_->allocate(kPage);
  admin_.require(sqe, "Doorbell Buffer Config");
  doorbells_ = reinterpret_cast<std::uint32_t*>(memory_->pointer(sqe.prp1));
  events_ = reinterpret_cast<std::uint32_t*>(memory_->pointer(sqe.prp2));
}

void NvmeHost::create_buffers() {
  const std::uint32_t pages = (config_.max_transfer + kPage - 1) / kPage;
  const std::uint32_t list_bytes = pages > 2 ? power_of_two_above((pages - 1) * 8) : 0;
  tags_.assign(config_.max_commands, Tag{});
  for (std::uint32_t i = 0; i < tags_.size(); ++i) {
    Tag& tag = tags_[i];
    tag.next_free = static_cast<std::uint16_t>(i + 1);
    tag.buffer = memory_->allocate(std::uint64_t{pages} * kPage);
    tag.data = memory_->pointer(tag.buffer);
    if (list_bytes == 0) continue;
    tag.list = memory_->allocate(list_bytes, list_bytes); // aligned to its size: never crosses a page
    for (std::uint32_t page = 1; page < pages; ++page) {
      const std::uint64_t address = tag.buffer + std::uint64_t{page} * kPage;
      std::memcpy(memory_->pointer(tag.list + std::uint64_t{page - 1} * 8), &address, sizeof address);
    }
  }
  first_free_ = 0;
  free_tags_ = config_.max_commands;
  if (config_.data_mode == DataMode::none) return;
  if (shadow_ == nullptr) shadow_ = make_shadow(capacity_); // else it knows of an earlier life
  snapshots_.resize(std::size_t{config_.max_commands} * max_sectors_);
}

void NvmeHost::shut_down() {
  for (const std::uint8_t opcode : {nvme::admin::delete_sq, nvme::admin::delete_cq}) {
    for (std::uint32_t id = 1; id <= config_.queues; ++id) {
      nvme::Sqe sqe;
      sqe.opcode = opcode;
      sqe.cdw10 = id;
      admin_.require(sqe, "to delete an I/O queue");
    }
  }
  const std::uint32_t cc = registers_.read32(nvme::bar::cc);
  write32(nvme::bar::cc, cc | nvme::cc::shn_normal);
  const DriveRegisters::Limit promise = shutdown_limit(identify_controller_.data());
  const TimePs begun = hw::kernel_now();
  statistics_.shutdown_promised = hw::to_ps(promise.time);
  const std::string name = std::to_string(kShutdownPatience) + " times " + promise.name;
  registers_.wait_for_status(nvme::csts::shst_mask, nvme::csts::shst_complete, "shut down",
                             {promise.time * kShutdownPatience, name.c_str()});
  statistics_.shutdown = hw::kernel_now() - begun;
}

} // namespace twinplane::platform
