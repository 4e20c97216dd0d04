// Write-back buffer in device DRAM: which page to keep, which to write to flash, which slot to reuse?
//
// A slot holds one version of an LPN. While a version is being written back its slot takes no new
// data; a write that comes meanwhile starts a newer version in another slot, which waits until the older one
// is on flash or void (BufferedWrites says why).
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

/// waiting: dirty, but not to be written back yet, as an older version of the LPN is.
enum class SlotState : std::uint8_t { free, clean, dirty, waiting, writing };
constexpr std::uint32_t kSlotStates = 5;

struct BufferSlot {
  std::uint32_t lpn = kNoLpn;
  std::uint32_t mask = 0;        // sectors that the slot holds
  std::uint32_t buffer = 0;      // DRAM offset of its page
  std::uint32_t guard = 0;       // last host DMA that touches the buffer
  std::uint32_t sequence = 0;    // arrival of the version (FtlState::sequence)
  std::uint32_t dirty_since = 0; // order in which versions became dirty
  std::uint16_t index = 0;
  SlotState state = SlotState::free;
  PageHint hint = kAnyPage;
  bool listed = false; // newest() and older() find it
  bool closed = false; // takes no new data: a trim that came later has waited for its turn
};

class WriteBuffer {
 public:
  /// Newest version of the LPN, nullptr when none is held; then the next older one.
  [[nodiscard]] virtual BufferSlot* newest(std::uint32_t lpn) = 0;
  [[nodiscard]] virtual BufferSlot* older(const BufferSlot& slot) = 0;
  [[nodiscard]] virtual BufferSlot& at(std::uint16_t index) = 0;

  /// The slot to reuse for another LPN (free, else the least valuable clean one), nullptr when none.
  virtual BufferSlot* reusable() = 0;
  /// Makes a reusable slot the newest, still empty and clean, version of the LPN.
  virtual void assign(BufferSlot& slot, std::uint32_t lpn, std::uint32_t sequence) = 0;
  /// The slot was read or written by the host.
  virtual void touch(BufferSlot& slot) = 0;

  /// The page to write back next, nullptr when no page is dirty.
  virtual BufferSlot* least_valuable_dirty() = 0;
  /// Versions become dirty (or waiting) in an order, which dirty_mark() and written_up_to() are about.
  virtual void set_state(BufferSlot& slot, SlotState state) = 0;
  /// newest() and older() find the slot no longer.
  virtual void hide(BufferSlot& slot) = 0;

  [[nodiscard]] virtual std::uint32_t count(SlotState state) const = 0;
  /// Versions that became dirty up to now; and true when all up to `mark` are on flash.
  [[nodiscard]] virtual std::uint32_t dirty_mark() const = 0;
  [[nodiscard]] virtual bool written_up_to(std::uint32_t mark) const = 0;

 protected:
  ~WriteBuffer() = default;
};

/// `pages` slots with buffers of `stride` bytes from DRAM offset `buffers`.
WriteBuffer* make_lru_write_buffer(BootMemory& memory, std::uint32_t pages, std::uint32_t buffers,
                                   std::uint32_t stride);

} // namespace twinplane::fw
