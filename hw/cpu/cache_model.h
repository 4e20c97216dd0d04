// The core's data cache, as far as tables in DRAM go through it: which lines it holds, not what is in them.
//
// Set-associative (one way: direct-mapped), least recently used goes first, lines are allocated by reads and
// writes, and written back when they go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace twinplane::hw {

struct CacheConfig {
  std::uint64_t size = 0;  // bytes, a multiple of line x ways; 0: no cache is modelled
  std::uint32_t line = 64; // bytes, a power of two
  std::uint32_t ways = 1;
};

struct CacheStatistics {
  std::uint64_t hits = 0; // of lines
  std::uint64_t misses = 0;
  std::uint64_t written_back = 0;
};

class CacheModel {
 public:
  explicit CacheModel(const CacheConfig& config)
      : line_(config.line), ways_(config.ways), lines_(config.size / config.line) {}

  bool modelled() const { return !lines_.empty(); }
  std::uint32_t line() const { return line_; }

  struct Access {
    bool hit = true;
    bool writes_back = false; // the line that goes has been written to
    std::uint64_t gone = 0;   // ... and where it lies
  };
  /// Of the line that `address` lies in.
  Access access(std::uint64_t address, bool write) {
    const std::uint64_t number = address / line_;
    const std::uint64_t sets = lines_.size() / ways_;
    const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(number % sets * ways_);
    const auto end = first + static_cast<std::ptrdiff_t>(ways_);
    auto place = std::find_if(first, end, [number](const Line& l) { return l.tag == number + 1; });
    Access result;
    if (place == end) {
      --place; // the oldest
      result = {false, place->tag != 0 && place->dirty, (place->tag - 1) * line_};
      *place = Line{number + 1, false};
      ++statistics_.misses;
      statistics_.written_back += result.writes_back ? 1 : 0;
    } else {
      ++statistics_.hits;
    }
    place->dirty = place->dirty || write;
    std::rotate(first, place, place + 1);
    return result;
  }

  const CacheStatistics& statistics() const { return statistics_; }

 private:
  struct Line {
    std::uint64_t tag = 0; // number of the line in memory + 1; 0: none
    bool dirty = false;
  };
  std::uint32_t line_;
  std::uint32_t ways_;
  std::vector<Line> lines_; // by set, the newest first
  CacheStatistics statistics_;
};

} // namespace twinplane::hw
