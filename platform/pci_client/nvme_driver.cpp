#include "platform/pci_client/nvme_driver.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "hw/spec/pci.h"
#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kAdminEntries = 32;
constexpr std::uint32_t kMostEntries = 1024;
constexpr std::uint64_t kQueueBytes = kMostEntries * 80; // both of a pair
constexpr int kPatienceMs = 60'000;

template <typename T>
T field(const std::vector<std::uint8_t>& page, std::size_t offset) {
  T value;
  std::memcpy(&value, page.data() + offset, sizeof value);
  return value;
}

[[noreturn]] void fail(const std::string& what) {
  throw InputError("the drive " + what);
}

} // namespace

NvmeDriver::NvmeDriver(VfioUserClient& client, const Options& options) : client_(client), options_(options) {
  const std::uint64_t queues = (options.queues + 1) * kQueueBytes + 2 * kPage;
  stride_ = options.buffer_bytes + kPage;
  admin_page_ = kPage + queues;
  buffers_ = admin_page_ + kPage;
  memory_ = client_.share(0, buffers_ + std::uint64_t{options.depth} * stride_);
  client_.write(vfio_user::kConfig, pci::command, 2,
                pci::command_bit::memory_space | pci::command_bit::bus_master);
  client_.enable_vectors(options.queues + 1);
  enable();
  identify();
  create_queues(options.queues);
  give_doorbell_buffers();
  lists();
}

std::uint32_t NvmeDriver::read32(std::uint32_t offset) {
  return static_cast<std::uint32_t>(client_.read(vfio_user::kBar0, offset, 4));
}

void NvmeDriver::write32(std::uint32_t offset, std::uint32_t value) {
  client_.write(vfio_user::kBar0, offset, 4, value);
}

void NvmeDriver::wait_status(std::uint32_t mask, std::uint32_t value) {
  for (int ms = 0; ms < kPatienceMs; ++ms) {
    const std::uint32_t status = read32(nvme::bar::csts);
    if ((status & mask) == value) return;
    if ((status & nvme::csts::cfs) != 0) fail("reports a fatal status (CSTS.CFS)");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  fail("does not change its status (CSTS)");
}

void NvmeDriver::enable() {
  if ((read32(nvme::bar::cc) & nvme::cc::en) != 0) write32(nvme::bar::cc, 0);
  wait_status(nvme::csts::rdy, 0);
  Queue admin;
  admin.entries = kAdminEntries;
  admin.sq = kPage;
  admin.cq = kPage + kMostEntries * sizeof(nvme::Sqe);
  queues_.assign(1, admin);
  write32(nvme::bar::aqa, (kAdminEntries - 1) << 16 | (kAdminEntries - 1));
  client_.write(vfio_user::kBar0, nvme::bar::asq, 8, admin.sq);
  client_.write(vfio_user::kBar0, nvme::bar::acq, 8, admin.cq);
  write32(nvme::bar::cc, 4u << 20 | 6u << 16 | nvme::cc::en);
  wait_status(nvme::csts::rdy, nvme::csts::rdy);
}

nvme::Cqe NvmeDriver::admin(nvme::Sqe sqe, std::vector<std::uint8_t>* page) {
  if (page != nullptr) {
    page->resize(kPage);
    std::memcpy(memory_ + admin_page_, page->data(), kPage);
    sqe.prp1 = admin_page_;
  }
  push(queues_[0], sqe);
  ring(queues_[0]);
  nvme::Cqe entry;
  while (!take(queues_[0], entry)) {
    if (!client_.wait(kPatienceMs)) fail("does not answer an admin command");
  }
  client_.post(vfio_user::kBar0, nvme::bar::doorbells + 4, 4, queues_[0].head);
  if (page != nullptr) std::memcpy(page->data(), memory_ + admin_page_, kPage);
  return entry;
}

void NvmeDriver::identify() {
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::identify;
  sqe.cdw10 = 1;
  std::vector<std::uint8_t> controller;
  if (admin(sqe, &controller).status >> 1 != 0) fail("refuses Identify Controller");
  sqe.cdw10 = 0;
  sqe.nsid = 1;
  std::vector<std::uint8_t> name_space;
  if (admin(sqe, &name_space).status >> 1 != 0) fail("refuses Identify Namespace 1");
  sectors_ = field<std::uint64_t>(name_space, 0);
  sector_size_ = 1u << (name_space[128 + 4 * (name_space[26] & 0xF) + 2] & 31u);
  largest_ = options_.buffer_bytes;
  takes_doorbell_buffers_ = (field<std::uint16_t>(controller, 256) & nvme::shadow::oacs) != 0;
  const std::uint32_t mdts = controller[77];
  if (mdts != 0 && mdts < 16) largest_ = std::min(largest_, kPage << mdts);
}

void NvmeDriver::create_queues(std::uint32_t wanted) {
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::set_features;
  sqe.cdw10 = 7;
  sqe.cdw11 = (wanted - 1) << 16 | (wanted - 1);
  const nvme::Cqe granted = admin(sqe);
  if (granted.status >> 1 != 0) fail("refuses Number of Queues");
  const std::uint32_t count = std::min({wanted, (granted.result & 0xFFFF) + 1, (granted.result >> 16) + 1});
  const auto most =
      static_cast<std::uint32_t>(client_.read(vfio_user::kBar0, nvme::bar::cap, 8) & 0xFFFF) + 1;
  for (std::uint32_t id = 1; id <= count; ++id) {
    Queue q;
    q.id = id;
    q.entries = std::min({kMostEntries, most, std::max(2u, options_.depth + 1)});
    q.sq = kPage + id * kQueueBytes;
    q.cq = q.sq + kMostEntries * sizeof(nvme::Sqe);
    nvme::Sqe create;
    create.opcode = nvme::admin::create_cq;
    create.prp1 = q.cq;
    create.cdw10 = (q.entries - 1) << 16 | id;
    create.cdw11 = id << 16 | 3;
    if (admin(create).status >> 1 != 0) fail("refuses to create a completion queue");
    create.opcode = nvme::admin::create_sq;
    create.prp1 = q.sq;
    create.cdw11 = id << 16 | 1;
    if (admin(create).status >> 1 != 0) fail("refuses to create a submission queue");
    queues_.push_back(q);
  }
  options_.depth = std::min(options_.depth, count * (queues_[1].entries - 1));
}

/// Doorbells in memory (NVMe 1.4 section 7.13), where the drive takes them; behind the queues.
void NvmeDriver::give_doorbell_buffers() {
  if (!takes_doorbell_buffers_) return;
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::doorbell_buffers;
  sqe.prp1 = admin_page_ - 2 * kPage;
  sqe.prp2 = admin_page_ - kPage;
  std::memset(memory_ + sqe.prp1, 0, 2 * kPage);
  if (admin(sqe).status >> 1 != 0) fail("refuses Doorbell Buffer Config");
  doorbells_ = reinterpret_cast<volatile std::uint32_t*>(memory_ + sqe.prp1);
  events_ = reinterpret_cast<volatile std::uint32_t*>(memory_ + sqe.prp2);
}

/// The PRP list of each buffer: its second page and on.
void NvmeDriver::lists() {
  for (std::uint32_t tag = 0; tag < options_.depth; ++tag) {
    for (std::uint32_t page = 1; page * kPage < options_.buffer_bytes; ++page) {
      const std::uint64_t address = buffer_offset(tag) + std::uint64_t{page} * kPage;
      std::memcpy(buffer(tag) + options_.buffer_bytes + 8 * (page - 1), &address, sizeof address);
    }
  }
}

void NvmeDriver::push(Queue& queue, const nvme::Sqe& sqe) {
  std::memcpy(memory_ + queue.sq + queue.tail * sizeof sqe, &sqe, sizeof sqe);
  if (++queue.tail == queue.entries) queue.tail = 0;
}

void NvmeDriver::ring(Queue& queue) {
  if (queue.rung == queue.tail) return;
  const std::uint32_t before = std::exchange(queue.rung, queue.tail);
  tell(nvme::shadow::sq_tail(queue.id), queue.entries, before, queue.tail);
}

/// The value in memory first, then the look at EventIdx: the drive does it the other way round.
void NvmeDriver::tell(std::uint32_t doorbell, std::uint32_t entries, std::uint32_t old, std::uint32_t value) {
  std::atomic_thread_fence(std::memory_order_release);
  if (doorbells_ != nullptr && doorbell > 1) {
    doorbells_[doorbell] = value;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!nvme::shadow::passes(events_[doorbell], old, value, entries)) return;
  }
  registers_written_ += doorbell > 1 ? 1 : 0;
  client_.post(vfio_user::kBar0, nvme::bar::doorbells + 4 * doorbell, 4, value);
}

void NvmeDriver::ring() {
  for (Queue& q : queues_) ring(q);
}

void NvmeDriver::submit(std::uint32_t tag, nvme::Sqe sqe, std::uint32_t bytes) {
  sqe.cid = static_cast<std::uint16_t>(tag);
  sqe.nsid = 1;
  if (bytes != 0) {
    sqe.prp1 = buffer_offset(tag);
    if (bytes > 2 * kPage) {
      sqe.prp2 = sqe.prp1 + options_.buffer_bytes;
    } else if (bytes > kPage) {
      sqe.prp2 = sqe.prp1 + kPage;
    }
  }
  push(queues_[1 + next_queue_], sqe);
  if (++next_queue_ == queues()) next_queue_ = 0;
}

bool NvmeDriver::take(Queue& queue, nvme::Cqe& entry) {
  const std::uint8_t* const at = memory_ + queue.cq + queue.head * sizeof entry;
  std::uint16_t status = 0;
  std::memcpy(&status, at + offsetof(nvme::Cqe, status), sizeof status);
  if ((status & 1) != queue.phase) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  std::memcpy(&entry, at, sizeof entry);
  if (++queue.head == queue.entries) {
    queue.head = 0;
    queue.phase ^= 1;
  }
  return true;
}

void NvmeDriver::reap(const std::function<void(const Completion&)>& each) {
  bool any = false;
  while (!any) {
    for (std::size_t i = 1; i < queues_.size(); ++i) {
      Queue& q = queues_[i];
      const std::uint32_t before = q.head;
      nvme::Cqe entry;
      while (take(q, entry)) each({entry.cid, static_cast<std::uint16_t>(entry.status >> 1)});
      if (q.head == before) continue;
      any = true;
      tell(nvme::shadow::cq_head(q.id), q.entries, before, q.head);
    }
    if (!any && !client_.wait(kPatienceMs)) fail("does not answer");
  }
}

void NvmeDriver::shut_down() {
  write32(nvme::bar::cc, read32(nvme::bar::cc) | nvme::cc::shn_normal);
  wait_status(nvme::csts::shst_mask, nvme::csts::shst_complete);
}

} // namespace twinplane::platform
