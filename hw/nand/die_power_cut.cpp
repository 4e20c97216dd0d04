// What an operation leaves in the cells that a power cut or a reset has interrupted, and what a die is after
// power-on. The rules with their sources: docs/power_loss.md.
#include <utility>

#include "hw/nand/die.h"

namespace twinplane::hw {

/// An upper page is programmed by moving cells that hold the lower pages of the wordline, so those go with
/// it; a pass moves all of them. A block in SLC mode has one page per wordline.
void Die::ruin_cells(const Running& group) {
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

void Die::power_on(FaceState& face) {
  FaceState fresh;
  fresh.timed = face.timed;
  fresh.registers = std::move(face.registers);
  fresh.ahead = std::move(face.ahead);
  for (PageRegister& r : fresh.registers) r.clear();
  for (PageRegister& r : fresh.ahead) r.clear();
  face = std::move(fresh);
}

void Die::cut_power(TimePs at) {
  abort(at);
  for (FaceState& face : faces_) power_on(face);
  if (pass_ != nullptr) pass_->loaded = 0;
  for (WordlineBuffer& buffer : wordlines_) buffer = WordlineBuffer(context_.config.wordline_buffer);
  if (plane_reads_ != nullptr) *plane_reads_ = {};
  running_ = before_ = {};
  running_.chip = context_.config.chip;
  running_.lun = lun_;
  read_level_ = 0;
  modes_told_ = false;
  busy_until_ = array_until_ = 0;
  restrict_operations();
}

} // namespace twinplane::hw
