// What a monitor knows about one LUN: when it is busy, which registers hold data, what is queued, running
// or suspended, and what its cells hold. Plain state; the parts of TargetWatch have the rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hw/monitor/cell_book.h"
#include "hw/monitor/monitor_commands.h"

namespace twinplane::hw {

/// The planes of one array operation.
struct PlaneGroup {
  CellWork work = CellWork::none;
  bool slc = false;
  std::uint32_t count = 0;
  std::array<BusPlace, kMaxPlanesPerDie> places{};
  std::array<std::uint32_t, kMaxPlanesPerDie> sectors{}; // programs
  std::array<std::uint32_t, kMaxPlanesPerDie> copies{};  // ... of a copyback: the moves with this one

  bool add(const BusPlace& place, std::uint32_t mask, std::uint32_t moves = 0) {
    if (count == places.size()) return false;
    places[count] = place;
    copies[count] = moves;
    sectors[count++] = mask;
    return true;
  }
  /// The plane's entry; `count` when it has none.
  std::uint32_t find_plane(std::uint32_t plane) const {
    std::uint32_t i = 0;
    while (i < count && places[i].plane != plane) ++i;
    return i;
  }
  void remove(std::uint32_t i) {
    --count;
    for (; i < count; ++i) {
      places[i] = places[i + 1];
      sectors[i] = sectors[i + 1];
      copies[i] = copies[i + 1];
    }
  }
  std::uint32_t plane_mask() const {
    std::uint32_t planes = 0;
    for (std::uint32_t i = 0; i < count; ++i) planes |= 1u << places[i].plane;
    return planes;
  }
  bool holds_block(const BusPlace& p) const {
    return std::any_of(places.begin(), places.begin() + count,
                       [&](const BusPlace& q) { return q.plane == p.plane && q.block == p.block; });
  }
};

/// An interval of R/B# low as the die reported it; `fall` is kNever when only the rise was told.
struct BusyReport {
  TimePs fall = kNever;
  TimePs rise = kNever;
};

/// The last read of a plane.
struct Sense {
  bool known = false;
  bool moved = false; // its data, out of the register
  std::uint32_t level = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;
};

struct LunWatch {
  explicit LunWatch(CellBook& book) : cells(book) {}

  bool busy(TimePs at) const { return at < ready_at; }
  bool array_busy(TimePs at) const { return at < std::max(ready_at, array_until); }
  /// An operation of the cells goes on: not that of a register, nor tDBSY.
  bool array_works(TimePs at) const { return at < std::max(running_until, array_until); }
  /// Independent plane reads: nothing but reads of planes goes on.
  bool planes_read(TimePs at) const { return at < reading_until; }
  /// One of the planes of the mask is busy, by itself or with the whole LUN.
  bool planes_busy(std::uint32_t planes, TimePs at) const {
    if (!planes_read(at)) return busy(at);
    for (std::uint32_t p = 0; p < plane_ready.size(); ++p) {
      if ((planes >> p & 1u) != 0 && at < plane_ready[p]) return true;
    }
    return false;
  }

  /// Blocks whose erase does not come to its end must be erased again.
  void cut_off(const PlaneGroup& group) {
    for (std::uint32_t i = 0; group.work == CellWork::erase && i < group.count; ++i) {
      cells.cut_off_erase(group.places[i]);
    }
  }

  /// A reset or a power cut ends everything but what the cells hold.
  void forget_operations() {
    read_level = 0;
    senses = {};
    queue.count = load_count = 0;
    running = {};
    suspended = {};
    last_read = {};
    reading_ahead = cached_program = data_waiting = false;
    copyback_planes = data_planes = unread_planes = 0;
    ready_at = array_until = array_reported = running_until = reading_until = 0;
  }

  CellBook& cells;
  TimePs ready_at = 0;                                // R/B# rises (SR6)
  TimePs reading_until = 0;                           // ... after nothing but reads of single planes
  std::array<TimePs, kMaxPlanesPerDie> plane_ready{}; // of these reads
  TimePs array_until = 0;                             // cache operations: the array works on (SR5)
  TimePs array_reported = 0;    // the same, of an operation that the tenure being looked at starts
  std::uint32_t read_level = 0; // feature 89h: reads take another time
  std::array<Sense, kMaxPlanesPerDie> senses{}; // by plane
  PlaneGroup queue;
  /// One-pass programming: what 1Ah has loaded, page by page. None: no pass is open.
  std::array<PlaneGroup, kMaxPageTypes> loads;
  std::uint32_t load_count = 0;
  PlaneGroup running;                                   // the last one started
  TimePs running_until = 0;                             // ... and when R/B# rises after it
  PlaneGroup suspended;                                 // work == none: nothing
  PlaneGroup last_read;                                 // what 31h without address continues
  bool read_continues = false;                          // ... unless planes of another group came since
  bool reading_ahead = false;                           // after 31h, until 3Fh
  bool cached_program = false;                          // after 15h, until 10h
  std::uint32_t copyback_planes = 0;                    // registers that 35h has read into
  std::array<std::uint32_t, kMaxPlanesPerDie> copies{}; // ... and how often their pages had been copied
  std::uint32_t data_planes = 0;                        // registers that hold the result of a read
  bool data_waiting = false;                            // ... and nothing of it has been moved out yet
  std::uint32_t unread_planes = 0; // results of a program or erase that no status has shown
  std::uint32_t plane = 0;         // selected for data out
  bool plane_selected = false;     // ... by 06h, since the last read
  std::vector<BusyReport> reports; // of the tenure that is being looked at
};

} // namespace twinplane::hw
