#include "firmware/ftl/map/buffered_programs.h"

#include "firmware/ftl/page_buffer.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

const Transaction* BufferedPrograms::read_page(const Transaction& t) {
  const Transaction* const writer = state_.pool.writer_of(t.ppn);
  if (writer != nullptr) copy_sectors(*state_.hal, state_.payload, t.buffer, writer->buffer, t.flash_mask);
  return writer;
}

const Transaction* BufferedPrograms::writer_of(Ppn page, const LogicalUnit& l) const {
  const Units& units = *state_.units;
  const Pun now = units.map.at(l.lpn, l.unit);
  if (now == kNoPun || units.map.page_of(now) != page) return nullptr;
  return state_.pool.find([&](const Transaction& t) { return units.io.place_in(t, l) != UnitIo::kNoPlace; });
}

std::uint32_t BufferedPrograms::read_units(Transaction& t) {
  Units& units = *state_.units;
  std::uint32_t got = 0;
  for (std::uint32_t left = units.io.work(t).reading; left != 0; left &= left - 1) {
    const std::uint32_t unit = lowest_bit(left);
    const LogicalUnit l = units.io.logical(t, unit);
    const Transaction* const writer = writer_of(t.ppn, l);
    if (writer == nullptr) continue;
    const std::uint32_t sectors = units.io.unit_sectors(unit) & t.flash_mask;
    units.io.copy_unit(*writer, units.io.place_in(*writer, l), t, unit, sectors);
    got |= sectors;
  }
  return got;
}

} // namespace twinplane::fw
