// Command contexts of the front end: one slot per command from its fetch until firmware has completed it.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/host_if/queues.h"
#include "hw/spec/nvme.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class SlotState : std::uint8_t {
  free,
  active,
  orphaned, // the controller was reset: its data and completion no longer reach the host
};

struct Slot {
  SlotState state = SlotState::free;
  bool unwanted = false;        // its submission queue was deleted: no completion is to be posted
  std::uint16_t next = kNoSlot; // free list
  std::uint16_t sqid = 0;
  std::uint16_t cqid = 0;
  std::uint16_t cid = 0;
  std::uint16_t error =
      nvme::status::success; // of its data, by SlotTable::fail(); replaces a successful status
  TimePs fetched_at = 0;
  // data pointer
  std::uint64_t prp1 = 0;
  std::uint64_t prp2 = 0;
  std::uint32_t data_bytes = 0; // of the whole command
  // position in the PRP list: entries [list_first, list_first + list_entries) lie at list_address
  std::uint64_t list_address = 0;
  std::uint32_t list_first = 0;
  std::uint32_t list_entries = 0; // 0 = list not fetched yet
  TimePs list_ready = 0;          // when the list page has arrived
};

class SlotTable {
 public:
  explicit SlotTable(std::uint32_t count) : slots_(count), count_(count) {
    failed_ = &own_failed_;
    for (std::uint32_t i = count; i-- != 0;) release(static_cast<std::uint16_t>(i));
    in_use_ = 0;
  }
  std::uint32_t count() const { return count_; }
  std::uint32_t free() const { return count_ - in_use_; }
  std::uint32_t in_use() const { return in_use_; }
  bool valid(std::uint32_t index) const { return index < count_; }
  Slot& operator[](std::uint32_t index) { return slots_[index]; }

  /// Takes a free slot; call only while free() != 0.
  std::uint16_t take() {
    const std::uint16_t index = first_free_;
    first_free_ = slots_[index].next;
    ++in_use_;
    return index;
  }
  void release(std::uint16_t index) {
    if (slots_[index].error != nvme::status::success) forget_error(slots_[index]);
    slots_[index].state = SlotState::free;
    slots_[index].next = first_free_;
    first_free_ = index;
    --in_use_;
  }

  /// Some of the command's data failed to move. Only the first failure is kept.
  void fail(Slot& slot, std::uint16_t status) {
    if (slot.error != nvme::status::success) return;
    slot.error = status;
    ++*failed_;
  }
  /// Where the number of failed commands is kept (DmaStatus::failed).
  void count_failed_in(std::uint32_t& place) {
    place = *failed_;
    failed_ = &place;
  }

  /// Controller reset: firmware still has to answer the active ones.
  void orphan_all() {
    for (Slot& slot : slots_) {
      if (slot.state == SlotState::active) slot.state = SlotState::orphaned;
    }
  }

 private:
  void forget_error(Slot& slot) {
    slot.error = nvme::status::success;
    --*failed_;
  }

  std::vector<Slot> slots_;
  const std::uint32_t count_;
  std::uint32_t own_failed_ = 0;
  std::uint32_t* failed_ = nullptr;
  std::uint16_t first_free_ = kNoSlot;
  std::uint32_t in_use_ = 0;
};

/// Length of the data a command moves; the front end needs it to read PRP2 rightly and never to
/// run over the host's buffer. Commands without data, or with data this platform does not know, get
/// one page, the largest administrative transfer.
std::uint32_t command_data_bytes(const nvme::Sqe& sqe, bool admin, std::uint32_t sector_size);

} // namespace twinplane::hw
