// The usual program in one pass: whole pages of blocks in native mode, each the next page of its block, of
// one group that breaks no rule, on an idle die. What launch() would do, and nothing when there is anything
// else about it.
#include "hw/nand/die.h"

namespace twinplane::hw {

bool Die::plain_by_configuration(const NandConfig& config) {
  return config.program_order == ProgramOrder::strict && config.wordline_buffer >= kAllWordlines;
}

bool Die::is_plain(const RowAddress* rows, const OnfiPlane* planes, std::uint32_t count) const {
  const NandConfig& config = context_.config;
  const std::uint32_t page = rows[0].place.page;
  if (page >= config.geometry.pages_per_block) return false;
  const bool has_payload = store_.payload_size() != 0;
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const PlaneAddress& at = rows[i].place;
    if ((seen >> at.plane & 1u) != 0) return false;
    seen |= 1u << at.plane;
    if (at.page != page || (config.bac && at.block != rows[0].place.block)) return false;
    if (at.block >= config.geometry.blocks_per_plane || planes[i].sector_mask != store_.full_mask())
      return false;
    if ((planes[i].sectors != nullptr) != has_payload) return false;
    const PageStore::Block& block = store_.block(at.plane, at.block);
    if (block.programmed != page || block.mode == BlockMode::slc || block.corrupt) return false;
  }
  return true;
}

bool Die::program_plainly(const RowAddress* rows, const OnfiPlane* planes, std::uint32_t count) {
  const TimePs at = planes[count - 1].end + context_.bus.tWB;
  FaceState& f = faces_[index(Face::bus)];
  if (!plain_ || f.stream != Stream::none || suspended_.active) return false;
  if (array_until_ > at || f.queued != 0 || !is_plain(rows, planes, count)) return false;
  const bool watched = !context_.observers.empty();
  const PageType type = context_.page_order.type(rows[0].place.page);
  for (std::uint32_t i = 0; i < count; ++i) {
    const PlaneAddress& place = rows[i].place;
    PageRegister& loaded = f.registers[place.plane];
    loaded.clear();
    if (planes[i].sectors != nullptr)
      store_.copy(loaded.payload.get(), planes[i].sectors, planes[i].sector_mask);
    store_.append(store_.block(place.plane, place.block), type, planes[i]);
    running_.planes[i] = place;
    if (watched && i + 1 < count) occupy(planes[i].end + context_.bus.tWB, context_.config.array.tDBSY);
  }
  f.last_kind = ArrayKind::program;
  f.last_count = static_cast<std::uint8_t>(count);
  f.last_slc = false;
  context_.statistics.programs[type] += count;
  occupy_array({ArrayKind::program, false, rows[0].place, at}, count, context_.config.array.tPROG[type]);
  if (watched) announce(at);
  return true;
}

} // namespace twinplane::hw
