// Who waits for the journal: what happens belongs to an epoch, and all of an epoch is durable at once.
#pragma once

#include <cstdint>

#include "firmware/ftl/state.h"

namespace twinplane::fw {

class JournalEpochs {
 public:
  /// Of what happens now, and up to which all has been written.
  std::uint32_t now() const { return epoch_; }
  std::uint32_t durable() const { return durable_; }
  void want(std::uint32_t epoch) {
    if (epoch > wanted_) wanted_ = epoch;
  }
  /// Something is waited for that has not been written.
  bool wanted() const { return wanted_ > durable_; }

  /// A flush goes on.
  bool flushing() const { return flushing_ != 0; }
  /// What happens from now on belongs to the next one, although some of it may be written by this one.
  void begin_flush() { flushing_ = epoch_++; }
  void end_flush() {
    durable_ = flushing_;
    flushing_ = 0;
  }
  /// Nothing will be written any more, and nothing waits.
  void end() { durable_ = wanted_ = epoch_; }

  /// A version that the host knows to be written has gone before it came to the flash; the last one of these.
  void journal_dropped_version() { dropped_ = epoch_; }
  std::uint32_t dropped() const { return dropped_; }

  /// The transaction waits for what has happened so far ...
  void wait(Transaction& t) {
    t.epoch = epoch_;
    waiting_.push(t);
  }
  /// ... and is given back when it has been written; nullptr: none is ready.
  Transaction* take_durable() {
    if (waiting_.empty() || waiting_.front()->epoch > durable_) return nullptr;
    return &waiting_.pop();
  }

  void serialise(StateVisitor& visitor) {
    visitor.value(epoch_);
    visitor.value(durable_);
    visitor.value(wanted_);
    visitor.value(dropped_);
  }
  /// Nothing is known of the future.
  bool hold() const { return durable_ <= epoch_ && wanted_ <= epoch_ && dropped_ <= epoch_; }

 private:
  TransactionList waiting_;    // in the order of their epochs (Transaction::epoch)
  std::uint32_t epoch_ = 1;    // of what happens now
  std::uint32_t flushing_ = 0; // epoch up to which the flush that is going on writes, 0: none
  std::uint32_t durable_ = 0;  // epoch up to which all has been written
  std::uint32_t wanted_ = 0;   // epoch up to which all is to be written
  std::uint32_t dropped_ = 0;  // epoch of the last version that was dropped
};

/// Which blocks hold what the journal has to tell of before they are erased: by plane and block the epoch of the
/// last trim or loss whose newest version the block holds, 0: none.
class HeldBlocks {
 public:
  void boot(BootMemory& memory, const BlockTable& blocks) {
    blocks_ = &blocks;
    since_ = memory.zeroed<std::uint32_t>(blocks.geometry().blocks());
  }
  void hold(Ppn page, std::uint32_t epoch) {
    since_[blocks_->plane_of(page) * blocks_->blocks_per_plane() + blocks_->block_of(page)] = epoch;
  }
  /// Of a unit.
  std::uint32_t since(std::uint32_t site, std::uint32_t block) const {
    std::uint32_t since = 0;
    for (std::uint32_t p = 0; p < blocks_->twins(); ++p) {
      const std::uint32_t plane = blocks_->first_plane_of(site) + p;
      const std::uint32_t epoch = since_[plane * blocks_->blocks_per_plane() + block];
      if (epoch > since) since = epoch;
    }
    return since;
  }

  void serialise(StateVisitor& visitor) { visitor.table(since_, blocks_->geometry().blocks()); }
  bool within(std::uint32_t epoch) const {
    for (std::uint32_t b = 0; b < blocks_->geometry().blocks(); ++b) {
      if (since_[b] > epoch) return false;
    }
    return true;
  }

 private:
  const BlockTable* blocks_ = nullptr;
  std::uint32_t* since_ = nullptr;
};

/// When a checkpoint is due, which one is being written, and what the block table says of the host.
class Checkpoints {
 public:
  void boot(FtlState& state) { state_ = &state; }
  /// One every so many pages of others, from now on.
  void begin_interval() { next_ = pages_of_others() + state_->config.checkpoint_interval; }
  void stop() { next_ = kNever; }
  bool due() const { return next_ != kNever && pages_of_others() >= next_; }
  /// The one of that epoch is to be written.
  void begin(std::uint32_t epoch) {
    stop();
    epoch_ = epoch;
    state_->hal->trace_event(TraceEvent::checkpoint_begin, 0, shut_down_ ? 1 : 0);
  }
  /// It has been, or is given up.
  void end() {
    epoch_ = 0;
    state_->hal->trace_event(TraceEvent::checkpoint_end, 0, 0);
  }
  bool complete(std::uint32_t durable) const { return epoch_ != 0 && epoch_ <= durable; }
  /// A page of the journal has been written: else a checkpoint would call for the next one.
  void count_own_page() { ++own_pages_; }

  /// The host has said that it is done, and has not opened the drive again.
  void set_shut_down(bool shut_down) { shut_down_ = shut_down; }
  bool shut_down() const { return shut_down_; }
  /// A power cycle that the block table does not tell of yet.
  void note_power_cycle() { recorded_ = false; }
  /// A host is here. True: the block table is to tell of it.
  [[nodiscard]] bool open() {
    const bool tell = shut_down_ || !recorded_;
    shut_down_ = false;
    recorded_ = true;
    return tell;
  }

  void serialise(StateVisitor& visitor) {
    visitor.value(own_pages_);
    visitor.value(next_);
    visitor.value(epoch_);
    visitor.value(shut_down_);
    visitor.value(recorded_);
  }
  bool holds(std::uint32_t now) const { return epoch_ <= now; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t pages_of_others() const { return state_->write_sequence - own_pages_; }

  FtlState* state_ = nullptr;
  std::uint64_t own_pages_ = 0; // written
  std::uint64_t next_ = kNever; // when so many pages of others have been written
  std::uint32_t epoch_ = 0;     // of the one that is being written, 0: none
  bool shut_down_ = false;
  bool recorded_ = true; // since the last power cycle: the block table tells of it
};

} // namespace twinplane::fw
