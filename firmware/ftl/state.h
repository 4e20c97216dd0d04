// What all stages of the pipeline share: the device's tables, pools and decisions.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/block_table.h"
#include "firmware/ftl/bring_up/times.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/hooks.h"
#include "firmware/ftl/lpn_locks.h"
#include "firmware/ftl/map/address_map.h"
#include "firmware/ftl/map/item_map.h"
#include "firmware/ftl/map/lost_sectors.h"
#include "firmware/ftl/page_buffer.h"
#include "firmware/ftl/policies.h"
#include "firmware/ftl/request.h"
#include "firmware/ftl/statistics.h"
#include "firmware/ftl/transaction_pool.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/host_port.h"
#include "firmware/hal/probe_point.h"
#include "firmware/hal/work_probe.h"
#include "hw/spec/nvme.h"

namespace twinplane::fw {

class BufferPath; // io/buffer_path.h

/// Part of device DRAM.
struct DramSpan {
  std::uint32_t begin = 0;
  std::uint32_t bytes = 0;
};

struct FtlState {
  Hal* hal = nullptr;
  HostPort* host = nullptr;
  RequestSink* sink = nullptr;
  FtlConfig config;
  Policies policy;
  BlockTable blocks;
  LostSectors lost;
  TransactionPool pool;
  LpnLocks locks;
  Hooks hooks{*this};
  NothingToWrite nothing_to_write;
  Durability* durability = &nothing_to_write;
  BufferPath* buffer = nullptr; // none unless ftl.write_ack is buffered
  DramSpan host_data;           // the write buffer and the buffers of pages
  FtlStatistics statistics;
  Units* units = nullptr; // the map of drives whose unit is smaller than a page
  AddressMap map{*this};
  ItemMap items;
  WorkProbe* probe = nullptr; // the account of the time of planes

  /// Nothing can be written any more: too many blocks are bad.
  bool read_only() const { return statistics.read_only; }
  /// Flash has failed in this life or, with blocks lost, in an earlier one.
  bool has_failed_cells() const {
    return statistics.flash_failures != 0 || blocks.good_blocks() != good_blocks_at_boot;
  }

  /// The host writes these sectors of one page.
  void count_host_write(std::uint32_t mask) {
    ++statistics.host_pages_written;
    statistics.host_sectors_written += bits_set(mask);
  }

  bool assigns_planes = false; // block allocation orders the planes of a die, not plane allocation
  std::uint32_t exported_pages = 0;
  std::uint64_t good_blocks_at_boot = 0;
  BringUpTimes bring_up;
  std::uint32_t sectors_shift = 0; // log2 of sectors per page
  std::uint32_t full_mask = 0;     // all sectors of a page
  std::uint32_t payload = 0;       // bytes per sector in DRAM buffers
  std::uint32_t sequence = 0;      // arrival counter of transactions
  std::uint64_t charged_cycles = 0;
  std::uint64_t write_sequence = 0; // stored with every page written, as far as its word has room

  /// The flash operation of t has failed. A block whose program or erase fails is not used again.
  void note_failure(const Transaction& t) {
    ++statistics.flash_failures;
    if (t.traits->changes_cells()) blocks.mark_grown_bad(t.ppn);
  }

  /// The word that t's page is programmed with, whose stamp t keeps.
  std::uint64_t stamp_word(Transaction& t) {
    const std::uint64_t word = make_oob(t.lpn);
    t.stamp = static_cast<std::uint32_t>(write_sequence);
    return word;
  }
  std::uint64_t make_oob(std::uint32_t lpn) {
    return oob_of(static_cast<std::uint32_t>(++write_sequence), lpn);
  }
  static std::uint64_t oob_of(std::uint32_t stamp, std::uint32_t lpn) {
    return std::uint64_t{stamp} << 32 | lpn;
  }

  /// CPU time used by a step. The core spends it in one sum before anything can see the clock or the device.
  void charge(std::uint32_t steps, std::uint32_t cycles_each) {
    charged_cycles += std::uint64_t{steps} * cycles_each;
  }
  void spend_charged() {
    if (charged_cycles == 0) return;
    constexpr std::uint32_t kMost = ~0u; // at once
    for (; charged_cycles > kMost; charged_cycles -= kMost) hal->charge(kMost);
    hal->charge(static_cast<std::uint32_t>(charged_cycles));
    charged_cycles = 0;
  }
  std::uint64_t now_ps() {
    spend_charged();
    return hal->now_ps();
  }

  /// Hands out the page `slot`, which block allocation named for `where` and whose number is `ppn`, and
  /// points the LPN to it; the version it replaces turns invalid. Returns what the LPN pointed to before.
  Ppn place(std::uint32_t lpn, Ppn ppn, const Placement& where, const PageSlot& slot) {
    const Ppn old = unlink_old(policy.mapping->exchange(lpn, ppn));
    blocks.take_valid_page(where.plane, slot.block, slot.page);
    policy.allocation->take(where, slot);
    return old;
  }
  /// Points the LPN back to a page that it has pointed to before and that has not been erased since.
  void put_back(std::uint32_t lpn, Ppn ppn) {
    unlink_old(policy.mapping->exchange(lpn, ppn));
    blocks.valid_again(blocks.plane_of(ppn), blocks.block_of(ppn), blocks.page_of(ppn));
  }
  /// Hands out a page that no LPN will point to.
  void consume_page_unmapped(const Placement& where, const PageSlot& slot) {
    blocks.take_page(where.plane, slot.block, slot.page);
    policy.allocation->take(where, slot);
  }

  /// Aims a read at a page; the block cannot be erased before the reader has left.
  void set_read_target(Transaction& t, Ppn ppn) {
    address(t, ppn);
    blocks.add_reader(ppn);
  }
  /// An operation of the firmware's own at a page or its block, which arrives now. It moves whole pages,
  /// unless told.
  void begin(Transaction& t, const OpTraits& kind, OpOwner& owner, Ppn ppn) {
    address(t, ppn);
    t.become(kind, owner);
    t.mask = t.flash_mask = full_mask;
    t.sequence = ++sequence;
    t.queued_ps = now_ps();
  }

  /// Programs are to take pages of all planes of a die (ftl.program_unit), and the host's data may go to any of them.
  bool programs_all_planes() const {
    return config.program_unit == ProgramUnit::die && !policy.planes->plane_is_static();
  }

  /// The plane of the die where host pages go on.
  std::uint32_t first_plane(std::uint32_t die, PageHint hint) const {
    return assigns_planes ? policy.allocation->next_plane(die, Stream::host, hint)
                          : policy.planes->first_plane(die);
  }

 private:
  friend class AddressMap;

  void address(Transaction& t, Ppn ppn) {
    t.ppn = ppn;
    t.plane = blocks.plane_of(ppn);
    t.die = static_cast<std::uint16_t>(blocks.die_of(ppn));
  }
  Ppn unlink_old(Ppn old) {
    if (is_page(old)) blocks.invalidate(old);
    return old;
  }
};

/// Of the sectors that a read should have moved, those that it has not.
inline std::uint32_t failed_sectors(const FlashCompletion& c, std::uint32_t moved) {
  if (c.result == 0) return 0;
  return c.result == flash_result::uncorrectable ? c.failed_sectors & moved : moved;
}

inline std::uint32_t oob_lpn(std::uint64_t oob) {
  return static_cast<std::uint32_t>(oob);
}

} // namespace twinplane::fw
