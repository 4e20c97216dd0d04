#include "hw/nand/die.h"

#include <algorithm>

namespace twinplane::hw {

Die::Die(PackageContext& context, std::uint32_t lun)
    : context_(context),
      lun_(lun),
      registers_(context.config.geometry.planes_per_die),
      store_(context.config.geometry, context.config.data_mode, context.config.partial_programs,
             context.config.subpage_words),
      faults_(context.config, lun),
      errors_(context.config.errors.reading == ErrorReading::off ? nullptr
                                                                 : std::make_unique<Errors>(context, lun)) {
  if (context.config.wordline_buffer < kAllWordlines && !context.config.one_pass) {
    wordlines_.reserve(registers_);
    for (std::uint32_t p = 0; p < registers_; ++p) wordlines_.emplace_back(context.config.wordline_buffer);
  }
  if (context.config.one_pass) make_pass();
  if (context.config.independent_plane_reads) plane_reads_ = std::make_unique<PlaneReads>();
  faces_[index(Face::bus)].timed = true;
  running_.chip = context.config.chip;
  running_.lun = lun;
  for (FaceState& face : faces_) {
    face.registers.resize(registers_);
    for (PageRegister& r : face.registers) equip(r);
  }
}

/// Of a busy, suspended or write-protected die, or one with a failure to tell.
std::uint8_t Die::unusual_status(Face face, TimePs at, std::uint32_t planes) const {
  const FaceState& f = faces_[index(face)];
  std::uint32_t value = (write_protected_ ? 0u : onfi::status::wp_n) | onfi::status::rdy;
  const bool by_plane = reads_by_plane(at);
  if (face == Face::debug || !(by_plane ? planes_read(planes, at) : array_busy(at))) {
    value |= onfi::status::ardy;
    if ((f.failed_planes & planes) != 0) value |= onfi::status::fail;
  } else if (by_plane || busy(at)) {
    return write_protected_ ? 0 : onfi::status::busy;
  }
  if ((f.failed_previous & planes) != 0) value |= onfi::status::fail_previous;
  if (face == Face::bus && suspended_.active) value |= onfi::status::suspended;
  return static_cast<std::uint8_t>(value);
}

void Die::equip(PageRegister& r) const {
  r.payload = std::make_unique<std::uint8_t[]>(store_.payload_size());
  r.further_count = store_.further_words();
  if (r.further_count != 0) r.further = std::make_unique<std::uint64_t[]>(r.further_count);
  r.clear();
}

void Die::words_out(const PageRegister* page, std::uint64_t* words) const {
  const std::uint32_t subpages = context_.config.geometry.subpages_per_page;
  if (page == nullptr) {
    std::fill_n(words, subpages, kBlankOob);
  } else {
    page->store_words(words, subpages);
  }
}

void Die::occupy(TimePs at, TimePs duration) {
  const TimePs until = std::max(busy_until_, at + duration);
  if (until > at && !context_.edge_observers.empty()) announce_ready_busy(at, until);
  busy_until_ = until;
}

const PageRegister& Die::data_out(Face face, std::uint32_t mask, std::uint8_t* sectors) const {
  const FaceState& f = faces_[index(face)];
  const PageRegister& r = f.registers[f.plane];
  if (sectors != nullptr) store_.copy(sectors, r.payload.get(), mask);
  return r;
}

} // namespace twinplane::hw
