// Pages, or blocks, of one die that leave as one command: one for each plane, or where wordlines are programmed in one
// pass the pages of one of each plane, plane by plane. Groups of several planes become an ONFI multi-plane command and
// obey its rules: different planes of one die, equal page addresses (PAC, unless nand.pac is off) and equal block
// addresses (BAC, when nand.bac is set).
#pragma once

#include <cstdint>

#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/gc/gc_jobs.h"
#include "hw/spec/flash_descriptor.h"

namespace twinplane::fw {

struct CommandGroup {
  Transaction* item[kMaxPagesPerCommand];
  PageSlot slot[kMaxPagesPerCommand]; // of pages to be programmed
  std::uint32_t count = 0;
  std::uint32_t die = 0;
  std::uint32_t open_planes = 0; // planes of the die that may still join, as bits
  std::uint32_t last_plane = 0;
  std::uint32_t next_die = kNoDie; // Dispatcher::fill_dies(): the next group of the round
  std::uint32_t first_class = 0;   // host pages: of the stream that they are of (DieQueues::first_class_of)
  FlashOp op = FlashOp::read;

  /// The first item's kind: all have the same.
  const OpTraits& kind() const { return *item[0]->traits; }
  /// The last wordline begun has all its pages.
  bool ends_with_pass() const { return (slot[count - 1].page + 1) % slot[count - 1].pass == 0; }
  /// A page with which a wordline begins as that of the first plane has.
  bool begins_alike(const PageSlot& other) const {
    return other.pass == slot[0].pass && other.page % other.pass == slot[0].page % slot[0].pass;
  }
};

/// What may be in a group, and how it gets there. Whatever forms a group returns false when it has formed none:
/// there is nothing to issue then.
class GroupRules {
 public:
  void boot(FtlState& state, DieQueues& board, const GcJobs& jobs);

  void start(CommandGroup& g, std::uint32_t die) const;
  bool aligned(const PageSlot& a, const PageSlot& b) const {
    return (a.page == b.page || !pac_) && a.slc == b.slc && (a.block == b.block || !bac_);
  }
  /// The same of a group that has pages; what looks on is told why not.
  bool fits(const CommandGroup& g, const PageSlot& slot, std::uint32_t device_plane, PageHint hint) const;
  PageSlot slot_of(const Transaction& t) const;
  std::uint32_t plane_in_die(const Transaction& t) const { return t.plane - t.die * planes_per_die_; }
  /// The page that block allocation names for it, if there is one.
  [[nodiscard]] bool peek(const Transaction& t, std::uint32_t plane, Stream stream, PageSlot& slot) const;
  void add(CommandGroup& g, Transaction& t, std::uint32_t plane, const PageSlot& slot) const {
    g.slot[g.count] = slot;
    add(g, t, plane);
  }
  /// Its slot stands in the group already.
  void add(CommandGroup& g, Transaction& t, std::uint32_t plane) const {
    g.open_planes &= ~(1u << plane);
    g.last_plane = plane;
    g.item[g.count++] = &t;
  }
  /// Its page takes units of as many writes that wait for the plane as find room.
  void fill_page(Transaction& first) const {
    if (fills_pages_) add_riders(first);
  }
  /// What has its page, or its block.
  void add(CommandGroup& g, Transaction& t) const { add(g, t, plane_in_die(t), slot_of(t)); }

  /// The first read of the lane, and others that fit if `multi`.
  void form_reads(TransactionList& lane, bool multi, CommandGroup& g) const;
  /// Erases, or a page that the firmware programs for itself.
  [[nodiscard]] bool form_erases(TransactionList& lane, CommandGroup& g) const;

 private:
  [[gnu::cold]] static void tell_refused(const GroupRules& rules, const CommandGroup& g, const PageSlot& slot,
                                         std::uint32_t plane_and_hint);
  void join(TransactionList& lane, CommandGroup& g) const;
  bool joins(const CommandGroup& g, const Transaction& t) const;
  void add_riders(Transaction& first) const;
  [[nodiscard]] std::uint32_t class_of_riders(const Transaction& first) const;

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  const GcJobs* jobs_ = nullptr;
  std::uint32_t planes_per_die_ = 0;
  std::uint32_t all_planes_ = 0; // of a die, as bits
  std::uint32_t window_ = 0;
  std::uint8_t pass_ = 1; // native pages of a pass
  bool pac_ = true;
  bool bac_ = false;
  bool fills_pages_ = false;
};

// --- the path of every page, inline ---

inline bool GroupRules::fits(const CommandGroup& g, const PageSlot& slot, std::uint32_t device_plane,
                             PageHint hint) const {
  if (aligned(g.slot[0], slot)) return true;
  const std::uint32_t where = device_plane << 8 | hint;
  probe_point<Watch::planes, &GroupRules::tell_refused>(state_->probe != nullptr, *this, g, slot, where);
  return false;
}

inline PageSlot GroupRules::slot_of(const Transaction& t) const {
  const BlockTable& blocks = state_->blocks;
  const bool slc = blocks.slc_mode(t.ppn);
  return PageSlot{blocks.block_of(t.ppn), blocks.page_of(t.ppn), slc, slc ? std::uint8_t{1} : pass_};
}

inline bool GroupRules::peek(const Transaction& t, std::uint32_t plane, Stream stream, PageSlot& slot) const {
  return state_->policy.allocation->peek(Placement{plane, stream, t.hint}, jobs_->victim(plane), slot);
}

} // namespace twinplane::fw
