#include "hw/nand/cell_array.h"

#include "hw/nand/cell_launch.h"

namespace twinplane::hw {

using namespace cell_faults;

CellArray::CellArray(PackageContext& context, std::uint32_t lun)
    : context_(context),
      blocks_per_plane_(context.config.geometry.blocks_per_plane),
      pages_per_block_(context.config.geometry.pages_per_block),
      store_(context.config.geometry, context.config.data_mode, context.config.partial_programs,
             context.config.subpage_words),
      faults_(context.config, lun),
      errors_(context.config.errors.reading == ErrorReading::off ? nullptr
                                                                 : std::make_unique<BitErrors>(context, lun)),
      copies_(context.config.geometry) {
  const std::uint32_t capacity = context.config.wordline_buffer;
  if (capacity < kAllWordlines && !context.config.one_pass)
    wordlines_.assign(context.config.geometry.planes_per_die, WordlineBuffer(capacity));
}

// --- rules ---

/// PA-SSD section 4.3.1.
bool CellArray::in_relaxed_order(const PageStore::Block& block, std::uint32_t page) const {
  if (context_.config.program_order == ProgramOrder::ascending) return page >= block.programmed;
  const PageOrderTable& order = context_.page_order;
  const PageType type = order.type(page);
  const std::uint32_t position = order.wordline(page);
  if (position != block.by_type[type]) return false;
  if (context_.config.program_order == ProgramOrder::slc) return type == 0;
  if (type == 0) return true;
  // Type t of a wordline needs type t-1 of the wordline and of both neighbours.
  const std::uint32_t per_wordline = context_.config.page_table == PageTable::even_odd ? 2 : 1;
  const std::uint32_t needed = (position / per_wordline + 2) * per_wordline;
  return block.by_type[type - 1u] >= std::min(order.wordlines(), needed);
}

RuleResult CellArray::check_wordline(const PlaneAddress& last, std::uint32_t pages,
                                     const ArrayGroup* held) const {
  if (const RuleResult fault = check_place(last, pages_per_block_, held)) return fault;
  const PageStore::Block& block = store_.block(last.plane, last.block);
  const std::uint32_t first = last.page + 1 - pages;
  if (block.mode == BlockMode::slc) return &kWrongMode;
  if (block.corrupt) return &kAbortedErase;
  if (first < block.programmed) return &kProgrammed;
  return first > block.programmed ? &kOutOfOrder : nullptr;
}

// --- operations ---

/// A page of the other mode is no page of these cells: garbage, unless its wordline is erased.
void CellArray::read_in_other_mode(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells) {
  PageRegister& target = access.registers.target(cells.at.plane, command.cache);
  const PageOrderTable& order = context_.page_order;
  const std::uint32_t wordline = command.slc ? cells.at.page : order.wordline(cells.at.page);
  const std::uint32_t first = command.slc ? order.page(wordline, 0) : wordline;
  store_.read(cells.block, first, target);
  if (!target.blank) target.invalidate();
  if (target.noise) target.noise->counts = false;
}

/// Of a program in native mode: time to read the lower pages of a wordline that is not buffered.
TimePs CellArray::wordline_time(const PlaneAddress& address) {
  const PageOrderTable& order = context_.page_order;
  const PageType type = order.type(address.page);
  const bool last = type + 1u == order.types();
  WordlineBuffer& buffer = wordlines_[address.plane];
  if (!buffer.program(address.block, order.wordline(address.page), type, last)) return 0;
  TimePs time = 0;
  for (PageType lower = 0; lower < type; ++lower) time += context_.config.array.tR[lower];
  context_.statistics.wordline_reads += type;
  return time;
}

void CellArray::fail_program(DieAccess& access, const PlaneCells& cells) {
  const PlaneAddress& a = cells.at;
  if (!faults_.factory_bad(a.plane, a.block) &&
      !(access.timed && faults_.program_fails(a.plane, a.block, a.page, cells.block.erase_count)))
    return;
  store_.mark_corrupt(cells.block, a.page);
  ++context_.statistics.failed_programs;
  access.failed_planes |= 1u << a.plane;
}

void CellArray::program_pass_page(DieAccess& access, const ArrayCommand& command,
                                  const PlaneAddress& address) {
  program_cells(access, command, cells_at(address, access.registers));
}

void CellArray::end_wordline(DieAccess& access, const PlaneAddress& first) {
  ++context_.statistics.passes;
  if (!faults_.programs_fail()) return;
  PageStore::Block& block = store_.block(first.plane, first.block);
  if (!faults_.factory_bad(first.plane, first.block) &&
      !faults_.program_fails(first.plane, first.block, first.page, block.erase_count))
    return;
  for (std::uint32_t page = first.page; page < block.programmed; ++page) {
    store_.mark_corrupt(block, page);
    ++context_.statistics.failed_programs;
  }
  access.failed_planes |= 1u << first.plane;
}

TimePs CellArray::erase_block(DieAccess& access, const ArrayCommand& command, const PlaneCells& cells) {
  const PlaneAddress& a = cells.at;
  NandStatistics& s = context_.statistics;
  if (errors_) errors_->note_erase(a);
  store_.erase(cells.block);
  block_modes_known_ = true;
  copies_.forget(a);
  if (faults_.factory_bad(a.plane, a.block) ||
      (access.timed && faults_.erase_fails(a.plane, a.block, cells.block.erase_count))) {
    cells.block.corrupt = true;
    ++s.failed_erases;
    access.failed_planes |= 1u << a.plane;
  }
  if (!access.timed) return 0;
  if (!wordlines_.empty()) wordlines_[a.plane].forget(a.block);
  ++(command.slc ? s.slc_erases : s.native_erases);
  return command.slc ? context_.config.array.slc_tBERS : context_.config.array.tBERS;
}

// --- interruptions, and what lasts ---

/// An upper page is programmed by moving cells that hold the lower pages of the wordline, so those go with
/// it; a pass moves all of them. A block in SLC mode has one page per wordline.
void CellArray::corrupt_cells(const ArrayGroup& group) {
  if (group.kind == ArrayKind::read) return;
  const PageOrderTable& order = context_.page_order;
  for (std::uint32_t i = 0; i < group.planes_in_group; ++i) {
    const PlaneAddress& a = group.planes[i];
    PageStore::Block& block = store_.block(a.plane, a.block);
    if (group.kind == ArrayKind::erase) {
      block.corrupt = true;
    } else if (group.slc) {
      store_.mark_corrupt(block, a.page);
    } else {
      for (PageType type = 0; type <= order.type(a.page); ++type)
        store_.mark_corrupt(block, order.page(order.wordline(a.page), type));
    }
  }
}

void CellArray::power_on() {
  for (WordlineBuffer& buffer : wordlines_) buffer = WordlineBuffer(context_.config.wordline_buffer);
  read_level_ = 0;
  block_modes_known_ = false;
}

void CellArray::serialise(StateVisitor& state) {
  store_.serialise(state);
  copies_.serialise(state);
  if (state.loading()) block_modes_known_ = false;
  if (errors_ != nullptr) errors_->serialise(state);
}

} // namespace twinplane::hw
