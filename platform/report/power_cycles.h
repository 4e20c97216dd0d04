// What a run whose supply failed tells of each power cycle, from power-on to the cut.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "firmware/ftl/bring_up/times.h"
#include "firmware/ftl/drive_record.h"
#include "firmware/ftl/recovery/recovery_counters.h"
#include "hw/spec/sim_time.h"

namespace twinplane::platform {

/// Times since power-on.
struct PowerCycleSummary {
  bool cut = false;                       // it ended so; false: in the workload's end
  bool cells_failed = false;              // in this power cycle: the cells have lost something
  bool blocks_failed = false;             // a program or an erase has
  bool pages_kept = false;                // no cut takes pages that had been programmed
  bool trims_kept = false;                // the firmware has had blocks to write them to
  bool bad_blocks_kept = false;           // the same of its block table
  TimePs cut_ps = 0;                      // when, if it did
  TimePs held_up_ps = 0;                  // from then on
  std::uint64_t requests = 0;             // of the workload, finished in this power cycle
  std::uint64_t unanswered = 0;           // sent, and under way at the cut
  std::uint64_t flash_operations_cut = 0; // under way in the flash controllers

  bool recovered = false; // there has been a power cycle before
  TimePs ready_ps = 0;    // CSTS.RDY and all that a driver asks before the first request
  fw::BringUpTimes bring_up;
  fw::RecoveryCounters recovery;
  // of the drive, at the end
  fw::DriveRecord health;
  std::uint64_t erases = 0;
  std::uint64_t retired_blocks = 0;
  /// The whole drive is read once: sectors by what was found.
  std::uint64_t sectors_checked = 0;
  std::uint64_t sectors_old_or_new = 0; // several versions were allowed: the last one, or one before it
  std::uint64_t sectors_lost = 0;       // what is there is not allowed: the promise is broken
  /// Declared: at most (pages_kept, recovery.pages_taken, recovery.sectors_untold).
  std::uint64_t sectors_may_go_back = 0;
  std::uint64_t sectors_gone_back = 0; // as lost, but it had been declared
  std::uint64_t sectors_unreadable = 0;
  bool check_failed = false; // some of its commands have, so it has read more than these sectors
};

/// What boot did on the flash buses: ns by step.
nlohmann::ordered_json boot_steps_json(const fw::BringUpTimes& times);
/// Array of objects in their order.
nlohmann::ordered_json power_cycles_json(const std::vector<PowerCycleSummary>& cycles);

} // namespace twinplane::platform
