// Data that firmware itself makes or reads (admin pages, dataset management ranges): 4 KiB buffers in
// device DRAM and the DMA between them and the host.
#pragma once

#include <cstdint>

#include "firmware/hal/host_port.h"
#include "firmware/nvme/command.h"

namespace twinplane::fw {

class DataTransfers {
 public:
  static constexpr std::uint32_t kBytes = 4096;
  static constexpr std::uint8_t kBuffers = 8;

  struct Parts {
    Hal* hal;
    HostPort* host;
    std::uint32_t dram_offset; // kBuffers * kBytes from here
    std::uint32_t dma_submit_cycles;
  };
  void boot(const Parts& parts) { parts_ = parts; }

  /// A zeroed buffer for the command; nullptr when none is free: the command is parked then and must be
  /// executed again from its beginning when next_ready() returns it.
  std::uint8_t* take(Command& command);
  /// Returns the buffer of take() or fetch().
  void give(const Command& command) { state_[command.buffer] = State::free; }
  [[nodiscard]] std::uint8_t* data(const Command& command) const;

  /// Sends `bytes` of the command's buffer from `skip` to the start of its host data and returns the
  /// buffer when they have gone. The command may be completed at once.
  void send(const Command& command, std::uint32_t skip, std::uint32_t bytes);
  /// Fetches the first `bytes` of the command's host data into its buffer; wait_for() follows.
  void fetch(Command& command, std::uint32_t bytes);

  /// Posts a descriptor and makes the command wait for it: next_arrived() returns it when it is done.
  void wait_for(Command& command, DmaDescriptor descriptor);

  /// Whether the data of a command that has arrived are there.
  [[nodiscard]] std::uint16_t status(const Command& command) const {
    return parts_.host->data_status(command.slot);
  }

  /// DMA_DONE was read.
  void on_done(std::uint32_t done);
  /// Next command whose descriptor is done; nullptr when none. Call until then.
  Command* next_arrived();
  /// A parked command could have a buffer. The end of a turn has to look: a buffer may become free at any
  /// point of it, and no interrupt follows.
  [[nodiscard]] bool any_ready() const { return !parked_.empty() && free_buffer() != kBuffers; }
  /// Next parked command while a buffer is free; nullptr when none.
  Command* next_ready();
  /// Takes a parked command back for an abort; nullptr when it is not parked.
  Command* remove_parked(std::uint16_t sqid, std::uint16_t cid) { return parked_.remove(sqid, cid); }

 private:
  enum class State : std::uint8_t { free, taken, draining };

  std::uint8_t free_buffer() const;
  std::uint32_t post(const DmaDescriptor& descriptor);

  Parts parts_{};
  State state_[kBuffers] = {};
  std::uint32_t drained_by_[kBuffers] = {};
  std::uint32_t done_ = 0;
  CommandList parked_;  // waiting for a buffer
  CommandList waiting_; // for DMA; the ring is executed in order, so the list is too
};

} // namespace twinplane::fw
