// The cell arrays of a die as operations use them: the rules of programs and modes, what a read, program or erase
// does to the cells and how long it takes, and what goes wrong in them.
//
// Functional accesses take no time and are not counted; they meet bad blocks, but neither chance nor wear.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/nand/bit_errors.h"
#include "hw/nand/copyback_counts.h"
#include "hw/nand/fault_model.h"
#include "hw/nand/wordline_buffer.h"

namespace twinplane::hw {

class CellArray {
 public:
  CellArray(PackageContext& context, std::uint32_t lun);

  /// What became of a launch.
  struct Outcome {
    std::uint32_t accepted = 0; // planes, the queue's first ones
    std::uint32_t refused = 0;
    TimePs duration = 0; // of the plane that takes longest
    struct Refused {
      std::uint32_t plane, block, page;
      RuleResult fault;
    };
    std::array<Refused, kMaxPlanesPerDie> refusals; // as many as are refused; the rest has no value
  };
  /// Changes the cells of each plane that waits, or fetches what they hold, unless a rule forbids it. `held`: a
  /// suspended operation, whose blocks are out of bounds; null: none.
  void launch(DieAccess& access, const ArrayCommand& command, const ArrayGroup* held, Outcome& outcome);

  // --- one-pass programming ---
  /// The `pages` of a wordline up to `last` exist and may be programmed.
  RuleResult check_wordline(const PlaneAddress& last, std::uint32_t pages, const ArrayGroup* held) const;
  /// The page can be moved once more by copyback, if that is how it came.
  RuleResult check_copies(const PageRegister& page) const;
  /// One page of the wordline, whose failures come with the whole of it.
  void program_pass_page(DieAccess& access, const ArrayCommand& command, const PlaneAddress& address);
  /// The wordline has been programmed: one pass, one draw.
  void end_wordline(DieAccess& access, const PlaneAddress& first);

  /// What an interrupted operation leaves (docs/power_loss.md).
  void corrupt_cells(const ArrayGroup& group);
  RawErrors raw_errors(const PageRegister& page, std::uint32_t mask, std::uint8_t* sectors) const {
    return errors_->of_transfer(page, mask, sectors);
  }

  /// Feature 89h of the LUN: 0, or a further sense.
  void set_read_level(std::uint32_t level) { read_level_ = level; }
  std::uint32_t read_level() const { return read_level_; }
  const PageStore& store() const { return store_; }
  const FaultModel& faults() const { return faults_; }

  /// All but the cells is forgotten.
  void power_on();
  /// The cells, and what the die knows of their past. While no operation runs.
  void serialise(StateVisitor& state);

 private:
  PlaneCells cells_at(const PlaneAddress& address, PlaneRegisters& registers) {
    return {address, store_.block(address.plane, address.block), registers[address.plane]};
  }
  RuleResult check_place(const PlaneAddress& address, std::uint32_t pages, const ArrayGroup* held) const;
  RuleResult launch_plane(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells,
                          TimePs& duration);
  RuleResult check_program(const ArrayCommand& command, const PlaneCells& cells) const;
  bool in_relaxed_order(const PageStore::Block& block, std::uint32_t page) const;
  TimePs read_page(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells);
  void fetch(const PlaneCells& cells, bool timed, PageRegister& target);
  void read_in_other_mode(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells);
  TimePs program_page(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells);
  PageType program_cells(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells);
  TimePs wordline_time(const PlaneAddress& address);
  void fail_program(DieAccess& access, const PlaneCells& cells);
  TimePs erase_block(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells);

  PackageContext& context_;
  std::uint32_t blocks_per_plane_;
  std::uint32_t pages_per_block_;
  PageStore store_;
  FaultModel faults_;
  std::unique_ptr<BitErrors> errors_; // null: no bit flips
  CopybackCounts copies_;
  std::vector<WordlineBuffer> wordlines_; // one per plane; empty: all wordlines are buffered
  std::uint32_t read_level_ = 0;
  bool block_modes_known_ = true; // since power-on a block has been erased: the die's user knows its modes
};

} // namespace twinplane::hw
