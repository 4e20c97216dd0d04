// What one package is: geometry, timing, and which rules its dies enforce.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/nand_timing.h"
#include "hw/spec/onfi_commands.h"
#include "hw/spec/page_order.h"
#include "hw/spec/reliability.h"

namespace twinplane::hw {

/// LUNs behind one CE#.
constexpr std::uint32_t kMaxLuns = 32;

/// What goes wrong in the cells (fault_model.h). Probabilities are 0 to 1.
struct NandFaults {
  std::uint64_t seed = 1;
  double factory_bad = 0;            // of a block
  double program = 0;                // of a page
  double erase = 0;                  // of a block
  double read = 0;                   // that a page needs a retry
  std::uint32_t endurance = 0;       // rated erases of a block; 0: no wear
  std::uint32_t parameter_pages = 0; // copies of the parameter page, the first ones, with a wrong bit
};

/// The cycles that rates of worn cells are told for.
constexpr double kRatedCycles = 4000;

/// Bits that flip: the terms of error_model.h, where each has its source.
struct NandErrors {
  struct Point {
    double cycles = 0;
    double rate = 0; // of raw bit errors
  };
  /// Of cells that were never erased, and of those with kRatedCycles.
  static std::vector<Point> fresh_and_worn();
  ErrorReading reading = ErrorReading::off;
  std::uint64_t seed = 1;
  std::uint32_t codeword_bytes = 1024;         // of page data
  std::uint32_t parity_bytes = 70;             // behind them, with errors of their own
  std::vector<Point> rates = fresh_and_worn(); // by cycles, ascending; at least two
  double upper = 2;                            // factor from each page type to the next
  double partial = 3.8 / 2.8 - 1;              // growth by three partial programs at 4000 cycles
  double neighbour = 0.25;                     // such programs next door, each as a share of one in the page
  double retention = 0;                        // growth in 30 days
  double retention_power = 0.5;                // ... and by which power of the time
  double read_disturb = 0;                     // growth by 1000 reads of the block
  /// Factor of each read level.
  std::array<double, kReadLevels> levels{1, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125};
  std::uint32_t cycles = 0; // of every block, before the run
  double age = 0;           // of what is stored when the run begins, in days
};

struct NandConfig {
  Geometry geometry;
  ArrayTiming array;
  BusTiming bus; // in force until feature 01h changes it
  /// Its name and mode (kBusInterfaces); empty: the part has no timing modes to change to.
  std::string bus_interface;
  std::uint32_t bus_mode = 0;
  DataMode data_mode = DataMode::tag;
  ProgramOrder program_order = ProgramOrder::strict;
  PageTable page_table = PageTable::diagonal;
  /// Native pages are programmed by whole wordlines, all pages of one in a single pass (wordline_pass.h):
  /// page table `wordline`, strict order.
  bool one_pass = false;
  bool pac = true;  // multi-plane commands need equal page addresses
  bool bac = false; // ... and equal block addresses
  /// 00h-30h of one plane is taken while other planes of the LUN read (vendor feature).
  bool independent_plane_reads = false;
  std::uint32_t partial_programs = 1; // programs of a page between erases (NOP), 1 .. kMaxPartialPrograms
  /// Out-of-band words that a page keeps: one, or one for each subpage (geometry.subpages_per_page).
  bool subpage_words = false;
  /// Moves of a page by copyback in a row that the part takes; 0: it has no copyback. Its data are not
  /// corrected on the way, so that their errors add up.
  std::uint32_t copybacks = kAnyCopybacks;
  std::uint32_t wordline_buffer = kAllWordlines; // per plane: see wordline_buffer.h
  bool strict = false;                           // a refusal is an SC_ERROR instead of a warning
  std::uint32_t channel = 0;                     // who this package is, for observers and messages
  std::uint32_t chip = 0;
  NandFaults faults;
  NandErrors errors;
  std::uint8_t slc_enter = onfi::opcode::slc_enter; // prefix: the next operation runs in SLC mode
  std::uint8_t slc_leave = onfi::opcode::slc_leave; // takes the prefix back
  /// The shared-pages table; packages of one drive share it. Built by the package when empty.
  std::shared_ptr<const PageOrderTable> page_order;
};

/// Says what is wrong with a configuration, or nothing (empty string) when a package can be built.
std::string check(const NandConfig& config);

} // namespace twinplane::hw
