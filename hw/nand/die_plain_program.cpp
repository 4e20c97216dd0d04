// The usual program in one pass: whole pages of blocks in native mode, each the next page of its block, of
// one group that breaks no rule, on an idle die. What launch() would do, and nothing when there is anything
// else about it.
#include "hw/nand/die.h"

namespace twinplane::hw {

bool Die::plain_by_configuration(const NandConfig& config) {
  return config.program_order == ProgramOrder::strict && config.wordline_buffer >= kAllWordlines;
}

/// Fills in the targets, too.
bool Die::is_plain(const PlainProgram& program, Targets& targets) {
  const Geometry& geometry = context_.config.geometry;
  const std::uint32_t page = program.first.page;
  if (page >= geometry.pages_per_block || program.first.block >= geometry.blocks_per_plane) return false;
  const bool has_payload = store_.payload_size() != 0;
  const std::uint32_t row = program.planes[0].row;
  const std::uint32_t same = ~(program.plane_mask << program.plane_shift);
  const TimePs gap = context_.bus.tWB + context_.config.array.tDBSY;
  TimePs open_at = 0;
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < program.count; ++i) {
    const OnfiPlane& data = program.planes[i];
    const std::uint32_t plane = data.row >> program.plane_shift & program.plane_mask;
    if (((data.row ^ row) & same) != 0 || plane >= registers_ || (seen >> plane & 1u) != 0) return false;
    if (data.column != 0 || data.sector_mask != store_.full_mask() || data.begin < open_at) return false;
    if ((data.sectors != nullptr) != has_payload) return false;
    PageStore::Block& block = store_.block(plane, program.first.block);
    if (block.programmed != page || block.mode == BlockMode::slc || block.corrupt) return false;
    targets[i] = {plane, &block};
    seen |= 1u << plane;
    open_at = data.end + gap;
  }
  return true;
}

bool Die::program_plainly(const PlainProgram& program) {
  const TimePs at = program.planes[program.count - 1].end + context_.bus.tWB;
  FaceState& f = faces_[index(Face::bus)];
  if (!plain_ || restricted_ || f.stream != Stream::none || f.queued != 0) return false;
  Targets targets;
  if (array_busy(program.planes[0].begin) || !is_plain(program, targets)) return false;
  f.failed_planes = f.failed_previous = 0;
  const PageType type = context_.page_order.type(program.first.page);
  if (!context_.edge_observers.empty()) announce_loading(program);
  for (std::uint32_t i = 0; i < program.count; ++i) {
    const OnfiPlane& data = program.planes[i];
    PageRegister& loaded = f.registers[targets[i].plane];
    loaded.clear();
    if (data.sectors != nullptr) store_.copy_page(loaded.payload.get(), data.sectors);
    store_.append(*targets[i].block, type, data);
    running_.planes[i] = {targets[i].plane, program.first.block, program.first.page};
  }
  f.last_kind = ArrayKind::program;
  f.last_count = static_cast<std::uint8_t>(program.count);
  f.last_slc = false;
  context_.statistics.programs[type] += program.count;
  occupy_array({ArrayKind::program, false, program.first, at}, program.count,
               context_.config.array.tPROG[type]);
  if (!context_.observers.empty()) announce(at);
  return true;
}

/// tDBSY behind each plane but the last.
void Die::announce_loading(const PlainProgram& program) {
  for (std::uint32_t i = 0; i + 1 < program.count; ++i) {
    occupy(program.planes[i].end + context_.bus.tWB, context_.config.array.tDBSY);
  }
}

} // namespace twinplane::hw
