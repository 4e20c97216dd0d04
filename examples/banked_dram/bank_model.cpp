#include "bank_model.h"

#include <algorithm>

namespace examples {

using twinplane::TimePs;

BankModel::BankModel(const BankTiming& timing, hw::Rate bus)
    : timing_(timing), rate_(bus), active_(timing.tREFI - timing.tRFC), banks_(timing.banks) {}

TimePs BankModel::access(TimePs at, std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return at;
  const std::uint64_t end = (address + bytes + timing_.burst - 1) / timing_.burst * timing_.burst;
  const TimePs asked = without_refresh(at);
  TimePs done = asked;
  for (std::uint64_t begin = address / timing_.burst * timing_.burst; begin != end;) {
    const std::uint64_t in_row = std::min(end, (begin / timing_.row + 1) * timing_.row) - begin;
    done = std::max(done, part(asked, begin, in_row));
    begin += in_row;
  }
  return std::max(at, with_refresh(done));
}

/// In one row of one bank. Its column accesses take the bank as long as its data take the bus.
TimePs BankModel::part(TimePs at, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t number = address / timing_.row;
  Bank& bank = banks_[number % timing_.banks];
  const TimePs data = rate_.duration(bytes);
  const TimePs open = open_row(bank, number / timing_.banks, at, data);
  bank.busy += data;
  bus_busy_ += data;
  return std::max(bank.time.book(open, data), bus_.book(open, data)) + timing_.tCL;
}

/// When the row is open for an access that asks at `at` and then needs it for `data`.
TimePs BankModel::open_row(Bank& bank, std::uint64_t row, TimePs at, TimePs data) {
  constexpr std::size_t kKept = 64;
  const auto next = std::upper_bound(bank.openings.begin(), bank.openings.end(), at,
                                     [](TimePs asked, const Opening& o) { return asked < o.asked; });
  const Opening* const before = next == bank.openings.begin() ? nullptr : &*(next - 1);
  const bool closed = before == nullptr || period(before->open) < period(at); // by a refresh
  if (!closed && before->row == row) {
    ++statistics_.hits;
    return std::max(at, before->open);
  }
  ++statistics_.misses;
  const TimePs opening = (closed ? 0 : timing_.tRP) + timing_.tRCD;
  const TimePs open = bank.time.book(at, opening);
  const TimePs longer = timing_.tRAS - std::min(timing_.tRAS, timing_.tRCD + data);
  bank.time.book(open + data, longer); // before it may be closed
  bank.busy += opening + longer;
  bank.openings.insert(next, {at, open, row});
  if (bank.openings.size() > kKept) bank.openings.erase(bank.openings.begin());
  return open;
}

TimePs BankModel::without_refresh(TimePs at) const {
  if (timing_.tREFI == 0) return at;
  const TimePs into = at % timing_.tREFI;
  return at / timing_.tREFI * active_ + (into > timing_.tRFC ? into - timing_.tRFC : 0);
}

/// Of the end of something: at the border of two periods it is before the refresh.
TimePs BankModel::with_refresh(TimePs at) const {
  if (timing_.tREFI == 0 || at == 0) return at;
  return (at - 1) / active_ * timing_.tREFI + timing_.tRFC + (at - 1) % active_ + 1;
}

TimePs BankModel::busy() const {
  TimePs most = bus_busy_;
  for (const Bank& bank : banks_) most = std::max(most, bank.busy);
  return with_refresh(most);
}

} // namespace examples
