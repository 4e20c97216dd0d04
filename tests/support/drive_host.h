// A host without a driver in front of a whole drive: registers, queues and doorbells by hand. Its calls take
// simulated time; a script may run in a thread of the simulation or in between calls of sc_start().
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <optional>
#include <systemc>
#include <vector>

#include "hw/spec/nvme.h"
#include "hw/spec/sim_time.h"
#include "tests/support/host_memory.h"

namespace twinplane::test {

class DriveHost : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kCc = 6u << 16 | 4u << 20; // entry sizes; CC without EN
  static constexpr std::uint32_t kMostQueues = 64;
  // Where queues lie: 64 pages for the submission queue of each id, 16 for the completion queue.
  static constexpr std::uint64_t kQueuePages = 80;
  static constexpr std::uint64_t queue_base(std::uint32_t id) {
    return (1 + id * kQueuePages) * HostMemory::kPage;
  }
  static constexpr std::uint64_t kCqOffset = 64 * HostMemory::kPage;
  static constexpr std::uint64_t kDoorbells = (1 + 60) * HostMemory::kPage; // an admin queue is never so long

  struct Sq {
    bool live = false;
    std::uint16_t cqid = 0;
    std::uint32_t entries = 0;
    std::uint32_t tail = 0;
    std::uint32_t rung = 0;
    std::uint32_t head = 0; // as the drive last said
    std::uint64_t base = 0;
    std::uint32_t room() const { return (head + entries - tail - 1) % entries; }
  };
  struct Cq {
    bool live = false;
    bool phase = true;
    bool interrupts = true;
    std::uint16_t vector = 0;
    std::uint32_t entries = 0;
    std::uint32_t head = 0;
    std::uint32_t told = 0; // the drive knows
    std::uint64_t base = 0;
  };

  tlm_utils::simple_initiator_socket<DriveHost> bar{"bar"};
  sc_core::sc_in<bool> intx{"intx"};
  HostMemory memory;
  Sq sq[kMostQueues + 1];
  Cq cq[kMostQueues + 1];

  DriveHost(const sc_core::sc_module_name& name, std::uint64_t pages)
      : sc_module(name), memory("memory", pages) {}

  void pass(TimePs time);
  TimePs now() const { return sc_core::sc_time_stamp().value(); }

  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                  std::uint32_t bytes);
  /// Steps of `step` until CSTS & mask == value, at most `limit`.
  bool wait_status(std::uint32_t mask, std::uint32_t value, TimePs limit, TimePs step = us(10));

  /// Sets the admin queues up and writes CC.EN = 1; `more` is for the other fields of CC.
  void enable(std::uint32_t entries = 32, std::uint32_t more = 0);
  void set_vectors(std::uint32_t count, bool masked = false);

  nvme::Sqe create_cq(std::uint16_t id, std::uint32_t entries, std::uint16_t vector, bool interrupts = true);
  nvme::Sqe create_sq(std::uint16_t id, std::uint32_t entries, std::uint16_t cqid,
                      std::uint32_t priority = 0);
  /// Creates pair `id`; false when the drive refuses.
  bool create_pair(std::uint16_t id, std::uint32_t entries, std::uint32_t cq_entries);

  void push(std::uint16_t id, const nvme::Sqe& sqe);
  void ring(std::uint16_t id);
  std::optional<nvme::Cqe> take(std::uint16_t id);
  void ring_head(std::uint16_t id);
  /// From here on the I/O queues' doorbells are in memory, until the controller is disabled (NVMe 1.4 section
  /// 7.13). This is the command; use_doorbell_buffers() when it has succeeded.
  static nvme::Sqe doorbell_buffers();
  void use_doorbell_buffers();
  bool uses_doorbell_buffers() const { return doorbells_in_memory_; }
  /// Sends one command and takes the next entry of the queue's completion queue; its status without DNR, -1
  /// when none came in a second.
  int execute(std::uint16_t id, nvme::Sqe sqe);
  nvme::Cqe last{}; // of execute()

 private:
  void tell(std::uint32_t doorbell, std::uint32_t entries, std::uint32_t old, std::uint32_t value);

  bool doorbells_in_memory_ = false;
  std::uint16_t next_cid_ = 100;
};

} // namespace twinplane::test
