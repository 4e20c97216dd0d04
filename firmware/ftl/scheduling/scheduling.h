// Flash scheduling: what does an idle die do next?
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

struct DieView {
  const Transaction* oldest[kLanes] = {}; // first in each lane, nullptr when empty
  std::uint64_t now_ps = 0;
  /// A plane of this die is short of free blocks: host writes soon have to wait; or they wait for a copy
  /// of a lower page. Told where minds_urgent().
  bool urgent = false;
  /// Pages that the host may program before the die's collection goes on, as kPage: those that its moves have earned,
  /// less those that have been programmed since. Told where paces().
  std::int16_t credit = 0;
};
constexpr std::int32_t kPage = 64; // in the unit of DieView::credit

class Scheduling {
 public:
  /// The lane to serve, Lane::none when all are empty. Never starves space reclamation while
  /// `urgent`. Must answer with a lane that is not empty.
  [[nodiscard]] virtual Lane pick(const DieView& die) const = 0;

  /// pick() looks at DieView::urgent.
  [[nodiscard]] virtual bool minds_urgent() const { return false; }
  /// ... or at DieView::credit.
  [[nodiscard]] virtual bool paces() const { return false; }

  /// How many transactions behind the first one of a lane are examined for partners of a
  /// multi-plane command.
  [[nodiscard]] virtual std::uint32_t window() const = 0;

 protected:
  ~Scheduling() = default;
};

Scheduling* make_fifo_scheduling(BootMemory& memory, const FtlConfig& config);
Scheduling* make_read_first_scheduling(BootMemory& memory, const FtlConfig& config);
Scheduling* make_paced_scheduling(BootMemory& memory, const FtlConfig& config);
Scheduling* make_paq_scheduling(BootMemory& memory, const FtlConfig& config);

} // namespace twinplane::fw
