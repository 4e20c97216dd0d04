// What the cells of one LUN hold, as far as a monitor can know it from the bus: which pages are programmed
// since the last erase, and how.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/monitor/monitor_config.h"
#include "hw/monitor/monitor_rules.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

class CellBook {
 public:
  explicit CellBook(const MonitorConfig& config);

  /// Why an operation is not allowed; `detail` is null when it is.
  struct RuleResult {
    MonitorRule rule = MonitorRule::sequence;
    const char* detail = nullptr;
    explicit operator bool() const { return detail != nullptr; }
  };
  /// Block and page exist, the block is used in its mode. `whole_block`: an erase, which has no page.
  RuleResult check_place(const BusPlace& place, bool slc, bool whole_block) const;
  /// A program of these sectors may come now; the place has passed check_place().
  RuleResult check_program(const BusPlace& place, bool slc, std::uint32_t sectors) const;
  /// The same of a pass, which begins with that page.
  RuleResult check_pass(const BusPlace& first) const;

  void program(const BusPlace& place, bool slc, std::uint32_t sectors);
  /// Moves by copyback that have brought the page to its place.
  std::uint32_t copies(const BusPlace& place) const;
  void note_copies(const BusPlace& place, std::uint32_t copies);
  void erase(const BusPlace& place);
  /// A reset cut off the block's erase: it must be erased again.
  void cut_off_erase(const BusPlace& place) { block(place).cut_off = true; }
  /// The supply has failed: until the next erase reads may look for the modes of blocks.
  void forget_block_modes() { block_modes_known_ = false; }
  bool block_modes_known() const { return block_modes_known_; }

  void serialise(StateVisitor& state);

 private:
  enum class Mode : std::uint8_t { erased, native, slc };
  struct PageUse {
    std::uint32_t sectors = 0;
    std::uint32_t programs = 0;
  };
  struct Block {
    std::array<std::uint16_t, kMaxPageTypes> next{}; // by page type: its next position
    std::uint32_t pages = 0;                         // up to the last one programmed
    Mode mode = Mode::erased;
    bool cut_off = false;
    std::vector<std::uint8_t> copies; // by page; empty: none came by copyback
    std::vector<PageUse> use;         // only where pages take several programs or may be left out
  };

  const Block& block(const BusPlace& place) const {
    return blocks_[place.plane * config_.geometry.blocks_per_plane + place.block];
  }
  Block& block(const BusPlace& place) {
    return blocks_[place.plane * config_.geometry.blocks_per_plane + place.block];
  }
  bool leaves_pages_out(bool slc) const { return !slc && config_.program_order == ProgramOrder::ascending; }
  bool counts_pages(bool slc) const { return slc || config_.program_order == ProgramOrder::strict; }
  bool programmed(const Block& block, std::uint32_t page, bool slc) const;
  bool next_in_order(const Block& block, std::uint32_t page, bool slc) const;

  const MonitorConfig& config_;
  std::vector<Block> blocks_;
  bool block_modes_known_ = true;
};

} // namespace twinplane::hw
