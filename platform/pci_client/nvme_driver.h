// A small NVMe driver over a vfio-user client: one admin queue, I/O queue pairs with a vector each, one
// buffer per command. Errors are InputErrors.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hw/spec/nvme.h"
#include "platform/pci_client/vfio_user_client.h"

namespace twinplane::platform {

class NvmeDriver {
 public:
  struct Options {
    std::uint32_t queues = 1;
    std::uint32_t depth = 32;               // commands outstanding over all queues
    std::uint32_t buffer_bytes = 128 << 10; // of each, at most 2 MiB
  };
  struct Completion {
    std::uint32_t tag = 0; // of the command, below Options::depth
    std::uint16_t status = 0;
  };

  /// Brings the controller up: enabled, identified, queues created. The drive may give fewer queues.
  NvmeDriver(VfioUserClient& client, const Options& options);

  std::uint64_t sectors() const { return sectors_; }
  std::uint32_t sector_size() const { return sector_size_; }
  std::uint32_t largest() const { return largest_; } // bytes of one command
  std::uint32_t queues() const { return static_cast<std::uint32_t>(queues_.size() - 1); }

  /// Data of the command with this tag.
  std::uint8_t* buffer(std::uint32_t tag) { return memory_ + buffer_offset(tag); }
  /// Puts a command with its tag's buffer into a queue; `bytes` of the buffer are its data.
  void submit(std::uint32_t tag, nvme::Sqe sqe, std::uint32_t bytes);
  /// Tells the drive of what was submitted.
  void ring();
  /// Waits until at least one is done, and hands over all that are. Throws when nothing comes for a minute.
  void reap(const std::function<void(const Completion&)>& each);
  /// Doorbell registers written for I/O queues.
  std::uint64_t registers_written() const { return registers_written_; }
  /// One admin command; its data, if any, are 4 KiB in and out of `page`.
  nvme::Cqe admin(nvme::Sqe sqe, std::vector<std::uint8_t>* page = nullptr);
  /// CC.SHN, and waits for it.
  void shut_down();

 private:
  struct Queue {
    std::uint32_t id = 0;
    std::uint32_t entries = 0;
    std::uint64_t sq = 0; // offsets in memory, which are the device's addresses as well
    std::uint64_t cq = 0;
    std::uint32_t tail = 0;
    std::uint32_t rung = 0;
    std::uint32_t head = 0;
    std::uint16_t phase = 1;
  };
  std::uint64_t buffer_offset(std::uint32_t tag) const { return buffers_ + tag * std::uint64_t{stride_}; }
  std::uint32_t read32(std::uint32_t offset);
  void write32(std::uint32_t offset, std::uint32_t value);
  void wait_status(std::uint32_t mask, std::uint32_t value);
  void enable();
  void identify();
  void create_queues(std::uint32_t wanted);
  void give_doorbell_buffers();
  void lists();
  void tell(std::uint32_t doorbell, std::uint32_t entries, std::uint32_t old, std::uint32_t value);
  bool take(Queue& queue, nvme::Cqe& entry);
  void push(Queue& queue, const nvme::Sqe& sqe);
  void ring(Queue& queue);

  VfioUserClient& client_;
  Options options_;
  std::uint8_t* memory_ = nullptr;
  std::uint64_t admin_page_ = 0;
  std::uint64_t buffers_ = 0;
  std::uint32_t stride_ = 0; // of buffers: data, then a page with the list of its pages
  std::vector<Queue> queues_;
  std::uint32_t next_queue_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint32_t sector_size_ = 0;
  std::uint32_t largest_ = 0;
  bool takes_doorbell_buffers_ = false;
  volatile std::uint32_t* doorbells_ = nullptr; // in memory, and then
  volatile std::uint32_t* events_ = nullptr;    // EventIdx
  std::uint64_t registers_written_ = 0;
};

} // namespace twinplane::platform
