// The fixed pool of transactions and their page buffers.
//
// A buffer that feeds a host read stays in use until the DMA has moved its data, so such transactions
// drain through a first-in first-out queue (the DMA ring executes in order).
//
// Garbage collection has a reserve: without it a drive full of waiting host writes could never make space. So
// have reads of the host, which would wait for programs else, and hold a buffer for a short time only. No
// request takes what another one lacks of its reserve, but everybody may have more than that.
//
// Free ones are handed out in address order, round and round, so that the buffers of the pages of one
// request mostly lie behind each other and one DMA descriptor can fill them.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/checks/call_site.h"
#include "firmware/ftl/checks/pool_watch.h"
#include "firmware/ftl/map/page_map.h"
#include "firmware/ftl/transaction.h"
#include "firmware/hal/host_port.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class TransactionPool final : public OpOwner {
 public:
  /// How many there are, and where their buffers lie.
  struct Shape {
    std::uint32_t count = 0;
    std::uint32_t reserve = 0;   // of them, kept from the host
    std::uint32_t for_reads = 0; // of those of the host, kept from its writes
    std::uint32_t buffers = 0;   // DRAM offset
    std::uint32_t stride = 0;    // bytes
    /// With padding each die has one more, which stands for all its pages of that kind and is never taken.
    std::uint32_t dies_with_padding = 0;
    /// Sites that have one of their own, never taken either; these have buffers, behind those of the others.
    std::uint32_t sites_with_own = 0;
  };

  void boot(BootMemory& memory, const HostPort& host, const Shape& shape) {
    host_ = &host;
    const std::uint32_t count = count_ = shape.count;
    reserve_ = shape.reserve;
    for_reads_ = shape.for_reads;
    held_[static_cast<std::size_t>(PoolUser::reads)] = count; // until they are given back below
    dies_with_padding_ = shape.dies_with_padding;
    all_ = memory.array<Transaction>(count + shape.dies_with_padding + shape.sites_with_own);
    draining_ = memory.array<Draining>(count);
    words_ = (count + 63) / 64;
    free_bits_ = memory.zeroed<std::uint64_t>(words_);
    watch_.boot(memory, count);
    if (memory.exhausted()) return;
    for (std::uint32_t i = 0; i < count; ++i) {
      all_[i].index = i;
      all_[i].become(kPadding, *this);
      all_[i].own_buffer = all_[i].buffer = shape.buffers + i * shape.stride;
      give_back(all_[i]);
    }
    for (std::uint32_t site = 0; site < shape.sites_with_own; ++site) {
      Transaction& t = own_of(site);
      t.index = count + dies_with_padding_ + site;
      t.own_buffer = shape.buffers + (count + site) * shape.stride;
    }
    for (std::uint32_t die = 0; die < dies_with_padding_; ++die) {
      Transaction& t = all_[count + die];
      t.index = count + die;
      t.die = static_cast<std::uint16_t>(die);
      t.follows = true;
      t.become(kPadding, *this);
    }
  }

  Transaction& at(std::uint32_t index) { return all_[index]; }
  std::uint32_t size() const { return count_; }
  std::uint32_t padding_of(std::uint32_t die) const { return count_ + die; }
  Transaction& own_of(std::uint32_t site) { return all_[count_ + dies_with_padding_ + site]; }

  /// nullptr when none may be taken now.
  Transaction* take(PoolUser user) {
    if (free_ <= kept_from(user) && drain_count_ != 0) drain();
    if (free_ <= kept_from(user)) return nullptr;
    while (free_bits_[word_] == 0) word_ = word_ + 1 == words_ ? 0 : word_ + 1;
    Transaction& t = all_[word_ * 64 + lowest_bit(free_bits_[word_])];
    free_bits_[word_] &= free_bits_[word_] - 1;
    --free_;
    ++held_[static_cast<std::size_t>(user)];
    t.user = user;
    watch_.taken(t);
    t.prepare();
    return &t;
  }

  /// Transactions whose indices follow each other, and so lie their buffers. Not prepared.
  struct Run {
    Transaction* first = nullptr;
    std::uint32_t count = 0;
  };
  /// The next ones for writes of the host, `most` (> 0) or fewer; none when none may be taken now.
  Run take_run(std::uint32_t most) {
    if (free_ <= kept_from(PoolUser::writes) && drain_count_ != 0) drain();
    const std::uint32_t kept = kept_from(PoolUser::writes);
    if (free_ <= kept) return Run{};
    if (most > free_ - kept) most = free_ - kept;
    while (free_bits_[word_] == 0) word_ = word_ + 1 == words_ ? 0 : word_ + 1;
    const std::uint32_t first = lowest_bit(free_bits_[word_]);
    const std::uint32_t count = ones_at(free_bits_[word_], first, most);
    free_bits_[word_] &= ~bit_run(first, count);
    free_ -= count;
    held_[static_cast<std::size_t>(PoolUser::writes)] += count;
    Transaction* const run = all_ + word_ * 64 + first;
    for (std::uint32_t i = 0; kFirmwareChecks && i < count; ++i) watch_.taken(run[i]);
    return Run{run, count};
  }

  void release(Transaction& t, const CallSite& site = CallSite::here()) {
    watch_.released(t, site);
    give_back(t);
  }

  /// Releases once host DMA `index` is done.
  void release_after(Transaction& t, std::uint32_t index, const CallSite& site = CallSite::here()) {
    watch_.drains(t, site);
    std::uint32_t tail = drain_head_ + drain_count_;
    if (tail >= count_) tail -= count_;
    draining_[tail] = Draining{&t, index};
    ++drain_count_;
  }

  /// The transaction must be in use; looked at where checks are compiled in (checks/call_site.h).
  void expect_used(const Transaction& t, const CallSite& site = CallSite::here()) const {
    if (t.index < count_) watch_.used(t, site);
  }

  /// True when the host may soon find the pool empty: then a DMA that frees a buffer must wake the
  /// firmware. If every buffer of the host drains, the last one was posted while this held.
  bool scarce() const { return free_ <= kept_from(PoolUser::reads); }
  /// A write would find none.
  bool scarce_for_writes() const { return free_ <= kept_from(PoolUser::writes); }

  /// The one that writes this page, nullptr when there is none. Looks at all: for what has failed.
  const Transaction* writer_of(Ppn page) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool free = (free_bits_[i / 64] >> i % 64 & 1) != 0;
      if (!free && all_[i].writes(page)) return &all_[i];
    }
    return nullptr;
  }

  /// A copyback writes this page, or has failed to. Looks at all, too.
  bool copied_to(Ppn page) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool free = (free_bits_[i / 64] >> i % 64 & 1) != 0;
      if (!free && all_[i].copies() && all_[i].programs(page)) return true;
    }
    return false;
  }

  /// One that is not free and that `fits` accepts, nullptr when there is none. Looks at all, too.
  template <typename Fits>
  const Transaction* find(const Fits& fits) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool free = (free_bits_[i / 64] >> i % 64 & 1) != 0;
      if (!free && fits(all_[i])) return &all_[i];
    }
    return nullptr;
  }

  /// Those that are not free, by their indices.
  template <typename Each>
  void for_each(const Each& each) const {
    for (std::uint32_t w = 0; w < words_; ++w) {
      std::uint64_t used = ~free_bits_[w];
      if (count_ - w * 64 < 64) used &= bit_run(0, count_ - w * 64);
      for (; used != 0; used &= used - 1) each(all_[w * 64 + lowest_bit(used)]);
    }
  }

  /// Data whose program has failed are being programmed once more, or about to be, and what they replace may
  /// have been erased; it is there of a page that is moved as a whole. Looks at all, too.
  bool any_again() const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Transaction& t = all_[i];
      const bool free = (free_bits_[i / 64] >> i % 64 & 1) != 0;
      if (free || t.failures == 0 || t.is_move()) continue;
      if (!t.is_host_page() || t.replaced() != kNoPpn) return true;
    }
    return false;
  }

  /// A host write that `counts` is being programmed, or is about to be again; replaced() is the page that
  /// its LPN had before, and is there. Looks at all, too.
  template <typename Counts>
  bool any_replaces(const Counts& counts) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Transaction& t = all_[i];
      const bool free = (free_bits_[i / 64] >> i % 64 & 1) != 0;
      if (!free && t.is_host_page() && is_page(t.replaced()) && counts(t)) return true;
    }
    return false;
  }

  /// The program of `failed` has: a write that has replaced that page has in truth replaced `before`, which
  /// is what a power cut leaves. Looks at all.
  void inherit(Ppn failed, Ppn before) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      Transaction& t = all_[i];
      const bool free = (free_bits_[i / 64] >> i % 64 & 1) != 0;
      if (free || !t.is_host_page() || t.ppn == failed || t.replaced() != failed) continue;
      t.set_replaced(before);
    }
  }

  /// Every transaction is free, draining or in use, and counted as what it is.
  bool counts_hold() const {
    std::uint32_t free = 0;
    std::uint32_t held[kPoolUsers] = {};
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool is_free = (free_bits_[i / 64] >> i % 64 & 1) != 0;
      is_free ? ++free : ++held[static_cast<std::size_t>(all_[i].user)];
    }
    bool equal = free == free_ && free_ + drain_count_ <= count_;
    for (std::uint32_t user = 0; user < kPoolUsers; ++user) equal = equal && held[user] == held_[user];
    return equal && free >= lacking(reserve_, held[2]) + lacking(for_reads_, held[0]);
  }

  /// Transactions that hold work (draining ones do not).
  std::uint32_t in_use() const { return count_ - free_ - drain_count_; }

  /// Nothing may be in use.
  void serialise(StateVisitor& state) { state.value(word_); }

 private:
  struct Draining {
    Transaction* transaction = nullptr;
    std::uint32_t dma = 0;
  };

  static std::uint32_t lacking(std::uint32_t reserve, std::uint32_t held) {
    return held < reserve ? reserve - held : 0;
  }

  std::uint32_t held(PoolUser user) const { return held_[static_cast<std::size_t>(user)]; }

  /// What others lack of their reserves. Free are at any time as many as all lack together, or more.
  std::uint32_t kept_from(PoolUser user) const {
    const std::uint32_t firmware = lacking(reserve_, held(PoolUser::firmware));
    if (user == PoolUser::reads) return firmware;
    const std::uint32_t reads = lacking(for_reads_, held(PoolUser::reads));
    if (user == PoolUser::writes) return firmware + reads;
    return firmware != 0 ? 0 : reads;
  }

  void give_back(const Transaction& t) {
    free_bits_[t.index / 64] |= std::uint64_t{1} << t.index % 64;
    ++free_;
    --held_[static_cast<std::size_t>(t.user)];
  }

  void drain() {
    const std::uint32_t done = host_->done();
    while (drain_count_ != 0 && HostPort::reached(done, draining_[drain_head_].dma)) {
      watch_.drained(*draining_[drain_head_].transaction);
      give_back(*draining_[drain_head_].transaction);
      if (++drain_head_ == count_) drain_head_ = 0;
      --drain_count_;
    }
  }

  /// Pages of one-pass programming that nothing is written to complete a wordline: they end unnoticed.
  static constexpr OpTraits kPadding{
      "padding",           [](OpOwner&, Transaction&, const FlashCompletion&) {},
      FlashOp::program,    Lane::none,
      WorkFor::collection, WorkOrigin::host};

  const HostPort* host_ = nullptr;
  Transaction* all_ = nullptr;
  std::uint64_t* free_bits_ = nullptr; // by index
  std::uint32_t words_ = 0;            // of free_bits_
  std::uint32_t word_ = 0;             // where the next one is looked for
  Draining* draining_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t dies_with_padding_ = 0;
  std::uint32_t reserve_ = 0;
  std::uint32_t for_reads_ = 0;
  std::uint32_t held_[kPoolUsers] = {};
  std::uint32_t free_ = 0;
  std::uint32_t drain_head_ = 0;
  std::uint32_t drain_count_ = 0;
  PoolWatch watch_;
};

} // namespace twinplane::fw
