// When a DRAM with banks is done with a transfer: rows that must be opened and closed, one data bus, refresh.
// Time only: no bytes, no SystemC.
//
// Addresses go row : bank : column, so that a transfer longer than a row goes on in the next bank while the
// one behind that opens its row. A row stays open until another one of its bank is wanted or a refresh comes.
//
//   row hit    the bank's column accesses, as long as the data take on the bus; data tCL later
//   row miss   tRP where another row is open, tRCD; then the same, and the row stays open for tRAS at least.
//              So a bank has a new row each tRP + max(tRAS, tRCD + data) at most
//   bus        whole bursts, at a rate
//   refresh    all banks, the first tRFC of each tREFI: nothing moves, rows are closed. What is under
//              way goes on behind it
//
// Transfers come in any order of their times, as the drive learns of them (hw/core/dram_timing.h). Banks and
// bus are calendars that are filled around what was booked before, by parts if need be, and a bank remembers
// which row was open when.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/calendar.h"
#include "hw/core/reservation.h"

namespace examples {

namespace hw = twinplane::hw;

struct BankTiming {
  std::uint32_t banks = 16;
  std::uint32_t row = 8192; // bytes, a multiple of the burst
  std::uint32_t burst = 64; // bytes
  twinplane::TimePs tRCD = twinplane::ns(14);
  twinplane::TimePs tRP = twinplane::ns(14);
  twinplane::TimePs tCL = twinplane::ns(14);
  twinplane::TimePs tRAS = twinplane::ns(32);
  twinplane::TimePs tREFI = twinplane::ns(3900); // 0: no refresh
  twinplane::TimePs tRFC = twinplane::ns(350);
};

struct BankStatistics {
  std::uint64_t hits = 0; // parts of transfers, each in one row of one bank
  std::uint64_t misses = 0;
  double hit_rate() const {
    return hits + misses == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

class BankModel {
 public:
  BankModel(const BankTiming& timing, hw::Rate bus);

  /// When the last byte has passed; `at` if there is none.
  twinplane::TimePs access(twinplane::TimePs at, std::uint64_t address, std::uint64_t bytes);

  const BankStatistics& statistics() const { return statistics_; }
  /// Of the bus or of the bank that has most to do, with the refreshes in between.
  twinplane::TimePs busy() const;

 private:
  using TimePs = twinplane::TimePs;
  /// A row of a bank is opened.
  struct Opening {
    TimePs asked;
    TimePs open;
    std::uint64_t row;
  };
  struct Bank {
    hw::Calendar time;
    TimePs busy = 0;
    std::vector<Opening> openings; // the newest of them, by `asked`
  };

  // All below count the time without refreshes.
  TimePs without_refresh(TimePs at) const;
  TimePs with_refresh(TimePs at) const;
  std::uint64_t period(TimePs at) const { return timing_.tREFI == 0 ? 0 : at / active_; }
  TimePs part(TimePs at, std::uint64_t address, std::uint64_t bytes);
  TimePs open_row(Bank& bank, std::uint64_t row, TimePs at, TimePs data);

  BankTiming timing_;
  hw::Rate rate_;
  TimePs active_; // of each tREFI
  hw::Calendar bus_;
  TimePs bus_busy_ = 0;
  std::vector<Bank> banks_;
  BankStatistics statistics_;
};

} // namespace examples
