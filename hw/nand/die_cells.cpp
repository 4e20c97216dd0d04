// Failures in the cells: bad blocks, programs and erases that fail, reads that need another level. And
// copyback, which leaves a page in its register between a read and a program.
#include <algorithm>

#include "hw/nand/die.h"

namespace twinplane::hw {

/// The maker's mark: the first spare byte of a bad block's first and last page is not FFh.
constexpr std::uint64_t kBadBlockOob = kBlankOob << 8;

void Die::read_cells(const FaceState& face, const PageStore::Block& block, const PlaneAddress& a,
                     PageRegister& target) {
  store_.read(block, a.page, target);
  if (target.lost != 0 && face.timed) ++context_.statistics.lost_reads;
  if (!faults_.reads_fail()) return;
  if (faults_.factory_bad(a.plane, a.block)) {
    const bool marked = a.page == 0 || a.page + 1 == context_.config.geometry.pages_per_block;
    target.blank = target.blank && !marked;
    target.oob = marked ? kBadBlockOob : target.oob;
    return;
  }
  if (!face.timed || target.blank) return;
  if (faults_.read_level(a.plane, a.block, a.page, block.erase_count) == read_level_) {
    return;
  }
  target.corrupt = true;
  ++context_.statistics.retry_reads;
}

/// The failures of an erase or program that has just changed the cells. Functional accesses meet bad
/// blocks, but neither chance nor wear.
void Die::spoil_cells(FaceState& face, ArrayKind kind, PageStore::Block& block, const PlaneAddress& a) {
  bool failed = faults_.factory_bad(a.plane, a.block);
  NandStatistics& s = context_.statistics;
  if (kind == ArrayKind::program) {
    failed = failed || (face.timed && faults_.program_fails(a.plane, a.block, a.page, block.erase_count));
    if (!failed) return;
    store_.mark_corrupt(block, a.page);
    ++s.failed_programs;
  } else {
    failed = failed || (face.timed && faults_.erase_fails(a.plane, a.block, block.erase_count));
    if (!failed) return;
    block.corrupt = true;
    ++s.failed_erases;
  }
  face.failed_planes |= 1u << a.plane;
}

bool Die::begin_copyback(Face face, std::uint32_t plane) {
  PageRegister& r = faces_[index(face)].registers[plane];
  if (!r.copyback) return false;
  r.mask = r.copied = store_.full_mask() & ~r.lost;
  r.oob_loaded = true;
  r.copyback = r.readable = false;
  return true;
}

/// A page has come to its place by copyback.
void Die::note_copy(const PlaneAddress& a, std::uint8_t copies) {
  const Geometry& g = context_.config.geometry;
  if (copies_.empty()) {
    copies_.resize(std::size_t{g.planes_per_die} * g.blocks_per_plane * g.pages_per_block);
  }
  copies_[page_index(a)] = copies;
}

void Die::forget_copies(const PlaneAddress& block) {
  const auto first = copies_.begin() + static_cast<std::ptrdiff_t>(page_index({block.plane, block.block, 0}));
  std::fill_n(first, context_.config.geometry.pages_per_block, std::uint8_t{0});
}

bool Die::reopen(Face face, std::uint32_t plane) {
  FaceState& f = faces_[index(face)];
  for (std::uint32_t i = 0; i < f.queued && f.queue_kind == ArrayKind::program; ++i) {
    if (f.queue[i].plane != plane) continue;
    f.queue[i] = f.queue[--f.queued];
    return true;
  }
  return false;
}

} // namespace twinplane::hw
