// The fixed pool of transactions and their page buffers.
//
// A buffer that feeds a host read stays in use until the DMA has moved its data, so such transactions
// drain through a first-in first-out queue (the DMA ring executes in order). Some transactions are
// kept for garbage collection: without them a drive full of waiting host writes could never make space.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/transaction.h"
#include "firmware/hal/host_port.h"

namespace twinplane::fw {

class TransactionPool {
 public:
  /// `count` transactions with buffers of `stride` bytes from DRAM offset `buffers`.
  void boot(BootMemory& memory, const HostPort& host, std::uint32_t count, std::uint32_t reserve,
            std::uint32_t buffers, std::uint32_t stride) {
    host_ = &host;
    count_ = count;
    reserve_ = reserve;
    all_ = memory.array<Transaction>(count);
    draining_ = memory.array<Draining>(count);
    if (memory.exhausted()) return;
    for (std::uint32_t i = count; i-- > 0;) {
      all_[i].index = i;
      all_[i].own_buffer = all_[i].buffer = buffers + i * stride;
      push_free(all_[i]);
    }
  }

  Transaction& at(std::uint32_t index) { return all_[index]; }
  std::uint32_t size() const { return count_; }

  /// nullptr when none may be taken now; `for_host` leaves the reserve alone.
  Transaction* take(bool for_host) {
    const std::uint32_t keep = for_host ? reserve_ : 0;
    if (free_ <= keep && drain_count_ != 0) drain();
    if (free_ <= keep) return nullptr;
    Transaction* t = free_list_;
    free_list_ = t->next;
    --free_;
    t->prepare();
    return t;
  }

  void release(Transaction& t) { push_free(t); }

  /// Releases once host DMA `index` is done.
  void release_after(Transaction& t, std::uint32_t index) {
    std::uint32_t tail = drain_head_ + drain_count_;
    if (tail >= count_) tail -= count_;
    draining_[tail] = Draining{&t, index};
    ++drain_count_;
  }

  /// True when the host may soon find the pool empty: then a DMA that frees a buffer must wake the
  /// firmware. If every buffer of the host drains, the last one was posted while this held.
  bool scarce() const { return free_ <= reserve_; }

  /// Transactions that hold work (draining ones do not).
  std::uint32_t in_use() const { return count_ - free_ - drain_count_; }

 private:
  struct Draining {
    Transaction* transaction = nullptr;
    std::uint32_t dma = 0;
  };

  void push_free(Transaction& t) {
    t.next = free_list_;
    free_list_ = &t;
    ++free_;
  }

  void drain() {
    const std::uint32_t done = host_->done();
    while (drain_count_ != 0 && HostPort::reached(done, draining_[drain_head_].dma)) {
      release(*draining_[drain_head_].transaction);
      if (++drain_head_ == count_) drain_head_ = 0;
      --drain_count_;
    }
  }

  const HostPort* host_ = nullptr;
  Transaction* all_ = nullptr;
  Transaction* free_list_ = nullptr;
  Draining* draining_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t reserve_ = 0;
  std::uint32_t free_ = 0;
  std::uint32_t drain_head_ = 0;
  std::uint32_t drain_count_ = 0;
};

} // namespace twinplane::fw
