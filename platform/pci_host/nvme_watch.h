// Follows a guest's NVMe requests by what crosses the link, as a protocol analyser does: register writes of
// the guest, entries that the device fetches, entries that it writes back. It asks neither side.
//
// A request begins when the doorbell of its entry is rung (with shadow doorbells: when the entry is fetched),
// and ends when its completion entry is in the guest's memory. One that ends in no entry, because the guest
// has reset the controller, deleted its queue, or gone away, is given up.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hw/spec/nvme.h"
#include "hw/spec/sim_time.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

struct GuestRequest {
  IoOp op = IoOp::read;
  std::uint8_t opcode = 0;
  std::uint16_t sqid = 0;
  std::uint16_t cid = 0;
  std::uint64_t lba = 0;
  std::uint64_t sectors = 0; // that its data have, or that it trims; 0 for others
  std::uint16_t status = 0;
  TimePs rung = 0;
  TimePs completed = 0;
};

class NvmeWatch {
 public:
  class Listener {
   public:
    virtual void on_rung(TimePs at) = 0;
    virtual void on_finished(const GuestRequest& request) = 0;
    virtual void on_given_up(TimePs rung, TimePs now) = 0;

   protected:
    ~Listener() = default;
  };

  explicit NvmeWatch(Listener& listener) : listener_(listener) {}

  /// 32 bits of BAR 0, in the order of time with what follows.
  void register_write(std::uint32_t offset, std::uint32_t value, TimePs at);
  /// The device has read, and later written, the guest's memory.
  void memory_read(std::uint64_t address, const void* data, std::uint64_t length, TimePs at);
  void memory_written(std::uint64_t address, const void* data, std::uint64_t length, TimePs at);
  /// The function has been reset, or there is no wait any more: registers are as after power-on.
  void reset(TimePs now);

  std::uint64_t outstanding() const { return rung_ + requests_.size(); }

 private:
  struct Sq {
    std::uint64_t base = 0;
    std::uint32_t tail = 0;
    std::uint16_t cqid = 0;
    std::vector<TimePs> rung; // by entry; kNever: it has not been, or it has been fetched
  };
  struct Cq {
    std::uint64_t base = 0;
    std::uint32_t entries = 0;
  };
  using Key = std::pair<std::uint16_t, std::uint16_t>; // sqid, cid

  void write_cc(std::uint32_t value, TimePs at);
  void give_up_all(TimePs now);
  void ring(std::uint16_t sqid, std::uint32_t tail, TimePs at);
  void fetched(std::uint16_t sqid, TimePs rung, const nvme::Sqe& sqe, TimePs at);
  void completed(const nvme::Cqe& entry, TimePs at);
  void queue_command_done(const nvme::Sqe& sqe, TimePs at);
  void drop_queue(std::uint16_t sqid, TimePs now);

  Listener& listener_;
  std::uint32_t cc_ = 0;
  std::uint32_t aqa_ = 0;
  std::uint64_t asq_ = 0;
  std::uint64_t acq_ = 0;
  std::map<std::uint16_t, Sq> sqs_;
  std::map<std::uint16_t, Cq> cqs_;
  std::map<Key, GuestRequest> requests_;              // of I/O queues, fetched
  std::map<std::uint16_t, nvme::Sqe> queue_commands_; // admin, by cid: what creates and deletes queues
  std::uint64_t rung_ = 0;                            // of I/O queues, not fetched
  bool shadow_doorbells_ = false;                     // entries may be fetched that no doorbell announced
};

} // namespace twinplane::platform
