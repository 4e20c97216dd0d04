// The way of every launch through the cells. In a header for its caller, the die's launch, because calls would cost
// as much as the work.
#pragma once

#include <algorithm>

#include "hw/nand/cell_array.h"

namespace twinplane::hw {

namespace cell_faults {
inline constexpr Fault kNoBlock{Rule::bad_address, "block beyond the plane"};
inline constexpr Fault kSuspendedBlock{Rule::suspend, "the block has a suspended operation"};
inline constexpr Fault kNoPage{Rule::bad_address, "page beyond the block"};
inline constexpr Fault kWrongMode{Rule::slc_mode, "SLC prefix does not fit the block's mode"};
inline constexpr Fault kAbortedErase{Rule::erase_before_program, "the block's erase was aborted"};
inline constexpr Fault kOutOfOrder{Rule::order, "not the next page of the block"};
inline constexpr Fault kProgrammed{Rule::erase_before_program, "the page is already programmed"};
inline constexpr Fault kSectorProgrammed{Rule::erase_before_program, "a sector is already programmed"};
inline constexpr Fault kNoMoreCopies{Rule::protocol, "the page has had all its moves by copyback"};
inline constexpr Fault kNoMorePrograms{Rule::partial_limit, "the page had all its partial programs"};
} // namespace cell_faults

/// The maker's mark: the first spare byte of a bad block's first and last page is not FFh.
constexpr std::uint64_t kBadBlockOob = kBlankOob << 8;

inline RuleResult CellArray::check_place(const PlaneAddress& address, std::uint32_t pages,
                                         const ArrayGroup* held) const {
  if (address.block >= blocks_per_plane_) return &cell_faults::kNoBlock;
  if (held != nullptr && held->holds_block(address)) return &cell_faults::kSuspendedBlock;
  return address.page < pages ? nullptr : &cell_faults::kNoPage;
}

inline RuleResult CellArray::check_copies(const PageRegister& page) const {
  return page.copied != 0 && page.copies >= context_.config.copybacks ? &cell_faults::kNoMoreCopies : nullptr;
}

[[gnu::always_inline]] inline RuleResult CellArray::check_program(const ArrayCommand& command,
                                                                  const PlaneCells& cells) const {
  const PageStore::Block& block = cells.block;
  if (block.corrupt) return &cell_faults::kAbortedErase;
  if (const RuleResult fault = check_copies(cells.page)) return fault;
  const bool one_by_one = command.slc || context_.config.program_order == ProgramOrder::strict;
  if (one_by_one && cells.at.page == block.programmed) return nullptr; // nothing is there or behind it
  const std::uint32_t programs = store_.program_count(block, cells.at.page);
  if (programs == 0)
    return !one_by_one && in_relaxed_order(block, cells.at.page) ? nullptr : &cell_faults::kOutOfOrder;
  if (context_.config.partial_programs == 1) return &cell_faults::kProgrammed;
  if ((store_.programmed_sectors(block, cells.at.page) & cells.page.mask) != 0)
    return &cell_faults::kSectorProgrammed;
  return programs < context_.config.partial_programs ? nullptr : &cell_faults::kNoMorePrograms;
}

/// Bad blocks show the maker's mark, and some pages need another read level.
[[gnu::always_inline]] inline void CellArray::fetch(const PlaneCells& cells, bool timed,
                                                    PageRegister& target) {
  const PlaneAddress& a = cells.at;
  store_.read(cells.block, a.page, target);
  if (target.lost != 0 && timed) ++context_.statistics.lost_reads;
  if (!faults_.reads_fail()) return;
  if (faults_.factory_bad(a.plane, a.block)) {
    const bool marked = a.page == 0 || a.page + 1 == context_.config.geometry.pages_per_block;
    target.blank = target.blank && !marked;
    target.oob = marked ? kBadBlockOob : target.oob;
    return;
  }
  if (!timed || target.blank) return;
  if (faults_.read_level(a.plane, a.block, a.page, cells.block.erase_count) == read_level_) return;
  target.corrupt = true;
  ++context_.statistics.retry_reads;
}

[[gnu::always_inline]] inline TimePs CellArray::read_page(DieAccess& access, const ArrayCommand& command,
                                                          const PlaneCells& cells) {
  PageRegister& target = access.registers.target(cells.at.plane, command.cache);
  fetch(cells, access.timed, target);
  if (errors_ && access.timed) errors_->add_noise(command, cells, read_level_, target);
  cells.page.copyback = command.copyback; // a cache read takes the register away
  if (command.copyback) cells.page.copies = copies_.of(cells.at);
  if (!command.cache) access.registers.select(cells.at.plane);
  if (!access.timed) return 0;
  const ArrayTiming& t = context_.config.array;
  const PageType type = context_.page_type(cells.at, command.slc);
  ++(command.slc ? context_.statistics.slc_reads : context_.statistics.reads[type]);
  if (read_level_ != 0) {
    ++context_.statistics.level_reads[command.slc ? kSlcPages : type][read_level_ - 1];
    return t.tR_level[read_level_ - 1];
  }
  return command.slc ? t.slc_tR : t.tR[type];
}

// 40 instructions a page
[[gnu::always_inline]] inline PageType CellArray::program_cells(DieAccess& access,
                                                                const ArrayCommand& command,
                                                                const PlaneCells& cells) {
  const PageType type = context_.page_type(cells.at, command.slc);
  PageRegister& page = cells.page;
  if (errors_)
    errors_->note_program(command, cells, store_.programmed_sectors(cells.block, cells.at.page),
                          !access.timed);
  cells.block.mode = command.slc ? BlockMode::slc : BlockMode::native;
  store_.program(cells.block, cells.at.page, type, page);
  if (page.copied != 0) copies_.note(cells.at, page.copies);
  page.readable = false;
  if (!access.timed) return type;
  NandStatistics& s = context_.statistics;
  ++(command.slc ? s.slc_programs : s.programs[type]);
  if (page.mask != store_.full_mask()) {
    ++s.partial_programs;
    const std::uint32_t left_out = store_.full_mask() & ~(page.mask | page.lost);
    s.sectors_left_out += static_cast<std::uint32_t>(__builtin_popcount(left_out));
  }
  return type;
}

[[gnu::always_inline]] inline TimePs CellArray::program_page(DieAccess& access, const ArrayCommand& command,
                                                             const PlaneCells& cells) {
  const PageType type = program_cells(access, command, cells);
  if (faults_.programs_fail()) fail_program(access, cells);
  if (!access.timed) return 0;
  const ArrayTiming& t = context_.config.array;
  if (command.slc) return t.slc_tPROG;
  return t.tPROG[type] + (wordlines_.empty() ? 0 : wordline_time(cells.at));
}

/// `duration` grows to what the plane takes.
[[gnu::always_inline]] inline RuleResult CellArray::launch_plane(DieAccess& access,
                                                                 const ArrayCommand& command,
                                                                 const PlaneCells& cells, TimePs& duration) {
  if (command.kind == ArrayKind::erase) {
    duration = std::max(duration, erase_block(access, command, cells));
    return nullptr;
  }
  const BlockMode mode = cells.block.mode;
  const bool fits = mode == BlockMode::erased || (mode == BlockMode::slc) == command.slc;
  if (command.kind == ArrayKind::program) {
    const RuleResult fault = fits ? check_program(command, cells) : &cell_faults::kWrongMode;
    if (fault == nullptr) duration = std::max(duration, program_page(access, command, cells));
    return fault;
  }
  if (!fits && block_modes_known_)
    return &cell_faults::kWrongMode; // after power-on reads look for the block's mode
  duration = std::max(duration, read_page(access, command, cells));
  if (!fits) read_in_other_mode(access, command, cells);
  return nullptr;
}

[[gnu::always_inline]] inline void CellArray::launch(DieAccess& access, const ArrayCommand& command,
                                                     const ArrayGroup* held, Outcome& outcome) {
  const bool erase = command.kind == ArrayKind::erase; // its address has no page
  const std::uint32_t pages = erase ? ~0u : command.slc ? context_.page_order.wordlines() : pages_per_block_;
  PlaneQueue& queue = access.queue;
  std::uint32_t accepted = 0;
  TimePs duration = 0;
  for (std::uint32_t i = 0; i < queue.count; ++i) {
    const PlaneAddress& address = queue.planes[i];
    RuleResult fault = check_place(address, pages, held);
    if (fault == nullptr)
      fault = launch_plane(access, command, cells_at(address, access.registers), duration);
    if (fault != nullptr) {
      outcome.refusals[outcome.refused++] = {address.plane, address.block, address.page, fault};
      continue;
    }
    if (accepted != i) queue.planes[accepted] = address;
    ++accepted;
  }
  outcome.accepted = accepted;
  outcome.duration = duration;
}

} // namespace twinplane::hw
