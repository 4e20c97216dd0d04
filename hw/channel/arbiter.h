// Who gets the bus next.
//
// The controller calls pick() when the bus is free and at least one die wants it; the answer is an
// index into `requests`. Every die has at most one request, `requests` may be in any order, and the
// choice must not depend on that order. An arbiter may remember whom it served; the time comes from the
// caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "hw/core/onfi_tenure.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

struct BusRequest {
  std::uint32_t die = 0; // on this channel: chip * dies_per_chip + lun
  TenureKind kind = TenureKind::other;
  TimePs since = 0; // ready for the bus since
};

class Arbiter {
 public:
  virtual ~Arbiter() = default;
  /// `count` >= 1 requests that are ready at `now`; returns an index below `count`.
  [[nodiscard]] virtual std::size_t pick(const BusRequest* requests, std::size_t count, TimePs now) = 0;
};

std::unique_ptr<Arbiter> make_round_robin_arbiter(); // dies in turn, whatever they want
std::unique_ptr<Arbiter> make_read_first_arbiter();  // read commands, read data, short tenures, programs
std::unique_ptr<Arbiter> make_shortest_tenure_first_arbiter(); // status, commands, read data, programs

struct ArbiterName {
  const char* name;
  std::unique_ptr<Arbiter> (*make)();
};
inline constexpr std::array<ArbiterName, 3> kArbiters{
    {{"round_robin", make_round_robin_arbiter},
     {"read_first", make_read_first_arbiter},
     {"shortest_tenure_first", make_shortest_tenure_first_arbiter}}};

/// `arbiter`, but what has waited for longer than `limit` goes first, the longest wait before the others.
std::unique_ptr<Arbiter> make_aged_arbiter(std::unique_ptr<Arbiter> arbiter, TimePs limit);

/// Null when there is no arbiter of this name.
inline std::unique_ptr<Arbiter> make_arbiter(std::string_view name) {
  for (const ArbiterName& row : kArbiters) {
    if (name == row.name) return row.make();
  }
  return nullptr;
}

} // namespace twinplane::hw
