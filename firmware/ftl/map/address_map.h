// The map as the paths of the host's requests and collection ask for it, whatever its unit is: what a page lacks, what a
// read has brought, and what becomes of the map, and of the data that it names, when data are lost or programs fail.
//
// A logical page has one unit in drives that are mapped by page, else as many as Units says. Units of a page are bits,
// sectors are in the order of the logical page.
#pragma once

#include <cstdint>

#include "firmware/ftl/map/buffered_programs.h"
#include "firmware/ftl/map/units.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

struct FtlState;

class AddressMap {
 public:
  /// The units of a page that is mapped as a whole.
  static constexpr std::uint32_t kWholePage = 1;

  explicit AddressMap(FtlState& of_drive) : writers(of_drive), state_(of_drive) {}

  BufferedPrograms writers;

  /// Some of what t was to write is nowhere in the flash: it has been trimmed since.
  [[nodiscard]] bool was_trimmed(const Transaction& t) const;
  /// Some of the LPN is in that block.
  [[nodiscard]] bool lies_in(std::uint32_t lpn, std::uint32_t site, std::uint32_t block) const;
  struct Pages {
    Ppn page[kMaxUnits];
    std::uint32_t count = 0;
  };
  /// Of these sectors those that unmap() can forget: of whole pages, or of whole units of ftl.map_unit.
  std::uint32_t whole(std::uint32_t sectors) const;
  /// Forgets these sectors of the LPN, which are whole(). Returns the page of each unit that it had of them.
  Pages unmap(std::uint32_t lpn, std::uint32_t sectors, TouchedPlanes& touched);

  // --- reads ---
  /// Aims t at the page that holds the first of these sectors, all of which are in the flash. Returns those that are in
  /// other pages.
  std::uint32_t set_read_target(Transaction& t, std::uint32_t sectors);
  struct Delivery {
    std::uint32_t good = 0;  // sectors in the buffer
    std::uint32_t lost = 0;  // that nothing has any more
    std::uint32_t moved = 0; // that are elsewhere by now
  };
  /// A read has ended. What the flash has not delivered comes from the buffers of programs that are under way or have
  /// failed, no matter which of the two has answered first.
  Delivery take_read(Transaction& t, const FlashCompletion& c);

  // --- writes ---
  /// What a write needs of its page that the host does not bring.
  struct Gap {
    std::uint32_t missing = 0;
    std::uint32_t lost = 0;
    std::uint32_t there = 0; // to be read; 0: there is nothing
    Ppn page = kNoPpn;       // of the first of these
  };
  /// `read`: of a page that is mapped as a whole, what has been read of it.
  Gap gap_of(const Transaction& t, std::uint32_t read) const;
  /// The page that gap_of() has found is read.
  void aim_at_gap(Transaction& t, const Gap& gap);
  /// The rest of the gap holds zeros.
  void fill_gap(Transaction& t, const Gap& gap);

  // --- programs ---
  /// The program has ended, and failed; or its data are not safe, whatever the die says.
  [[nodiscard]] bool has_failed(const Transaction& t, const FlashCompletion& c);
  /// Units of a program that has ended, where the map still names what it has written.
  std::uint32_t failed_at(const Transaction& t) const;
  /// What t has not found a place for in the page that it has written.
  std::uint32_t left_to_write(const Transaction& t) const;
  /// Newer data have been written instead of some units of t.
  bool is_superseded(const Transaction& t) const;
  /// What is newer than t has written is being programmed.
  bool newer_under_way(const Transaction& t) const;
  /// The map names what t has written: that is good, what t could not complete is lost. True: metadata have to tell, as
  /// its word is newer than what tells it.
  [[nodiscard]] bool note_losses(Transaction& t);
  /// The program of t is to be repeated: what else the buffer has is old.
  void write_again(Transaction& t);
  /// The program has failed for good: a write that has replaced what it should have brought has in truth replaced what
  /// that had.
  void inherit(const Transaction& failed);
  /// The program of these units has failed, and will not be repeated: what they had replaced counts again.
  /// Returns those of which nothing is left.
  std::uint32_t go_back(const Transaction& failed, std::uint32_t units, TouchedPlanes& touched);

  /// The LPN's page is that one again, which is mapped as a whole and has not been erased: its block needs more pages
  /// when it is collected.
  void go_back(std::uint32_t lpn, Ppn page);
  /// A program under way, or to be repeated, replaces a page of that block.
  bool replaces_in(const Transaction& t, std::uint32_t site, std::uint32_t block) const;
  /// A program under way, or to be repeated, replaces a page that has been erased since.
  bool replaces_erased(const Transaction& t) const;
  /// The block is erased: t cannot go back to what it has replaced there.
  void forget_replaced(Transaction& t, std::uint32_t site, std::uint32_t block);
  /// The same of all transactions.
  void forget_replaced(std::uint32_t site, std::uint32_t block);

  // --- losses ---
  /// These units cannot be read any more.
  void lose(std::uint32_t lpn, std::uint32_t units, TouchedPlanes& touched);
  /// These sectors of the LPN's page cannot be read any more; the map goes on naming it for the others.
  void lose_sectors(std::uint32_t lpn, std::uint32_t sectors);

  /// The units that t has read are put where they belong. Returns the sectors that neither the flash nor a buffer
  /// has delivered.
  std::uint32_t take_read_units(Transaction& t, const FlashCompletion& c);

 private:
  bool lies_in(Ppn page, std::uint32_t site, std::uint32_t block) const;
  std::uint32_t go_back_to_page(const Transaction& failed, TouchedPlanes& touched);

  FtlState& state_;
};

} // namespace twinplane::fw
