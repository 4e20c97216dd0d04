// Writes to one LPN take effect strictly in order of arrival.
//
// A write (or unmap) holds its LPN from arrival until the map names its page; later ones of the same
// LPN wait behind it. So read-modify-write always reads the newest version and late binding cannot
// swap two versions. Reads never look here. One bit per LPN; those that wait are in a hash table with
// chaining through the transactions.
//
// Where writes program units of a page that have nothing to do with its others each unit has a lock: a transaction holds
// those that its sectors touch, or all of a page if it has none of its own. It gets them together, behind all that have
// come before it and want one of them.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/checks/call_site.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

class LpnLocks {
 public:
  struct Shape {
    std::uint32_t exported_pages = 0;
    std::uint32_t transactions = 0; // in the pool
    std::uint32_t units_shift = 0;  // log2 of the locks per page
    std::uint32_t sectors_per_unit = 0;
  };
  void boot(BootMemory& memory, const Shape& shape) {
    shift_ = shape.units_shift;
    sectors_per_unit_ = shape.sectors_per_unit;
    const std::uint32_t transactions = shape.transactions;
    std::uint32_t buckets = 16;
    while (buckets < 2 * transactions) buckets *= 2;
    mask_ = buckets - 1;
    buckets_ = memory.zeroed<Transaction*>(buckets);
    words_ = static_cast<std::uint32_t>((std::uint64_t{shape.exported_pages} << shift_) / 64) + 1;
    held_ = memory.zeroed<std::uint64_t>(words_);
    hal_ = &memory.hal();
  }

  /// The LPN, or one of its units.
  bool held(std::uint32_t lpn) const {
    if (shift_ != 0) return held_units(lpn) != 0;
    return (held_[lpn / 64] >> lpn % 64 & 1) != 0;
  }

  /// Of these sectors of the LPN; or another one waits for it.
  bool held(std::uint32_t lpn, std::uint32_t sectors) const {
    return shift_ == 0 ? held(lpn) : (taken_units(lpn) & units_of(sectors)) != 0;
  }

  /// True: t holds its LPN now. False: t waits and will be returned by release() or next_heir().
  bool acquire(Transaction& t) {
    if (shift_ != 0) return acquire_units(t);
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

  /// Those that wait for the LPN or a unit of it.
  template <class Visit>
  void each_waiter(std::uint32_t lpn, const Visit& visit) const {
    if (waiting_ == 0) return;
    for (Transaction* t = *bucket(lpn); t != nullptr; t = t->next) {
      if (t->lpn == lpn) visit(*t);
    }
  }

  /// The holder t gives its LPN up. Returns the transaction that holds it now, or nullptr.
  Transaction* release(const Transaction& t, const CallSite& site = CallSite::here()) {
    if (kFirmwareChecks && !held(t.lpn)) not_held(t, site);
    if (shift_ != 0) {
      held_[word_of(t.lpn)] &= ~(std::uint64_t{t.locked} << bit_of(t.lpn));
      return next_heir(t.lpn);
    }
    Transaction* heir = waiting_ == 0 ? nullptr : first_waiter(t.lpn);
    if (heir == nullptr) held_[t.lpn / 64] &= ~(std::uint64_t{1} << t.lpn % 64);
    return heir;
  }

  /// Another one that holds units of the LPN now, as those that release() has given up were the last ones that it lacked;
  /// nullptr: there is none.
  Transaction* next_heir(std::uint32_t lpn) {
    if (shift_ == 0 || waiting_ == 0) return nullptr;
    std::uint32_t taken = held_units(lpn); // or wanted by one that has waited longer
    Transaction** link = bucket(lpn);
    while (*link != nullptr && ((*link)->lpn != lpn || ((*link)->locked & taken) != 0)) {
      if ((*link)->lpn == lpn) taken |= (*link)->locked;
      link = &(*link)->next;
    }
    Transaction* const heir = take(link);
    if (heir != nullptr) hold(*heir);
    return heir;
  }

  /// The first LPN from `lpn` on that is held, kNoLpn when none is. Looks at all.
  std::uint32_t next_held(std::uint32_t lpn) const {
    std::uint64_t from = ~std::uint64_t{0} << bit_of(lpn);
    for (std::uint32_t w = word_of(lpn); w < words_; ++w, from = ~std::uint64_t{0}) {
      if ((held_[w] & from) != 0) return (w * 64 + lowest_bit(held_[w] & from)) >> shift_;
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
    return take(link);
  }
  Transaction* take(Transaction** link) {
    Transaction* const first = *link;
    if (first == nullptr) return nullptr;
    *link = first->next;
    first->next = nullptr;
    --waiting_;
    return first;
  }

  // --- locks of units ---
  std::uint32_t word_of(std::uint32_t lpn) const {
    return static_cast<std::uint32_t>((std::uint64_t{lpn} << shift_) / 64);
  }
  std::uint32_t bit_of(std::uint32_t lpn) const { return (lpn << shift_) % 64; }
  std::uint32_t held_units(std::uint32_t lpn) const {
    return static_cast<std::uint32_t>(held_[word_of(lpn)] >> bit_of(lpn)) & low_mask(1u << shift_);
  }
  void hold(const Transaction& t) { held_[word_of(t.lpn)] |= std::uint64_t{t.locked} << bit_of(t.lpn); }
  /// Those that it touches, or all.
  std::uint16_t units_of(std::uint32_t sectors) const {
    const std::uint32_t all = 1u << shift_;
    std::uint32_t units = sectors == 0 ? low_mask(all) : 0;
    for (std::uint32_t u = 0; u < all; ++u)
      units |= (sectors >> u * sectors_per_unit_ & low_mask(sectors_per_unit_)) != 0 ? 1u << u : 0;
    return static_cast<std::uint16_t>(units);
  }
  /// Those that are held, and those that others wait for.
  std::uint32_t taken_units(std::uint32_t lpn) const {
    std::uint32_t taken = held_units(lpn);
    for (const Transaction* w = waiting_ == 0 ? nullptr : *bucket(lpn); w != nullptr; w = w->next)
      taken |= w->lpn == lpn ? w->locked : 0u;
    return taken;
  }
  bool acquire_units(Transaction& t) {
    t.locked = units_of(t.mask);
    if ((taken_units(t.lpn) & t.locked) != 0) {
      wait(t);
      return false;
    }
    hold(t);
    return true;
  }

  std::uint64_t* held_ = nullptr;   // by LPN, and unit
  Transaction** buckets_ = nullptr; // of those that wait, in order of arrival
  std::uint32_t mask_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t words_ = 0; // of held_
  std::uint32_t shift_ = 0; // log2 of the locks per LPN
  std::uint32_t sectors_per_unit_ = 0;
  Hal* hal_ = nullptr;
};

} // namespace twinplane::fw
