// What all stages of the pipeline share: the device's tables, pools and decisions.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/block_table.h"
#include "firmware/ftl/bring_up/times.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/lost_sectors.h"
#include "firmware/ftl/lpn_locks.h"
#include "firmware/ftl/page_buffer.h"
#include "firmware/ftl/policies.h"
#include "firmware/ftl/relocation/copybacks.h"
#include "firmware/ftl/request.h"
#include "firmware/ftl/statistics.h"
#include "firmware/ftl/transaction_pool.h"
#include "firmware/ftl/write_buffer/write_buffer.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/host_port.h"
#include "firmware/hal/probe_point.h"
#include "firmware/hal/work_probe.h"
#include "hw/spec/nvme.h"

namespace twinplane::fw {

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
  Copybacks copybacks;
  WriteBuffer* buffer = nullptr; // none unless ftl.write_ack is buffered
  FtlStatistics statistics;
  WorkProbe* probe = nullptr; // whoever accounts for the time of planes

  /// Nothing can be written any more: too many blocks are bad.
  bool read_only() const { return statistics.read_only; }

  /// The host writes these sectors of one page.
  void count_host_write(std::uint32_t mask) {
    ++statistics.host_pages_written;
    statistics.host_sectors_written += bits_set(mask);
  }

  bool deals_planes = false; // block allocation orders the planes of a die, not plane allocation
  std::uint32_t exported_pages = 0;
  std::uint64_t good_blocks_at_boot = 0;
  BringUpTimes bring_up;
  std::uint32_t sectors_shift = 0; // log2 of sectors per page
  std::uint32_t full_mask = 0;     // all sectors of a page
  std::uint32_t payload = 0;       // bytes per sector in DRAM buffers
  std::uint32_t sequence = 0;      // arrival counter of transactions
  std::uint32_t charged_cycles = 0;
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
  void charge(std::uint32_t steps, std::uint32_t cycles_each) { charged_cycles += steps * cycles_each; }
  void spend_charged() {
    if (charged_cycles == 0) return;
    hal->charge(charged_cycles);
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
  void put_back(std::uint32_t lpn, Ppn ppn, std::uint32_t plane, const PageSlot& slot) {
    unlink_old(policy.mapping->exchange(lpn, ppn));
    blocks.valid_again(plane, slot.block, slot.page);
  }
  /// Hands out a page that no LPN will point to.
  void waste(const Placement& where, const PageSlot& slot) {
    blocks.take_page(where.plane, slot.block, slot.page);
    policy.allocation->take(where, slot);
  }

  /// Aims a read at a page; the block cannot be erased before the reader has left.
  void aim(Transaction& t, Ppn ppn) {
    address(t, ppn);
    blocks.add_reader(ppn);
  }
  /// An operation of the firmware's own at a page or its block, which arrives now. It moves whole pages, unless
  /// told.
  void begin(Transaction& t, const OpTraits& kind, OpOwner& owner, Ppn ppn) {
    address(t, ppn);
    t.become(kind, owner);
    t.mask = t.flash_mask = full_mask;
    t.sequence = ++sequence;
    t.queued_ps = now_ps();
  }

  /// The plane of the die where host pages go on.
  std::uint32_t first_plane(std::uint32_t die, PageHint hint) const {
    return deals_planes ? policy.allocation->next_plane(die, Stream::host, hint)
                        : policy.planes->first_plane(die);
  }

  /// Forgets the LPN's page and its losses. Returns what it pointed to.
  Ppn unmap(std::uint32_t lpn) {
    if (lost.any()) lost.set(lpn, 0);
    return unlink_old(policy.mapping->exchange(lpn, kNoPpn));
  }
  /// The LPN's page cannot be read any more.
  Ppn lose(std::uint32_t lpn) {
    lost.set(lpn, full_mask);
    keep_copy(lpn);
    return unlink_old(policy.mapping->exchange(lpn, kNoPpn));
  }
  /// These sectors of the LPN's page cannot be read any more; the map goes on naming it for the others.
  void lose_sectors(std::uint32_t lpn, std::uint32_t sectors) {
    lost.set(lpn, lost.of(lpn) | sectors);
    keep_copy(lpn);
  }
  /// A read of t.ppn has failed. If that page's program is under way or, as it has failed too, about to be
  /// repeated, t's buffer gets the sectors from the transaction that holds them, which is returned. No matter
  /// which of the two has answered first.
  const Transaction* read_from_writer(const Transaction& t) {
    const Transaction* const writer = pool.writer_of(t.ppn);
    if (writer != nullptr) copy_sectors(*hal, payload, t.buffer, writer->buffer, t.flash_mask);
    return writer;
  }

  /// A read of t.ppn has failed, and the page is not, or soon will not be, what the map names for the LPN:
  /// its program has failed, or is a copyback whose failure is known already to the die alone.
  bool abandoned(const Transaction& t) const {
    return policy.mapping->lookup(t.lpn) != t.ppn || pool.copied_to(t.ppn);
  }

  /// These subpages cannot be read any more.
  void lose_subpages(std::uint32_t lpn, std::uint32_t subpages, TouchedPlanes& touched) {
    if (subpages == 0) return;
    lost.set(lpn, lost.of(lpn) | policy.cache->io.sectors_of(subpages));
    keep_copy(lpn);
    policy.cache->placement.unmap(lpn, subpages, touched);
  }
  /// Who has the data of that subpage of the page in its buffer, nullptr: nobody, or the map names another
  /// page for it. Looks at all transactions.
  const Transaction* writer_of(Ppn page, const LogicalSubpage& l) const {
    const SlcCache& cache = *policy.cache;
    const Psn now = cache.map.at(l.lpn, l.subpage);
    if (now == kNoPsn || cache.map.page_of(now) != page) return nullptr;
    return pool.find([&](const Transaction& t) { return cache.io.place_in(t, l) != SubpageIo::kNoPlace; });
  }
  /// As read_from_writer(), of the subpages that t reads. Returns the sectors that t's buffer has got, in the
  /// order of the logical page.
  std::uint32_t take_from_cache_writer(Transaction& t) {
    SlcCache& cache = *policy.cache;
    std::uint32_t got = 0;
    for (std::uint32_t left = cache.io.work(t).reading; left != 0; left &= left - 1) {
      const std::uint32_t subpage = lowest_bit(left);
      const LogicalSubpage l = cache.io.logical(t, subpage);
      const Transaction* const writer = writer_of(t.ppn, l);
      if (writer == nullptr) continue;
      const std::uint32_t sectors = cache.io.subpage_sectors(subpage) & t.flash_mask;
      cache.io.copy_subpage(*writer, cache.io.place_in(*writer, l), t, subpage, sectors);
      got |= sectors;
    }
    return got;
  }

  /// The subpages that t has read are put where they belong. Returns the sectors, in the order of the logical page,
  /// that neither the flash nor a buffer has delivered.
  std::uint32_t take_read_subpages(Transaction& t, const FlashCompletion& c) {
    SlcCache& cache = *policy.cache;
    const std::uint32_t failed = cache.io.failed_sectors(t, c);
    cache.io.arrived(t, t.flash_mask & ~failed);
    if (c.result == 0) return failed;
    note_failure(t);
    cache.placement.spoilt(t.ppn);
    return failed & ~take_from_cache_writer(t);
  }

  /// The program of these subpages has failed, and will not be repeated: what they had replaced counts again.
  /// Returns those of which nothing is left.
  std::uint32_t return_subpages(const Transaction& failed, std::uint32_t subpages, TouchedPlanes& touched) {
    SlcCache& cache = *policy.cache;
    std::uint32_t gone = 0;
    for (; subpages != 0; subpages &= subpages - 1) {
      const std::uint32_t s = lowest_bit(subpages);
      const LogicalSubpage l = cache.io.logical(failed, s);
      const Psn before = cache.placement.version_before(failed, s);
      if (before != kNoPsn) {
        cache.map.link(l.lpn, l.subpage, before, touched);
        policy.allocation->revoke(blocks.plane_of(cache.map.page_of(before)));
      } else if (cache.io.replaced(failed, s) == kNoPpn) {
        cache.map.unlink(l.lpn, l.subpage, touched);
      } else {
        gone |= 1u << s;
      }
    }
    return gone;
  }

  /// A program of subpages has failed for good: a write that has replaced what it should have brought has in
  /// truth replaced what that had (TransactionPool::inherit).
  void inherit_subpages(const Transaction& failed) {
    SlcCache& cache = *policy.cache;
    pool.for_each([&](const Transaction& t) {
      if (&t == &failed || !t.traits->by_subpage) return;
      for (std::uint32_t left = cache.io.in_hand(t); left != 0; left &= left - 1) {
        const std::uint32_t s = lowest_bit(left);
        if (cache.io.replaced(t, s) != failed.ppn) continue;
        const std::uint32_t in_failed = cache.io.part_of(failed, cache.io.logical(t, s));
        if (in_failed != SubpageIo::kNoPlace)
          cache.io.set_replaced(t, s, cache.io.replaced(failed, in_failed));
      }
    });
  }

 private:
  void address(Transaction& t, Ppn ppn) {
    t.ppn = ppn;
    t.plane = blocks.plane_of(ppn);
    t.die = static_cast<std::uint16_t>(blocks.die_of(ppn));
  }
  /// If the write buffer has a copy, it is the only one now.
  void keep_copy(std::uint32_t lpn) {
    BufferSlot* const copy = buffer == nullptr ? nullptr : buffer->newest(lpn);
    if (copy != nullptr && copy->state == SlotState::clean) buffer->set_state(*copy, SlotState::dirty);
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
