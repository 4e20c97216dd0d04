// Writes to one LPN take effect strictly in order of arrival.
//
// A write (or unmap) holds its LPN from arrival until the map names its page; later ones of the same
// LPN wait behind it. So read-modify-write always reads the newest version and late binding cannot
// swap two versions. Reads never look here. One bit per LPN; those that wait are in a hash table with
// chaining through the transactions.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/checks/call_site.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

class LpnLocks {
 public:
  /// `transactions`: size of the pool.
  void boot(BootMemory& memory, std::uint32_t exported_pages, std::uint32_t transactions) {
    std::uint32_t buckets = 16;
    while (buckets < 2 * transactions) buckets *= 2;
    mask_ = buckets - 1;
    buckets_ = memory.zeroed<Transaction*>(buckets);
    words_ = exported_pages / 64 + 1;
    held_ = memory.zeroed<std::uint64_t>(words_);
    hal_ = &memory.hal();
  }

  bool held(std::uint32_t lpn) const { return (held_[lpn / 64] >> lpn % 64 & 1) != 0; }

  /// True: t holds its LPN now. False: t waits and will be returned by a release().
  bool acquire(Transaction& t) {
    if (held(t.lpn)) {
      wait(t);
      return false;
    }
    held_[t.lpn / 64] |= std::uint64_t{1} << t.lpn % 64;
    return true;
  }

  /// Locks LPNs from `lpn` on for their owners, as far as they are free and at most `most`
  /// (> 0); returns how many. The caller asks again for the rest.
  std::uint32_t acquire_run(std::uint32_t lpn, std::uint32_t most) {
    const std::uint32_t first = lpn % 64;
    const std::uint32_t count = ones_at(~held_[lpn / 64], first, most);
    if (count != 0) held_[lpn / 64] |= bit_run(first, count);
    return count;
  }

  /// The holder t gives its LPN up. Returns the transaction that holds it now, or nullptr.
  Transaction* release(const Transaction& t, const CallSite& site = CallSite::here()) {
    if (kFirmwareChecks && !held(t.lpn)) not_held(t, site);
    Transaction* heir = waiting_ == 0 ? nullptr : first_waiter(t.lpn);
    if (heir == nullptr) held_[t.lpn / 64] &= ~(std::uint64_t{1} << t.lpn % 64);
    return heir;
  }

  /// The first LPN from `lpn` on that is held, kNoLpn when none is. Looks at all.
  std::uint32_t next_held(std::uint32_t lpn) const {
    std::uint64_t from = ~std::uint64_t{0} << lpn % 64;
    for (std::uint32_t w = lpn / 64; w < words_; ++w, from = ~std::uint64_t{0}) {
      if ((held_[w] & from) != 0) return w * 64 + lowest_bit(held_[w] & from);
    }
    return kNoLpn;
  }
  /// t waits for its LPN.
  bool waits(const Transaction& t) const {
    const Transaction* waiting = *bucket(t.lpn);
    while (waiting != nullptr && waiting != &t) waiting = waiting->next;
    return waiting != nullptr;
  }
  /// Transactions that wait for an LPN.
  std::uint32_t waiting() const { return waiting_; }

 private:
  [[gnu::cold, gnu::noinline]] void not_held(const Transaction& t, const CallSite& site) const {
    CheckText words;
    words.text("LPN ").number(t.lpn).text(" is unlocked at ").site(site);
    hal_->panic(words.text(", though it is not locked (transaction ").number(t.index).text(")").c_str());
  }

  Transaction** bucket(std::uint32_t lpn) const { return &buckets_[(lpn * 0x9E3779B1u) >> 8 & mask_]; }

  void wait(Transaction& t) {
    Transaction** link = bucket(t.lpn);
    while (*link != nullptr) link = &(*link)->next;
    *link = &t;
    t.next = nullptr;
    ++waiting_;
  }

  /// Takes the one that has waited longest for this LPN.
  Transaction* first_waiter(std::uint32_t lpn) {
    Transaction** link = bucket(lpn);
    while (*link != nullptr && (*link)->lpn != lpn) link = &(*link)->next;
    Transaction* first = *link;
    if (first == nullptr) return nullptr;
    *link = first->next;
    first->next = nullptr;
    --waiting_;
    return first;
  }

  std::uint64_t* held_ = nullptr;   // by LPN
  Transaction** buckets_ = nullptr; // of those that wait, in order of arrival
  std::uint32_t mask_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t words_ = 0; // of held_
  Hal* hal_ = nullptr;
};

} // namespace twinplane::fw
