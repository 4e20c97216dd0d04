// Protection of lower pages, which the program of an upper page of their wordline ruins when it is
// interrupted (docs/power_loss.md). There are two ways:
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
class LowerPages : public Feature, public OpOwner {
 public:
  FeatureNeeds needs() const override {
    return {state_->blocks.geometry().planes() * copies.units(), most_waiting_, true};
  }
  std::uint32_t hooks() const override { return hook_set(Hook::programmed, Hook::may_erase, Hook::blocks); }
  void boot(BootMemory& memory, const Pipeline& pipeline) override;

  bool programmed(Transaction& t, const FlashCompletion& c) override;
  void programmed_untimed(Ppn page) override { progress.programmed(page); }
  bool end_held() override;
  bool step(bool admits) override;
  bool idle() const override;
  void quiesce() override { resting_ = true; }
  void resume() override { resting_ = false; }
  void purge(bool begins) override;
  void serialise(StateVisitor& visitor) override;

  void protect() override;
  bool all_protected() const override { return unprotected_ == 0; }
  void found_block(std::uint32_t plane, std::uint32_t block, std::uint32_t pages,
                   std::uint32_t wordlines) override;
  void reopened(std::uint32_t plane, std::uint32_t block, bool written) override {
    if (!written) progress.complete_up_to(plane, block, state_->blocks.order().wordlines());
  }

 protected:
  ~LowerPages() = default;

  struct Site {
    TransactionList waiting;  // for their copies, or for the rest of their wordlines
    bool busy = false;        // with an operation of its own
    bool unprotected = false; // it may have pages without a copy, or on incomplete wordlines
  };

  /// Goes on with what had to wait.
  virtual void run() = 0;
  /// False: there is nothing to do, or it has been begun, or it has to wait.
  [[nodiscard]] virtual bool next_step(std::uint32_t site) = 0;
  virtual void advance(std::uint32_t site);
  virtual bool site_idle(std::uint32_t site) const;
  virtual void begins_to_wait(Transaction& /*t*/) {}
  virtual void has_waited(Transaction& /*t*/) {}

  void reserve_sites(BootMemory& memory, FtlState& state);
  void set_programmed(Transaction& t, bool programmed);
  void end(Transaction& t);
  void end_complete(std::uint32_t site);
  void set_protected(std::uint32_t site);
  void set_unprotected(std::uint32_t site);
  enum class Lacks : std::uint8_t { any, pages }; // of its wordline, the last one not handed out
  Ppn next_unprotected(std::uint32_t site, Lacks which) const;
  Transaction& send(std::uint32_t site, const OpTraits& kind, Ppn page);
  /// Its site, which is not busy any more.
  std::uint32_t complete(Transaction& t, const FlashCompletion& c);

  WordlineProgress progress;
  CopyUnits copies;
  FtlState* state_ = nullptr;
  DieQueues* board_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  Completions* completions_ = nullptr;
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

LowerPages* make_copies(BootMemory& memory);
LowerPages* make_padding(BootMemory& memory);

} // namespace twinplane::fw
