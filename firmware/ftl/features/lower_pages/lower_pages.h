// Protection of lower pages, which the program of an upper page of their wordline ruins when it is
// interrupted (docs/power_loss.md). There are two ways (make_lower_pages()), and drives that need neither:
//
// wordline: a page counts when its wordline is complete. Until then its write is not answered, a move is not
// done and so its victim is not erased (padding.cpp).
// backup: each lower page is copied in SLC mode before its write is answered, or its move is done (backup.cpp).
//
// Only for pages that are programmed in the block's order, where few wordlines are incomplete at a time.
#pragma once

#include <cstdint>

#include "firmware/ftl/die_queues.h"
#include "firmware/ftl/features/lower_pages/copy_units.h"

namespace twinplane::fw {

class Collector;
class HostPath;
class Journal;

/// As it is, it protects nothing.
class LowerPages : public OpOwner {
 public:
  /// The stages that it calls.
  struct Parts {
    Journal& journal;
    Collector& collector;
    HostPath& host;
  };
  /// Sets units for copies aside, before the capacity is sized. All blocks are free yet; those of them that
  /// the maker has marked are retired here. False: there are too few.
  [[nodiscard]] virtual bool reserve(BootMemory& /*memory*/, FtlState& /*state*/) { return true; }
  /// Behind the pool and the board.
  void boot(BootMemory& memory, DieQueues& board, const Parts& parts);
  /// Lower pages are in danger, and are protected.
  bool kept() const { return sites_ != nullptr; }
  /// Programs that may wait for their wordlines at a time; copies are made one by one.
  std::uint32_t most_waiting() const { return most_waiting_; }
  /// Blocks that are set aside, of the whole drive.
  std::uint64_t blocks() const { return kept() ? state_->blocks.geometry().planes() * copies.units() : 0; }

  // --- programs ---
  /// t has been programmed, or has failed. True: it is not done before take_ended() says so.
  [[nodiscard]] bool takes(Transaction& t, const FlashCompletion& c);
  /// The next one of these, with what its own program has answered; nullptr: none is.
  Transaction* take_ended(FlashCompletion& c);
  /// Goes on with what had to wait.
  virtual void run() {}
  bool idle() const;
  /// No more of the host comes, until resume(): nothing lingers.
  void rest() { resting_ = true; }
  void resume() { resting_ = false; }
  /// No copy counts any more: units that hold some are erased (or no longer).
  void purge(bool begins);

  // --- pages that nothing protects yet ---
  /// From now on that is made good for those that have been programmed.
  void protect();
  bool all_protected() const { return unprotected_ == 0; }
  /// No block may be erased until all are.
  virtual bool keeps_blocks() const { return false; }

  /// Recovery has opened a unit in which no writes go on: what its wordlines lack is programmed, then the rest of it
  /// is used up. False: not by this.
  [[nodiscard]] virtual bool adopt(std::uint32_t /*site*/, std::uint32_t /*block*/) { return false; }

  /// Nothing may be under way.
  virtual void serialise(StateVisitor& visitor);

  WordlineProgress progress;
  CopyUnits copies;

 protected:
  ~LowerPages() = default;

  struct Site {
    TransactionList waiting;  // for their copies, or for the rest of their wordlines
    bool busy = false;        // with an operation of its own
    bool unprotected = false; // it may have pages without a copy, or on incomplete wordlines
  };

  /// False: there is nothing to do, or it has been begun, or it has to wait.
  [[nodiscard]] virtual bool next_step(std::uint32_t /*site*/) { return false; }
  virtual void advance(std::uint32_t site);
  virtual bool site_idle(std::uint32_t site) const;
  virtual void begins_to_wait(Transaction& /*t*/) {}
  virtual void has_waited(Transaction& /*t*/) {}

  void reserve_sites(BootMemory& memory, FtlState& state);
  void end(Transaction& t);
  void end_complete(std::uint32_t site);
  void set_protected(std::uint32_t site);
  enum class Lacks : std::uint8_t { any, pages }; // of its wordline, the last one not handed out
  Ppn next_unprotected(std::uint32_t site, Lacks which) const;
  Transaction& send(std::uint32_t site, const OpTraits& kind, Ppn page);
  /// Its site, which is not busy any more.
  std::uint32_t complete(Transaction& t, const FlashCompletion& c);

  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  Journal* journal_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  Site* sites_ = nullptr;
  std::uint32_t site_count_ = 0;
  std::uint32_t most_waiting_ = 0;
  bool purges_ = false;
  bool resting_ = false;

 private:
  FlashCompletion* answers_ = nullptr; // by transaction
  TransactionList ended_;
  std::uint32_t unprotected_ = 0; // sites
};

/// What the drive needs, without memory of its own yet. nullptr: the memory is exhausted.
LowerPages* make_lower_pages(BootMemory& memory, const FtlConfig& config);
LowerPages* make_copies(BootMemory& memory);
LowerPages* make_padding(BootMemory& memory);

} // namespace twinplane::fw
