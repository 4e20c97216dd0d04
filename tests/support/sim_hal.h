// Hal with a simulated front end and simulated flash: host memory per command slot, the DMA ring, the
// flash controllers' rings. Nothing happens by itself; step() executes the next event, in order or
// picked by a seeded schedule, so that every interleaving of DMA, dies and firmware can be tried.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "firmware/ftl/random.h"
#include "firmware/hal/hal.h"
#include "hw/spec/host_descriptor.h"
#include "hw/spec/registers.h"
#include "tests/support/sim_flash.h"

namespace twinplane::test {

struct SimHalConfig {
  Geometry geometry;
  DataMode data_mode = DataMode::tag;
  SimFlashRules rules;
  std::uint32_t dram_bytes = 16u << 20;
  std::uint32_t slots = 256;
  std::uint32_t slot_sectors = 256;  // largest command
  std::uint32_t die_queue_depth = 1; // commands of all planes that a die may be given; it runs them in order
  bool independent_reads = false;    // ... but for single reads of different planes
  bool suspend = false;              // ... but for reads of a die that has something else to do
  bool late_data = false;            // data move when their time has come, not when firmware asks
  bool shuffle = false;              // events in random instead of first-come order
  bool newest_first = false;         // flash commands the other way round, as far as dies allow it
  bool programs_last = false;        // a program is answered after whatever its die does next
  bool reads_first = false;          // of what a die has been given reads are run before the rest
  std::uint64_t seed = 1;
};

class SimHal final : public fw::Hal {
 public:
  explicit SimHal(const SimHalConfig& config);

  // --- fw::Hal ---
  std::uint32_t mmio_read(std::uint32_t address) override;
  void mmio_write(std::uint32_t address, std::uint32_t value) override;
  std::uint8_t* dram() override { return dram_.get(); }
  std::uint32_t dram_size() const override { return config_.dram_bytes; }
  void* boot_alloc(std::size_t bytes) override;
  void charge(std::uint32_t cycles) override { now_ps_ += std::uint64_t{cycles} * 1000; }
  std::uint64_t now_ps() const override { return now_ps_; }
  void wait_for_interrupt() override;
  FlashCompletion flash_functional(std::uint32_t channel, const FlashDescriptor& d,
                                   std::uint8_t* payload) override {
    return flash_.run_functional(channel, d, payload, dram());
  }
  void keep_page(std::uint32_t ppn, std::uint64_t word, const std::uint8_t* bytes,
                 std::uint32_t count) override {
    kept_[ppn] = {word, std::vector<std::uint8_t>(bytes, bytes + count)};
  }
  bool kept_page(std::uint32_t ppn, std::uint64_t word, std::uint8_t* bytes, std::uint32_t count) override {
    const auto at = kept_.find(ppn);
    if (at == kept_.end() || at->second.word != word || at->second.bytes.size() != count) return false;
    std::copy(at->second.bytes.begin(), at->second.bytes.end(), bytes);
    return true;
  }
  void drop_pages(std::uint32_t first_ppn, std::uint32_t count) override {
    kept_.erase(kept_.lower_bound(first_ppn), kept_.lower_bound(first_ppn + count));
  }
  [[noreturn]] void panic(const char* what) override;

  /// The supply fails: of the commands given to a die, in their order, some are complete, one may be under
  /// way, and the others have not begun. `hold_up`: what is under way is completed. Nothing but the flash is
  /// left.
  void cut_power(bool hold_up, fw::Random& random);

  /// Executes one pending event (a DMA descriptor or a command group whose fence is reached). False
  /// when nothing can happen. Channels that got completions are set in irqs().
  bool step();
  /// Channels with unread completions, cleared by the call.
  std::uint64_t take_irqs();
  /// True when a real device would have raised an interrupt since the last take_irqs().
  bool irq_pending() const { return irqs_ != 0 || notified_ || now_ps_ >= alarm_ps_; }
  /// The timer has rung since the last call.
  bool take_timer() {
    const bool rang = now_ps_ >= alarm_ps_;
    if (rang) alarm_ps_ = ~std::uint64_t{0};
    return rang;
  }
  /// Nothing else can happen: time goes on until the timer rings. False: it is not armed.
  bool wait_for_timer();
  /// True when a descriptor has asked for the DMA interrupt since the last call or take_irqs().
  bool take_dma_irq() { return std::exchange(notified_, false); }

  /// The command's data as the host sees it, `payload` bytes per sector.
  std::uint8_t* host_data(std::uint16_t slot) { return host_.data() + std::size_t{slot} * slot_bytes_; }
  struct Completed {
    std::uint16_t slot;
    std::uint16_t status;
  };
  /// Asked for each data move to the device: a status other than success makes it fail.
  std::function<std::uint16_t(const DmaDescriptor&)> refuse_data;
  /// Slots completed on the DMA ring since the last call.
  std::vector<Completed> take_completed() { return std::exchange(completed_, {}); }

  SimFlash& flash() { return flash_; }
  std::uint32_t payload() const { return payload_; }
  std::size_t boot_bytes() const { return boot_bytes_; }
  std::uint64_t doorbells() const { return doorbells_; }
  /// Sectors moved to the host, zeros included.
  std::uint64_t sectors_delivered() const { return sectors_delivered_; }
  /// Largest number of command groups in flight at once since construction.
  std::uint32_t max_busy_dies() const { return max_busy_; }
  /// The same of one die.
  std::uint32_t max_queued() const { return max_queued_; }
  /// Sizes of all command groups by operation: groups(op, planes).
  std::uint64_t groups(FlashOp op, std::uint32_t planes) const {
    return groups_[static_cast<std::uint32_t>(op)][planes];
  }

 private:
  struct Kept {
    std::uint64_t word = 0;
    std::vector<std::uint8_t> bytes;
  };
  struct Channel {
    std::uint32_t submission_base = 0, submission_size = 0, completion_base = 0, completion_size = 0;
    std::uint32_t submission_head = 0, completion_tail = 0;
  };
  struct Group {
    std::uint32_t channel = 0;
    std::uint32_t die = 0;
    std::vector<FlashDescriptor> descriptors;
  };

  void take_submissions(std::uint32_t channel, std::uint32_t tail);
  void check_room(const Group& group);
  /// Reads of one page each, of different planes.
  struct Unmap {
    std::size_t bytes;
    void operator()(std::uint8_t* memory) const;
  };
  bool independent(const Group& a, const Group& b) const;
  std::size_t first_of_die(std::size_t index) const;
  bool ready(const Group& g) const;
  void run_group(std::size_t index);
  void answer(std::uint32_t channel, const std::vector<FlashCompletion>& done);
  bool answer_held(std::uint32_t die);
  DmaDescriptor piece(std::uint32_t index, std::uint32_t& before) const;
  void move_data();
  void run_dma();
  std::uint32_t take_causes(std::uint32_t word);

  SimHalConfig config_;
  SimFlash flash_;
  std::uint32_t payload_;
  std::size_t slot_bytes_;
  fw::Random random_;
  std::unique_ptr<std::uint8_t[], Unmap> dram_;
  std::vector<std::uint8_t> host_;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> boot_blocks_;
  std::vector<Channel> channels_;
  std::vector<Group> pending_;
  struct Held {
    std::uint32_t channel = 0;
    std::uint32_t die = 0;
    std::vector<FlashCompletion> done;
  };
  std::vector<Held> held_; // programs_last: done, not answered
  std::vector<Completed> completed_;
  std::uint32_t dma_base_ = 0, dma_size_ = 0, dma_tail_ = 0, dma_done_ = 0;
  std::uint32_t dma_piece_ = 0; // of the descriptor under way, done so far
  std::uint32_t moved_ = 0, moved_piece_ = 0;
  std::uint32_t status_at_ = 0; // DmaStatus
  std::uint32_t data_slot_ = 0;
  std::vector<std::uint16_t> slot_errors_;
  std::uint64_t irqs_ = 0;
  std::uint64_t sectors_delivered_ = 0;
  bool notified_ = false; // a DMA descriptor with dma_flag::notify was executed
  std::uint64_t now_ps_ = 0;
  std::uint64_t alarm_ps_ = ~std::uint64_t{0}; // when the timer rings
  std::uint64_t doorbells_ = 0;
  std::uint64_t groups_[6][kMaxPlanesPerDie + 1] = {};
  std::uint32_t max_busy_ = 0;
  std::uint32_t max_queued_ = 0;
  std::size_t boot_bytes_ = 0;
  std::map<std::uint32_t, Kept> kept_; // pages of metadata; they outlast the supply as cells do
};

} // namespace twinplane::test
