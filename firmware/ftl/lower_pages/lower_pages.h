// Protection of lower pages, which the program of an upper page of their wordline ruins when it is
// interrupted (docs/power_loss.md). A lower page is each page but a wordline's last one. There are two ways.
//
// wordline: a page counts when its wordline is complete. Until then its write is not answered, a move is not
// done and so its victim is not erased. Where nothing else is to be programmed there the wordline is
// completed with padding (padding.cpp). After a cut a page on an incomplete wordline is what the host will
// see, though nobody was promised it, so recovery completes wordlines as well before the host is let in, and
// nothing is erased until then.
//
// backup: a copy in SLC mode of each lower page. It is written twice: when it has been programmed its data,
// still in the buffer, are programmed in SLC mode, where a program endangers nothing but itself, into units
// of their own, with the same word. Only then the write is answered, or a move counts as done. Where the
// wordline has been completed by then there is no copy.
//
// A copy counts until the wordline is complete or the page's block is erased. Each site has so many units
// that there is always one whose copies mostly do not count any more: what does is copied on, and the unit
// erased. They are the highest numbered good ones, so they are known at boot, and with them the mode in which
// they are to be read.
//
// Recovery maps an LPN to its copy where the page cannot be read, and before the host is let in has these
// pages written again (PageRewriter) and copies made of lower pages that have none: those that had not
// been answered. So an upper page is never programmed over the only copy of what has been promised, or seen.
//
// Only for pages that are programmed in the block's order, where few wordlines are incomplete at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firmware/ftl/board.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class Collector;
class HostPath;
class Metadata;

class LowerPages final : public OpOwner {
 public:
  /// Whom it needs.
  struct Parts {
    Metadata& metadata;
    Collector& collector;
    HostPath& host;
  };
  /// Sets units for copies aside, before the capacity is sized. All blocks are free yet; those of them that
  /// the maker has marked are retired here. False: there are too few.
  [[nodiscard]] bool reserve(BootMemory& memory, FtlState& state);
  /// Behind the pool and the board.
  void boot(BootMemory& memory, Board& board, const Parts& parts);
  /// Lower pages are in danger, and are protected ...
  bool kept() const { return sites_ != nullptr; }
  /// ... by copies; else their wordlines are completed.
  bool copies() const { return units_ != nullptr; }
  /// Programs that may wait for their wordlines at a time; copies are made one by one.
  std::uint32_t most_waiting() const { return most_waiting_; }
  /// Blocks that are set aside, of the whole drive.
  std::uint64_t blocks() const;

  // --- programs ---
  /// t has been programmed, or has failed. True: it is not done before take_ended() says so.
  [[nodiscard]] bool takes(Transaction& t, const FlashCompletion& c);
  /// The next one of these, with what its own program has answered; nullptr: none is.
  Transaction* take_ended(FlashCompletion& c);
  /// A page has been programmed, timed or not: its wordline may be complete.
  void programmed(Ppn ppn);
  /// A transaction of its own has completed.
  /// Goes on with units that had to wait.
  void run();
  bool idle() const;
  /// No more of the host comes, until resume(): all wordlines are completed.
  void rest() { resting_ = true; }
  void resume() { resting_ = false; }
  /// The padding's turn has come: the page that it goes to, handed out. False: it is not needed any more, or
  /// has to wait.
  [[nodiscard]] bool place(Transaction& padding) override;
  [[nodiscard]] std::uint64_t begin_program(Transaction& t) override;

  /// No copy counts any more: units that hold some are erased (or no longer).
  void purge(bool begins);

  // --- pages that have no copy, or whose wordline is not complete ---
  /// From now on that is made good for those that have been programmed.
  void cover();
  /// False: it is not yet.
  [[nodiscard]] bool covered() const { return uncovered_ == 0; }

  // --- recovery, while all other blocks are free ---
  bool is_ours(std::uint32_t site, std::uint32_t block) const { return unit_of(site, block) != kNoUnit; }
  bool is_ours(Ppn page) const {
    return copies() &&
           is_ours(state_->blocks.site_of(state_->blocks.plane_of(page)), state_->blocks.block_of(page));
  }
  /// A page of a unit holds that word.
  void found(Ppn page, std::uint64_t oob);
  /// Of a block of a unit so many pages are written. For all blocks, in the order of their planes.
  void found_block(std::uint32_t plane, std::uint32_t block, std::uint32_t pages);
  /// A block of the unit, if it is one of ours, has gone bad in an earlier life.
  void found_bad(std::uint32_t site, std::uint32_t block);
  /// Each copy that has been found: LPN, stamp, where it lies.
  template <typename Each>
  void for_each_copy(const Each& each) const;
  /// Of a partly written block so many wordlines are complete.
  void complete_up_to(std::uint32_t plane, std::uint32_t block, std::uint32_t wordlines) {
    if (kept())
      complete_[plane * state_->blocks.blocks_per_plane() + block] = static_cast<std::uint16_t>(wordlines);
  }
  /// A unit that nobody goes on writing has been opened: what its wordlines lack is programmed, then the rest
  /// of it is used up. False: not by this.
  [[nodiscard]] bool adopt(std::uint32_t site, std::uint32_t block);
  /// What is left of an open unit counts as invalid pages.
  void use_up(std::uint32_t site, std::uint32_t block);
  /// The map is known: copies of pages in danger go on counting, others do no more. `stamp_of` an LPN's page.
  void recovered(const std::uint32_t* stamp_of);
  /// The next LPN whose only page is a copy, from `at` on, which is moved behind it; kNoLpn: there is none.
  std::uint32_t next_rescued(std::size_t& at) const;

  /// Nothing may be under way.
  void serialise(StateVisitor& visitor);

 private:
  static const OpTraits kRead;
  static const OpTraits kCopy;
  static const OpTraits kErase;
  static const OpTraits kPadding;

  static constexpr std::uint32_t kNoUnit = 0xFFFFFFFFu;

  /// What a page of a unit holds.
  struct Copy {
    std::uint32_t lpn = kNoLpn; // kNoLpn: nothing, or nothing that can be read
    std::uint32_t stamp = 0;
    Ppn page = kNoPpn;        // that it stands for; none: the LPN has no other, or it does not count
    std::uint32_t erases = 0; // of that page's block
  };
  struct Unit {
    std::uint32_t block = 0;
    std::uint32_t written = 0;  // pages
    std::uint32_t to_erase = 0; // block of the unit that is erased next, + 1
    std::uint32_t lost = 0;     // it has gone bad
  };
  enum class Step : std::uint8_t { idle, copying, reading, erasing };
  struct Site {
    TransactionList waiting;        // for their copies
    Transaction* parent = nullptr;  // whose copy is being programmed; none: it is copied on
    std::uint32_t head = kNoUnit;   // that is being written
    std::uint32_t victim = kNoUnit; // whose copies are being copied on
    Copy copy;                      // that is being programmed
    Ppn source = kNoPpn;            // where it is read
    Step step = Step::idle;
    bool uncovered = false; // it may have pages without a copy, or on incomplete wordlines
    bool refused = false;   // padding has been, by the space rule
  };

  bool units_hold(std::uint32_t site) const;
  [[nodiscard]] bool reserve_units(std::uint32_t site);
  std::uint32_t unit_of(std::uint32_t site, std::uint32_t block) const;
  Unit& unit(std::uint32_t site, std::uint32_t u) const { return units_[site * units_per_site_ + u]; }
  Copy& copy(std::uint32_t site, std::uint32_t u, std::uint32_t n) const {
    return copies_[(std::size_t{site} * units_per_site_ + u) * unit_pages_ + n];
  }
  Copy& copy_at(Ppn page) const;
  Ppn page_of(std::uint32_t site, std::uint32_t u, std::uint32_t n) const;
  std::uint32_t block_index(Ppn page) const {
    const BlockTable& blocks = state_->blocks;
    return blocks.plane_of(page) * blocks.blocks_per_plane() + blocks.block_of(page);
  }
  std::uint32_t erases_of(Ppn page) const;
  bool complete(Ppn page) const;
  /// Slow pages are programmed behind the fast ones of its wordlines.
  bool uses_slow_pages(Ppn page) const {
    const BlockTable& blocks = state_->blocks;
    return blocks.mode(blocks.block(blocks.plane_of(page), blocks.block_of(page)).region) == PageMode::all;
  }
  bool in_danger(Ppn page) const;
  bool counts(const Copy& c, Ppn at) const;
  std::uint32_t counting(std::uint32_t site, std::uint32_t u) const;
  bool has_copy(std::uint32_t site, Ppn page) const;
  enum class Uncovered : std::uint8_t { any, lacks_pages }; // of its wordline, the last one not handed out
  Ppn next_uncovered(std::uint32_t site, Uncovered which) const;

  void advance(std::uint32_t site);
  [[nodiscard]] bool next_step(std::uint32_t site);
  [[nodiscard]] bool has_head(std::uint32_t site, std::uint32_t erased_units);
  [[nodiscard]] bool choose_victim(std::uint32_t site);
  [[nodiscard]] bool copy_on(std::uint32_t site);
  void read(std::uint32_t site, Ppn page, const Copy& as);
  void program(std::uint32_t site, std::uint32_t buffer, std::uint32_t lost);
  void erase(std::uint32_t site);
  // completions
  void copied(Transaction& t, const FlashCompletion& c);
  void was_read(Transaction& t, const FlashCompletion& c);
  void erased(Transaction& t, const FlashCompletion& c);
  void padded(Transaction& t, const FlashCompletion& c);
  std::uint32_t begin_completion(Transaction& t, const FlashCompletion& c);
  void end_copy(std::uint32_t site, Transaction& t, bool good);
  void take_read(std::uint32_t site, Transaction& t, const FlashCompletion& c);
  void end_unit(std::uint32_t site, Transaction& t);
  void lose_unit(std::uint32_t site, Unit& lost);
  Transaction& send(std::uint32_t site, const OpTraits& kind, Ppn page);
  void end(Transaction& t);
  void set_covered(Site& s);
  [[nodiscard]] bool copies_next(std::uint32_t site);

  void end_complete(Site& s);
  [[nodiscard]] bool pads_next(std::uint32_t site);
  Ppn next_to_complete(std::uint32_t site);
  bool lacks_pages(Ppn page) const;
  bool may_linger(const Transaction& t) const;
  [[nodiscard]] bool orphan_page(std::uint32_t site, std::uint32_t block, Placement& where, PageSlot& slot);
  [[nodiscard]] bool open_page(std::uint32_t site, std::uint32_t block, Placement& where, PageSlot& slot);
  void set_aside(std::uint32_t site, const Unit& unit);

  FtlState* state_ = nullptr;
  Board* board_ = nullptr;
  Metadata* metadata_ = nullptr;
  Collector* collector_ = nullptr;
  HostPath* host_ = nullptr;
  Unit* units_ = nullptr; // units_per_site_ of each site
  Site* sites_ = nullptr;
  Copy* copies_ = nullptr;             // by page of the units
  std::uint16_t* complete_ = nullptr;  // by plane and block: wordlines
  std::uint8_t* orphans_ = nullptr;    // by site and block: adopt()
  FlashCompletion* answers_ = nullptr; // by transaction
  TransactionList ended_;
  std::uint32_t units_per_site_ = 0;
  std::uint32_t fewest_ = 0;      // good units of a site that are enough
  std::uint32_t block_pages_ = 0; // in SLC mode
  std::uint32_t unit_pages_ = 0;
  std::uint32_t most_waiting_ = 0;
  std::uint32_t uncovered_ = 0;  // sites
  bool waits_for_reads_ = false; // of a unit that is to be erased
  bool purges_ = false;
  bool resting_ = false;
};

template <typename Each>
void LowerPages::for_each_copy(const Each& each) const {
  for (std::uint32_t site = 0; copies() && site < state_->blocks.sites(); ++site) {
    for (std::uint32_t u = 0; u < units_per_site_; ++u) {
      for (std::uint32_t n = 0; n < unit_pages_; ++n) {
        const Copy& c = copy(site, u, n);
        if (c.lpn < state_->exported_pages) each(c.lpn, c.stamp, page_of(site, u, n));
      }
    }
  }
}

} // namespace twinplane::fw
