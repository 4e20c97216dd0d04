// Forms commands for idle dies and hands them to the flash controllers.
//
// Normally one command group is in flight per die (DieLoad). A group holds one page (or block) per plane;
// groups of two or more leave as one ONFI multi-plane command and obey its rules: different planes of one
// die, equal page addresses (PAC, unless nand.pac is off) and equal block addresses (BAC, when nand.bac is
// set).
#pragma once

#include <cstdint>

#include "firmware/ftl/board.h"
#include "firmware/ftl/collector.h"
#include "firmware/ftl/features/journal/journal.h"
#include "firmware/ftl/host_path.h"
#include "firmware/ftl/issue_observer.h"
#include "firmware/hal/flash_port.h"
#include "firmware/hal/probe_point.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class Dispatcher {
 public:
  void boot(BootMemory& memory, FtlState& state, Board& board, Collector& collector, HostPath& host,
            FlashPort* ports);
  void attach(Journal& journal) { journal_ = &journal; }

  /// Starts everything that can start now; rings no doorbell.
  void run();

  void attach(IssueObserver& observer) { observer_ = &observer; }

  /// Rings the doorbell of each channel that got descriptors since the last call.
  void kick();
  /// Instead of kick(): the channels, as bits.
  std::uint64_t take_posted() {
    const std::uint64_t posted = posted_;
    posted_ = 0;
    return posted;
  }

  /// Nothing may be queued or in flight.
  void serialise(StateVisitor& state);

 private:
  struct Group {
    Transaction* item[kMaxPlanesPerDie];
    PageSlot slot[kMaxPlanesPerDie]; // of pages to be programmed
    std::uint32_t count = 0;
    std::uint32_t die = 0;
    std::uint32_t open_planes = 0; // planes of the die that may still join, as bits
    std::uint32_t last_plane = 0;
    std::uint32_t next_die = kNoDie; // fill_dies(): the next group of the round
    FlashOp op = FlashOp::read;
  };

  enum class Phase : std::uint8_t { before_late_writes, all };
  static constexpr std::uint32_t kNoSet = 0xFFFFFFFFu;

  void serve_lanes(Phase phase);
  [[nodiscard]] bool serve(std::uint32_t die, Phase phase);
  void serve_reads(std::uint32_t die);
  [[nodiscard]] bool serve_planes(std::uint32_t die, Lane lane, bool others_wait);
  void issue_read(Transaction& t);
  Group& new_group(std::uint32_t die);
  /// What forms a group returns false when it has formed none: there is nothing to issue then.
  [[nodiscard]] bool form(Lane lane, const DieView& view, Group& g);

  void serve_late_writes();
  void no_space(std::uint32_t die, std::uint32_t c);
  void fill_planes(std::uint32_t c);
  [[nodiscard]] bool fill_dies(std::uint32_t c);
  [[nodiscard]] bool fill_write_group(std::uint32_t first_plane, Group& g);
  [[nodiscard]] bool add_writes(Group& g, std::uint32_t start, std::uint32_t most);
  [[nodiscard]] bool add_write(Group& g, std::uint32_t plane);
  void issue_writes(Group& g);

  void form_reads(TransactionList& lane, bool multi, Group& g);
  [[nodiscard]] bool form_in_place(TransactionList& lane, Group& g);
  [[nodiscard]] bool find_complete(std::uint32_t c, std::uint32_t plane, PageSlot& slot);
  [[nodiscard]] bool form_cached_move(TransactionList& lane, Group& g);
  void commit_cached(const Group& g);
  void tell_losses(const Transaction& t);
  [[nodiscard]] bool form_fold(Transaction& first, Group& g);
  void issue_pass(Group& g);
  [[nodiscard]] bool form_moves(TransactionList& lane, Group& g);
  [[nodiscard]] bool form_twin_moves(TransactionList& lane, Group& g);
  [[nodiscard]] bool form_twin_move(TransactionList& lane, Group& g);
  [[nodiscard]] bool add_twin_move(TransactionList& lane, Transaction* previous, Group& g);
  bool set_under_way(std::uint32_t die) const { return set_page_ != nullptr && set_page_[die] != kNoSet; }
  [[nodiscard]] bool form_erases(TransactionList& lane, Group& g);
  Lane before_padding(DieView& view) const;
  void join(TransactionList& lane, Group& g);
  bool fits(const Group& g, const Transaction& t) const;
  bool aligned(const PageSlot& a, const PageSlot& b) const;
  PageSlot slot_of(const Transaction& t) const;
  [[nodiscard]] bool peek(const Transaction& t, std::uint32_t plane, Stream stream, PageSlot& slot);
  [[nodiscard]] bool peek_for_host(const Transaction& t, std::uint32_t plane, PageSlot& slot);
  void restrict_pairs(Group& g, std::uint32_t plane);
  void add(Group& g, Transaction& t, std::uint32_t plane, const PageSlot& slot);
  void add(Group& g, Transaction& t, std::uint32_t plane);
  void drop_stale(TransactionList& lane);
  void drop_all_stale(TransactionList& lane);

  void issue(Group& g);
  // --- what those who look are told (dispatch_probe.cpp) ---
  [[gnu::cold]] static void show(const Dispatcher& d, const Group& g);
  [[gnu::cold]] static void tell(const Dispatcher& d, const Group& g);
  [[gnu::cold]] static void tell_doorbells(const Dispatcher& d, const FtlState& state);
  static std::uint32_t plane_and_hint(std::uint32_t plane, PageHint hint) { return plane << 8 | hint; }
  [[gnu::cold]] static void tell_refused(const Dispatcher& d, const Group& g, const PageSlot& slot,
                                         std::uint32_t plane_and_hint);
  IssuedWork issued_work(const Group& g) const;
  HeldReason obstacle(const Group& g, const Transaction& t) const;
  HeldReason mismatch(const PageSlot& a, const PageSlot& b, PageHint hint) const;
  void describe(Transaction& t, FlashOp op, std::uint32_t row_base, FlashDescriptor& f);
  void commit(const Group& g);
  [[gnu::cold]] void commit_own(const Transaction& t);
  void take_losses(Transaction& t);
  void count_in_region(const Transaction& t, std::uint32_t block, bool host);
  void count_host_page(const Transaction& t);
  void count(const Group& g);
  void count_copyback(const Transaction& t);
  std::uint32_t plane_in_die(const Transaction& t) const;

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  FlashPort* ports_ = nullptr;
  SlcCache* cache_ = nullptr; // null without one
  Journal* journal_ = nullptr;
  IssueObserver* observer_ = nullptr; // null: nobody looks
  Group* groups_ = nullptr;           // scratch: one per die
  /// Twin blocks, letter, one plane at a time: per die the index of the pages that go to one stripe and
  /// of which some are still to be programmed.
  std::uint32_t* set_page_ = nullptr;
  std::uint64_t posted_ = 0; // channels with descriptors behind the doorbell
  std::uint64_t now_ps_ = 0;
  std::uint32_t planes_per_die_ = 0;
  std::uint32_t all_planes_ = 0; // of a die, as bits
  std::uint32_t window_ = 0;
  Pairing pair_ = Pairing::any; // of host programs
  bool late_ = false;
  bool folds_ = false;      // native pages of an SLC-mode cache's drive are programmed by wordlines
  bool deep_ = false;       // a die may be given several commands
  bool in_regions_ = false; // there are several
};

} // namespace twinplane::fw
