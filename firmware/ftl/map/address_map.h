// What becomes of the map, and of the data that it names, when data are lost, programs fail or sectors are forgotten.
#pragma once

#include <cstdint>

#include "firmware/ftl/map/units.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

struct FtlState;

class AddressMap {
 public:
  explicit AddressMap(FtlState& of_drive) : state_(of_drive) {}

  /// Forgets the LPN's page and its losses. Returns what it pointed to.
  Ppn unmap(std::uint32_t lpn);
  /// The LPN's page cannot be read any more.
  Ppn lose(std::uint32_t lpn);
  /// These units cannot be read any more.
  void lose(std::uint32_t lpn, std::uint32_t units, TouchedPlanes& touched);
  /// These sectors of the LPN's page cannot be read any more; the map goes on naming it for the others.
  void lose_sectors(std::uint32_t lpn, std::uint32_t sectors);

  // --- data that only buffers have ---
  /// A read of t.ppn has failed. If that page's program is under way or, as it has failed too, about to be
  /// repeated, t's buffer gets the sectors from the transaction that holds them, which is returned. No matter
  /// which of the two has answered first.
  const Transaction* read_from_writer(const Transaction& t);
  /// A read of t.ppn has failed, and the page is not, or soon will not be, what the map names for the LPN:
  /// its program has failed, or is a copyback whose failure is known already to the die alone.
  bool abandoned(const Transaction& t) const;
  /// The transaction that has the data of that unit of the page in its buffer; nullptr: there is none, or the map
  /// names another page for it. Looks at all transactions.
  const Transaction* writer_of(Ppn page, const LogicalUnit& l) const;
  /// The units that t has read are put where they belong. Returns the sectors, in the order of the logical page,
  /// that neither the flash nor a buffer has delivered.
  std::uint32_t take_read_units(Transaction& t, const FlashCompletion& c);

  // --- programs that have failed ---
  /// The program of these units has failed, and will not be repeated: what they had replaced counts again.
  /// Returns those of which nothing is left.
  std::uint32_t go_back(const Transaction& failed, std::uint32_t units, TouchedPlanes& touched);
  /// A program of units has failed for good: a write that has replaced what it should have brought has in
  /// truth replaced what that had (TransactionPool::inherit).
  void inherit_units(const Transaction& failed);

 private:
  std::uint32_t take_from_writers(Transaction& t);

  FtlState& state_;
};

} // namespace twinplane::fw
