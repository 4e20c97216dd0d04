// Writes to one LPN take effect strictly in order of arrival.
//
// A write (or unmap) holds its LPN from arrival until the map names its page; later ones of the same
// LPN wait behind it. So read-modify-write always reads the newest version and late binding cannot
// swap two versions. Reads never look here. Hash table with chaining through the transactions.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

class LpnLocks {
 public:
  /// `transactions`: size of the pool.
  void boot(BootMemory& memory, std::uint32_t transactions) {
    std::uint32_t buckets = 16;
    while (buckets < 2 * transactions) buckets *= 2;
    mask_ = buckets - 1;
    buckets_ = memory.zeroed<Transaction*>(buckets);
  }

  bool held(std::uint32_t lpn) const { return find(lpn) != nullptr; }

  /// True: t holds its LPN now. False: t waits and will be returned by a release().
  bool acquire(Transaction& t) {
    if (Transaction* holder = find(t.lpn)) {
      Transaction** link = &holder->waiters;
      while (*link != nullptr) link = &(*link)->next;
      *link = &t;
      t.next = nullptr;
      return false;
    }
    insert(t);
    return true;
  }

  /// The holder t gives its LPN up. Returns the transaction that holds it now, or nullptr.
  Transaction* release(Transaction& t) {
    Transaction** link = &bucket(t.lpn);
    while (*link != &t) link = &(*link)->hash_next;
    *link = t.hash_next;
    t.hash_next = nullptr;
    Transaction* heir = t.waiters;
    t.waiters = nullptr;
    if (heir == nullptr) return nullptr;
    heir->waiters = heir->next;
    heir->next = nullptr;
    insert(*heir);
    return heir;
  }

 private:
  Transaction*& bucket(std::uint32_t lpn) const { return buckets_[(lpn * 0x9E3779B1u) >> 8 & mask_]; }

  Transaction* find(std::uint32_t lpn) const {
    Transaction* t = bucket(lpn);
    while (t != nullptr && t->lpn != lpn) t = t->hash_next;
    return t;
  }

  void insert(Transaction& t) {
    Transaction*& head = bucket(t.lpn);
    t.hash_next = head;
    head = &t;
  }

  Transaction** buckets_ = nullptr;
  std::uint32_t mask_ = 0;
};

} // namespace twinplane::fw
