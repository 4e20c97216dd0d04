// Data that only buffers have: their program is under way, or has failed and will be repeated.
#pragma once

#include <cstdint>

#include "firmware/ftl/map/units.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

struct FtlState;

class BufferedPrograms {
 public:
  explicit BufferedPrograms(FtlState& of_drive) : state_(of_drive) {}

  /// A read of a whole page has failed. If that page's program is under way or, as it has failed too, about to be
  /// repeated, t's buffer gets the sectors from the transaction that holds them, which is returned.
  const Transaction* read_page(const Transaction& t);
  /// The same of the units that t reads. Returns the sectors that t's buffer has got.
  std::uint32_t read_units(Transaction& t);
  /// The transaction that has the data of that unit of the page in its buffer; nullptr: there is none, or the map
  /// names another page for it. Looks at all transactions.
  const Transaction* writer_of(Ppn page, const LogicalUnit& l) const;

 private:
  FtlState& state_;
};

} // namespace twinplane::fw
