// What a die allows. Facts: ONFI multi-plane addressing; PA-SSD section 4.3.1 for the relaxed order.
#include <algorithm>

#include "hw/nand/die.h"

namespace twinplane::hw {

Die::Verdict Die::judge_group(const FaceState& face, ArrayKind kind) const {
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < face.queued; ++i) {
    const PlaneAddress& a = face.queue[i];
    if ((seen >> a.plane & 1u) != 0) return no(Rule::distinct_planes, "planes of a group must differ");
    seen |= 1u << a.plane;
    if (context_.config.pac && kind != ArrayKind::erase && a.page != face.queue[0].page) {
      return no(Rule::pac, "pages of a group must be equal");
    }
    if (context_.config.bac && a.block != face.queue[0].block) {
      return no(Rule::bac, "blocks of a group must be equal");
    }
  }
  return {};
}

Die::Verdict Die::judge_plane(const FaceState& face, const Launch& command,
                              const PlaneAddress& address) const {
  const Geometry& g = context_.config.geometry;
  if (address.block >= g.blocks_per_plane) return no(Rule::bad_address, "block beyond the plane");
  if (command.kind == ArrayKind::erase) return {};
  const std::uint32_t pages = command.slc ? context_.page_order.wordlines() : g.pages_per_block;
  if (address.page >= pages) return no(Rule::bad_address, "page beyond the block");

  const PageStore::Block& block = store_.block(address.plane, address.block);
  if (block.mode != BlockMode::erased && (block.mode == BlockMode::slc) != command.slc) {
    return no(Rule::slc_mode, "SLC prefix does not fit the block's mode");
  }
  if (command.kind == ArrayKind::read) return {};
  return judge_program(block, address, command.slc, face.registers[address.plane].mask);
}

Die::Verdict Die::judge_program(const PageStore::Block& block, const PlaneAddress& address, bool slc,
                                std::uint32_t mask) const {
  if (block.corrupt) return no(Rule::erase_before_program, "the block's erase was aborted");
  const std::uint32_t programs = store_.program_count(block, address.page);
  if (programs == 0) {
    return in_order(block, address.page, slc) ? Verdict{} : no(Rule::order, "not the next page of the block");
  }
  if (context_.config.partial_programs == 1) {
    return no(Rule::erase_before_program, "the page is already programmed");
  }
  if ((store_.programmed_sectors(block, address.page) & mask) != 0) {
    return no(Rule::erase_before_program, "a sector is already programmed");
  }
  if (programs >= context_.config.partial_programs) {
    return no(Rule::partial_limit, "the page had all its partial programs");
  }
  return {};
}

bool Die::in_order(const PageStore::Block& block, std::uint32_t page, bool slc) const {
  if (slc || context_.config.program_order == ProgramOrder::strict) return page == block.programmed;
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

} // namespace twinplane::hw
