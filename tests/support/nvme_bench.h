// A simulated NVMe front end for tests of the NVMe firmware, in plain memory: command ring, DMA ring,
// queue mailbox, events. No time passes by itself; DMA is executed at the doorbell unless held.
//
// It checks the contract of hw/spec/host_descriptor.h: a slot is answered by exactly one complete or
// release, no descriptor names a free slot, transfers stay inside the command's data. A violation is
// a test failure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "firmware/nvme/controller.h"

namespace twinplane::test {

struct Completion {
  std::uint16_t sqid = 0;
  std::uint16_t cid = 0;
  std::uint16_t status = 0; // without DNR
  bool dnr = false;
  bool released = false;
  std::uint32_t result = 0;
};

class NvmeFrontEnd final : public fw::Hal {
 public:
  static constexpr std::uint32_t kSlots = 16;
  static constexpr std::uint32_t kDramBytes = 4u << 20;

  // --- the host's side ---
  /// Fetches a command: posts it in the ring and returns its slot. `data` is the host memory its PRPs name.
  std::uint16_t fetch(std::uint16_t sqid, const nvme::Sqe& sqe, std::vector<std::uint8_t> data = {});
  void raise_event(std::uint32_t bits, std::uint32_t info = 0);
  /// While held, the DMA engine does nothing; release_dma executes what is posted.
  void hold_dma() { dma_held_ = true; }
  void release_dma();
  /// Data to the device of the command in `slot` fail with that status, from now on.
  void fail_data(std::uint16_t slot, std::uint16_t status) { slots_[slot].refused = status; }
  [[nodiscard]] const std::vector<std::uint8_t>& host_data(std::uint16_t slot) const {
    return slots_[slot].data;
  }

  std::deque<Completion> completions;                           // in the order posted, releases included
  std::uint32_t mailbox_answer = 0;                             // queue_result of the next operations
  std::vector<std::uint32_t> controls;                          // values written to CONTROL
  std::map<std::uint32_t, std::uint32_t> registers;             // last value written, by offset
  std::vector<std::pair<std::uint32_t, std::uint32_t>> mailbox; // (operation, queue id)
  std::map<std::uint32_t, std::uint16_t> queue_tags;            // of the queues created, by id
  std::uint32_t timer_ns = 0;
  std::uint32_t slots_kept = 0; // slots in use that the firmware does not know of
  std::uint64_t time_ps = 0;
  std::uint64_t cycles = 0;

  /// Interrupt causes raised since the last call.
  std::uint32_t take_causes();
  [[nodiscard]] std::uint32_t busy_slots() const;
  void set_payload_stride(std::uint32_t bytes) { stride_ = bytes; }

  // --- fw::Hal ---
  std::uint32_t mmio_read(std::uint32_t address) override;
  void mmio_write(std::uint32_t address, std::uint32_t value) override;
  std::uint8_t* dram() override { return dram_.data(); }
  std::uint32_t dram_size() const override { return kDramBytes; }
  void* boot_alloc(std::size_t bytes) override;
  void charge(std::uint32_t c) override { cycles += c; }
  std::uint64_t now_ps() const override { return time_ps; }
  void wait_for_interrupt() override { panic("the NVMe part waits for nothing"); }
  FlashCompletion flash_functional(std::uint32_t, const FlashDescriptor&, std::uint8_t*) override {
    return {};
  }
  [[noreturn]] void panic(const char* what) override;

 private:
  struct Slot {
    bool busy = false;
    std::uint16_t sqid = 0;
    std::uint16_t cid = 0;
    std::vector<std::uint8_t> data;
    std::uint16_t refused = 0; // what data to the device fail with
    std::uint16_t error = 0;
  };

  void execute_dma();
  void move_up_to(std::uint32_t index);
  DmaStatus& status();
  void execute(const DmaDescriptor& descriptor);
  void move(const DmaDescriptor& descriptor, Slot& slot);

  std::vector<std::uint8_t> dram_ = std::vector<std::uint8_t>(kDramBytes);
  std::vector<std::unique_ptr<std::uint64_t[]>> tables_;
  Slot slots_[kSlots];
  std::uint32_t command_tail_ = 0;
  std::uint32_t dma_tail_ = 0;
  std::uint32_t dma_done_ = 0;
  std::uint32_t dma_moved_ = 0;
  bool dma_held_ = false;
  std::uint32_t causes_ = 0;
  std::uint32_t events_ = 0;
  std::uint32_t event_info_ = 0;
  std::uint32_t stride_ = 16;
};

/// Sectors in plain memory behind fw::StorageBackend; moves data by the DMA ring as the FTL does.
class MemoryStorage final : public fw::StorageBackend {
 public:
  static constexpr std::uint64_t kSectors = 4096;

  void boot(NvmeFrontEnd& front, fw::HostPort& host, fw::RequestSink& sink, std::uint32_t stride,
            std::uint32_t staging_offset);

  [[nodiscard]] std::uint64_t exported_sectors() const override { return kSectors; }
  void submit(fw::Request& request) override;
  [[nodiscard]] const fw::FtlStatistics& statistics() const override { return counters; }

  [[nodiscard]] bool keeps_tables() const override { return keeps; }
  bool keeps = false; // from before boot on
  void record_changed() override { ++records_changed; }
  std::uint32_t records_changed = 0;
  [[nodiscard]] bool can_purge() const override { return true; }
  [[nodiscard]] bool can_sanitize() const override { return keeps; }
  [[nodiscard]] std::uint16_t purge_progress() const override { return 0x4000; }
  [[nodiscard]] bool recovering() const override { return recovers; }
  bool recovers = false; // its tables

  /// Finishes the oldest deferred request, false when there is none.
  bool finish_one();
  /// Moves write data that has arrived from the staging buffers into the sectors.
  void commit();
  std::uint8_t* sector(std::uint64_t lba) { return &sectors_[lba * stride_]; }

  bool deferred = false;                             // finish only by finish_one()
  std::uint16_t next_status = nvme::status::success; // status of the requests to come
  std::optional<fw::RequestKind> fail;               // requests of this kind fail
  fw::FtlStatistics counters;
  std::vector<fw::Request> log; // as submitted

 private:
  void start(fw::Request& request);
  std::uint16_t look_for_losses(const fw::Request& request) const;
  struct Write {
    std::uint64_t lba;
    std::uint32_t sectors;
    std::uint32_t buffer;
  };

  NvmeFrontEnd* front_ = nullptr;
  fw::HostPort* host_ = nullptr;
  fw::RequestSink* sink_ = nullptr;
  std::uint32_t stride_ = 0;
  std::uint32_t staging_ = 0;
  std::vector<std::uint8_t> sectors_;
  std::deque<fw::Request*> waiting_;
  std::vector<Write> writes_;
  std::set<std::uint64_t> lost_; // sectors that have been spoilt
};

/// The NVMe firmware between the two, and the words tests use.
class NvmeBench {
 public:
  /// `slots` is what the firmware is told; the front end itself has kSlots.
  explicit NvmeBench(fw::NvmeConfig config = default_config(), std::uint32_t slots = NvmeFrontEnd::kSlots,
                     bool keeps_tables = false);
  static fw::NvmeConfig default_config();

  /// Turns of the firmware's main loop until no cause is pending.
  void run();
  /// Enables the controller and creates one I/O queue pair of 64 entries, id 1.
  void enable();
  void create_pair(std::uint16_t id);

  /// Fetches a command, runs, and returns its completion (a test failure when there is none).
  Completion admin(const nvme::Sqe& sqe, std::vector<std::uint8_t> data = {}) {
    return command(0, sqe, std::move(data));
  }
  Completion io(const nvme::Sqe& sqe, std::vector<std::uint8_t> data = {}) {
    return command(1, sqe, std::move(data));
  }
  Completion command(std::uint16_t sqid, const nvme::Sqe& sqe, std::vector<std::uint8_t> data);
  /// Has it fetched under an identifier that no other command has, and does not wait for its end.
  void begin(std::uint16_t sqid, nvme::Sqe entry, std::vector<std::uint8_t> data = {}) {
    entry.cid = static_cast<std::uint16_t>(1000 + begun_++);
    front.fetch(sqid, entry, std::move(data));
  }
  /// Host data of the last command().
  [[nodiscard]] const std::vector<std::uint8_t>& data() const { return front.host_data(last_slot_); }
  /// Completions not taken yet.
  Completion take();

  NvmeFrontEnd front;
  fw::HostPort host;
  MemoryStorage storage;
  fw::NvmeController controller;
  fw::NvmeConfig config;
  std::uint16_t last_slot_ = 0;
  std::uint16_t begun_ = 0;
};

// --- submission queue entries ---
nvme::Sqe sqe(std::uint8_t opcode, std::uint32_t nsid = 0, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0);
nvme::Sqe transfer(std::uint8_t opcode, std::uint64_t lba, std::uint32_t sectors);
nvme::Sqe create_cq(std::uint32_t id, std::uint32_t entries, std::uint32_t vector = 1);
nvme::Sqe create_sq(std::uint32_t id, std::uint32_t entries, std::uint32_t cqid);

} // namespace twinplane::test
