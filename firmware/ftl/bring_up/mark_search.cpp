#include "firmware/ftl/bring_up/mark_search.h"

#include "firmware/ftl/bring_up/all_answers.h"

namespace twinplane::fw {

namespace {

class MarkSearch {
 public:
  MarkSearch(FtlState& state, FlashPort* ports)
      : state_(state),
        ports_(ports),
        geometry_(state.config.geometry),
        of_units_(state.config.used_cells && maps_by_unit(state.config)),
        words_below_(state.config.used_cells ? geometry_.pages() : 0),
        interrupts_(*state.hal, geometry_.channels) {}

  void run() {
    BlockTable& blocks = state_.blocks;
    const std::uint64_t began = state_.now_ps();
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      read(block, 0);
      // in a drive that is used in SLC mode the last page has another number
      if (!blocks.slc_mode(blocks.ppn(0, block, 0))) read(block, blocks.pages_per_block() - 1);
    }
    state_.bring_up.marks_ps = state_.now_ps() - began;
  }

 private:
  /// That page of all planes.
  void read(std::uint32_t block, std::uint32_t page) {
    for (std::uint32_t die = 0; die < geometry_.dies(); ++die) submit(die, block, page);
    for (std::uint32_t c = 0; c < geometry_.channels; ++c) ports_[c].kick();
    take_all_answers(state_, ports_, interrupts_, waiting_,
                     [&](std::uint32_t, const FlashCompletion& done) { take(done, block); });
  }

  void submit(std::uint32_t die, std::uint32_t block, std::uint32_t page) {
    const BlockTable& blocks = state_.blocks;
    const std::uint32_t channel = die / geometry_.dies_per_channel();
    const std::uint32_t in_channel = die % geometry_.dies_per_channel();
    const std::uint32_t lun = blocks.layout().row(in_channel % geometry_.dies_per_chip, 0, 0, 0);
    for (std::uint32_t p = 0; p < geometry_.planes_per_die; ++p) {
      const std::uint32_t plane = die * geometry_.planes_per_die + p;
      const Ppn ppn = blocks.ppn(plane, block, page);
      FlashDescriptor d;
      d.op = static_cast<std::uint8_t>(FlashOp::read);
      if (p + 1 != geometry_.planes_per_die) d.flags |= flash_flag::more;
      if (blocks.slc_mode(ppn)) d.flags |= flash_flag::slc_mode;
      d.chip = static_cast<std::uint8_t>(in_channel / geometry_.dies_per_chip);
      d.row = lun | blocks.row_in_lun(ppn);
      d.cookie = plane; // no sector: the word alone
      ports_[channel].append() = d;
      ++waiting_;
    }
    state_.charge(geometry_.planes_per_die, state_.config.cost.flash_submit);
    count();
  }

  void count() {
    FtlStatistics& s = state_.statistics;
    s.read_pages += geometry_.planes_per_die;
    if (geometry_.planes_per_die == 1) return;
    ++s.read_multi_commands;
    s.read_multi_pages += geometry_.planes_per_die;
  }

  void take(const FlashCompletion& done, std::uint32_t block) {
    --waiting_;
    if ((done.result & flash_result::fail) != 0)
      state_.hal->panic("a flash controller refuses to read the maker's marks");
    state_.charge(1, state_.config.cost.flash_complete);
    if (is_mark(done.oob)) state_.blocks.note_mark(done.cookie, block);
  }

  [[nodiscard]] bool is_mark(std::uint64_t oob) const {
    if ((oob & 0xFFu) == 0xFFu) return false;
    // a sequence begins with zeros
    return of_units_ ? oob >> 32 == 0xFFFFFFFFu : oob_lpn(oob) >= words_below_;
  }

  FtlState& state_;
  FlashPort* ports_;
  const Geometry& geometry_;
  const bool of_units_;
  const std::uint64_t words_below_;
  BootWait interrupts_;
  std::uint32_t waiting_ = 0;
};

} // namespace

void search_marks(FtlState& state, FlashPort* ports) {
  MarkSearch(state, ports).run();
}

} // namespace twinplane::fw
