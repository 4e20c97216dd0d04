// One page-sized piece of work and everything it needs on its way: its place in the queues, its page
// buffer in device DRAM, its times. Transactions live in one pool sized at boot; a transaction's
// index is the cookie of its flash descriptor.
#pragma once

#include <cstdint>

#include "firmware/ftl/op_traits.h"
#include "firmware/ftl/request.h"
#include "hw/spec/geometry.h"
#include "hw/spec/page_order.h"

namespace twinplane::fw {

/// A classifier's answer: any page, or 1 + the page type wanted. Pages that want the fastest type are hot.
using PageHint = std::uint8_t;
constexpr PageHint kAnyPage = 0;
constexpr PageHint kHotPage = 1;

/// A program that fails is tried again on other pages, so often in all.
constexpr std::uint32_t kProgramTries = 4;

constexpr std::uint32_t kNoLpn = 0xFFFFFFFFu;
/// A drive has fewer logical pages: numbers from here on are in the words of pages that hold none.
constexpr std::uint32_t kMostLpns = kNoLpn - 0x300;
constexpr std::uint16_t kNoSlot = 0xFFFFu;

/// Who has taken a transaction from the pool: for reads of the host, for its writes (trims among them), or the
/// firmware for itself.
enum class PoolUser : std::uint8_t { reads, writes, firmware };
constexpr std::uint32_t kPoolUsers = 3;

struct Transaction {
  Transaction* next = nullptr; // in the queue that holds it
  Request* request = nullptr;  // null: garbage collection, write-back
  const OpTraits* traits = nullptr;
  OpOwner* owner = nullptr;

  std::uint32_t index = 0;
  std::uint32_t own_buffer = 0; // DRAM offset of this transaction's page buffer
  std::uint32_t buffer = 0;     // DRAM offset in use
  std::uint32_t lpn = kNoLpn;
  Ppn ppn = kNoPpn;             // page read, programmed or (its block) erased; writes: none before the first
  Ppn source = kNoPpn;          // gc: where the data came from; host write: the page that it replaces
  Ppn home = kNoPpn;            // where that was before a failure: gc: its page in the victim; see replaced()
  std::uint32_t mask = 0;       // sectors of the page that the request covers
  std::uint32_t flash_mask = 0; // sectors that the flash operation moves
  std::uint32_t fence = 0;      // host DMA index that fills the buffer (cache_read: empties it), 0 = none
  std::uint32_t lost = 0;       // writes: sectors of the page that are lost, see LostSectors
  union {
    std::uint32_t stamp = 0; // writes: the sequence number that the page was stored with
    std::uint32_t epoch;     // what waits for metadata: which (Journal::wait)
  };
  union {
    std::uint32_t host_offset =
        0;               // of the host: sector in the command's data where sector 0 of this page would
                         // lie (modulo 2^32)
    std::uint32_t slice; // metadata
  };
  std::uint32_t sequence = 0; // order of arrival, modulo 2^32
  std::uint32_t plane = 0;    // device-wide plane index
  std::uint16_t die = 0;
  std::uint16_t cache_slot = kNoSlot; // write buffer slot being written back
  std::uint16_t locked = 0; // units of the LPN that it holds or waits for, where these have locks (LpnLocks)
  PageHint hint = kAnyPage;
  PageType page_type = 0;
  std::uint8_t failures = 0; // programs that failed
  union {
    std::uint8_t set = 0;       // gc: the pages of a job that are read and moved together have the same
    ProgramCause rewrite_cause; // PageRewriter
  };

  /// In a command, behind the first page of its plane: the plane has one operation for all of them (DieLoad).
  bool follows = false;
  bool programmed = false;         // waits for the rest of its wordline (lower_pages/)
  PoolUser user = PoolUser::reads; // of its buffer

  std::uint64_t queued_ps = 0;
  std::uint64_t die_wait_ps = 0;
  std::uint64_t bus_wait_ps = 0;
  std::uint64_t bus_ps = 0;
  std::uint64_t array_ps = 0;
  std::uint64_t ecc_ps = 0;
  std::uint64_t retry_ps = 0;
  std::uint64_t suspend_wait_ps = 0;
  // of its request, before there was this transaction
  std::uint64_t page_buffer_wait_ps = 0;
  std::uint64_t write_buffer_wait_ps = 0;

  /// True while what the map will name is on its way to this page, or about to be programmed elsewhere as that has
  /// failed; and while its data are in the buffer as well.
  bool programs(Ppn page) const { return ppn == page && traits->maps_page && (!is_move() || page != source); }
  bool writes(Ppn page) const { return programs(page) && !copies(); }
  /// Host write: the page that its first try has replaced; later ones replace the page that has failed.
  Ppn replaced() const { return failures == 0 ? source : home; }
  void set_replaced(Ppn page) { (failures == 0 ? source : home) = page; }
  /// Moves its page by copyback: the data are in the die alone.
  bool copies() const { return is_move() && flash_mask == 0; }
  /// Programs a page of the host, as a whole.
  bool is_host_page() const {
    return traits->maps_page && !traits->by_unit && traits->stream == Stream::host;
  }
  /// Moves a page as a whole, and has read it.
  bool is_move() const {
    return traits->maps_page && !traits->by_unit && traits->stream == Stream::relocation;
  }
  void become(const OpTraits& kind, OpOwner& whose) {
    traits = &kind;
    owner = &whose;
  }

  /// Makes a transaction ready for new work: what not every user sets gets its default.
  void prepare() {
    request = nullptr;
    buffer = own_buffer;
    lpn = kNoLpn;
    ppn = source = kNoPpn;
    fence = lost = 0;
    cache_slot = kNoSlot;
    hint = kAnyPage;
    failures = 0;
    follows = false;
    queued_ps = die_wait_ps = bus_wait_ps = bus_ps = array_ps = ecc_ps = retry_ps = 0;
    suspend_wait_ps = page_buffer_wait_ps = write_buffer_wait_ps = 0;
  }
};

/// Intrusive first-in first-out list.
class TransactionList {
 public:
  bool empty() const { return head_ == nullptr; }
  Transaction* front() const { return head_; }
  /// Walks through all.
  std::uint32_t count() const {
    std::uint32_t n = 0;
    for (const Transaction* t = head_; t != nullptr; t = t->next) ++n;
    return n;
  }

  void push(Transaction& t) {
    t.next = nullptr;
    (tail_ == nullptr ? head_ : tail_->next) = &t;
    tail_ = &t;
  }

  /// In front of all.
  void push_first(Transaction& t) {
    t.next = head_;
    head_ = &t;
    if (tail_ == nullptr) tail_ = &t;
  }

  /// Transactions linked through `next` from `first` to `last`.
  void push_chain(Transaction& first, Transaction& last) {
    last.next = nullptr;
    (tail_ == nullptr ? head_ : tail_->next) = &first;
    tail_ = &last;
  }

  /// Takes over all of `other` (not empty), behind what is here.
  void append(TransactionList& other) {
    push_chain(*other.head_, *other.tail_);
    other.head_ = other.tail_ = nullptr;
  }

  Transaction& pop() {
    Transaction& t = *head_;
    head_ = t.next;
    if (head_ == nullptr) tail_ = nullptr;
    return t;
  }

  /// Takes out the element behind `previous`.
  Transaction& remove_after(Transaction& previous) {
    Transaction& t = *previous.next;
    previous.next = t.next;
    if (tail_ == &t) tail_ = &previous;
    return t;
  }

 private:
  Transaction* head_ = nullptr;
  Transaction* tail_ = nullptr;
};

/// True when `a` arrived before `b` (free-running counters).
inline bool older(const Transaction& a, const Transaction& b) {
  return static_cast<std::int32_t>(a.sequence - b.sequence) < 0;
}

} // namespace twinplane::fw
