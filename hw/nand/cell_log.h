// What the cells of one die have been through since each block's erase, as far as the model of bit errors
// asks for it: reads, time of the program, and partial programs that came after the data.
//
// Kept only by parts with the model on. Memory: once a block is used, 16 bytes per page and 8 per sector.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/observer.h"
#include "hw/nand/nand_config.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

class CellLog {
 public:
  CellLog(const NandConfig& config, const PageOrderTable& order);

  /// One program of a page.
  struct Program {
    PlaneAddress place;
    bool slc = false;
    std::uint32_t sectors = 0; // programmed now
    std::uint32_t before = 0;  // ... and before, since the erase
    TimePs at = 0;
    bool functional = false;       // stored before the run begins
    std::uint32_t copied = 0;      // sectors that come from another page of the die, uncorrected
    const double* rates = nullptr; // ... with these errors, by sector
  };
  void program(const Program& program);
  void erase(const PlaneAddress& place) { blocks_[index(place)] = {}; }

  struct Read {
    std::uint64_t of_block = 0; // reads before this one
    std::uint64_t of_page = 0;
    TimePs age = 0;          // of the page's last program, within the run
    bool functional = false; // it was programmed before
  };
  /// Counts a read of a programmed page.
  Read read(const PlaneAddress& place, TimePs at);
  /// Rate of the errors that the sector was programmed with.
  double inherited(const PlaneAddress& place, std::uint32_t sector) const;
  /// Partial programs since the sector's own: in its page, and next door times `neighbour`.
  double disturbs(const PlaneAddress& place, std::uint32_t sector, double neighbour) const;

  /// Times are kept as ages at `now`, for the next life begins at time zero.
  void serialise(StateVisitor& state, TimePs now);

 private:
  static constexpr TimePs kFunctional = ~TimePs{0};
  static constexpr std::uint8_t kMost = 0xFF; // counts stop here
  struct Page {
    TimePs written = 0; // before the life began: less than zero, modulo 2^64
    std::uint64_t reads = 0;
  };
  struct Sector {
    std::uint8_t in_page = 0;
    std::uint8_t neighbour = 0;
    std::uint16_t unused = 0; // so that all bytes have a value: they are saved
    float inherited = 0;      // errors that were programmed
  };
  struct Block {
    std::uint64_t reads = 0;
    std::vector<Page> pages; // empty until its first program
    std::vector<Sector> sectors;
  };

  std::size_t index(const PlaneAddress& place) const {
    return std::size_t{place.plane} * blocks_per_plane_ + place.block;
  }
  void disturb_neighbours(Block& block, const Program& program);
  void disturb_wordline(Block& block, std::uint32_t wordline, bool slc);
  void disturb_page(Block& block, std::uint32_t page);

  const PageOrderTable& order_;
  std::uint32_t blocks_per_plane_;
  std::uint32_t pages_;
  std::uint32_t sectors_;
  std::uint32_t per_wordline_; // table positions that share a physical wordline
  std::vector<Block> blocks_;
};

} // namespace twinplane::hw
