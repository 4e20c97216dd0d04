#include "hw/nand/cycles.h"

#include <algorithm>

namespace twinplane::hw {

void DataCycles::on_data_in(const OnfiPhase& phase) {
  if (s_.input == Input::features || s_.input == Input::lun_features) return registers_.store_feature(phase);
  if (s_.input == Input::odt) {
    s_.input = Input::none;
    return;
  }
  if (s_.operation.stage == Stage::refused) return;
  if (s_.operation.kind != ArrayKind::program || s_.between_operations())
    return s_.refuse(Rule::protocol, "expected data in after 80h and a page address", phase);
  s_.select_operation();
  if (s_.operation_busy(phase.start)) {
    s_.refuse(Rule::busy, "expected data in to a ready LUN", phase, &s_.operation.at);
    s_.operation.stage = Stage::refused;
    return;
  }
  PageRegister& page = s_.access->registers[s_.operation.at.place.plane];
  s_.access->registers.load(page, phase.sector_mask, phase.sectors, phase.oob);
  if (phase.words != nullptr) page.load_words(phase.words);
  page.lost |= phase.lost;
  s_.operation.stage = Stage::loaded;
}

void DataCycles::on_data_out(OnfiPhase& phase) {
  if (s_.waiting.action == Action::open_read) { // 00h without address: back to data output
    s_.output = s_.input == Input::answer ? registers_.interrupted() : Output::page;
    s_.input = Input::none;
    if (s_.output != Output::page && s_.operation.stage == Stage::open) s_.operation.stage = Stage::closed;
  }
  s_.waiting.action = Action::unknown;
  const bool status = s_.output == Output::status || s_.output == Output::status_enhanced;
  const bool page = s_.output == Output::page;
  if (!status && (page ? s_.output_busy(phase.start) : s_.busy(phase.start))) {
    s_.refuse(Rule::busy, "expected data out of a ready LUN", phase);
    words_out(nullptr, phase);
  } else if (page) {
    if (s_.operation.stage == Stage::open) s_.operation.stage = Stage::closed;
    page_out(phase);
  } else if (s_.output == Output::none || phase.data == nullptr) {
    s_.refuse(Rule::protocol, "expected data out after a command that has an answer", phase);
  } else if (status) {
    status_out(phase);
  } else {
    registers_.answer(phase);
  }
}

void DataCycles::status_out(OnfiPhase& phase) const {
  const bool one = s_.output == Output::status_enhanced;
  const std::uint32_t planes = one ? 1u << s_.status_plane : s_.access->registers.all();
  std::fill_n(phase.data, phase.bytes, s_.die->status(*s_.access, phase.start, planes));
}

void DataCycles::page_out(OnfiPhase& phase) {
  const PlaneRegisters& registers = s_.access->registers;
  const PageRegister* page = nullptr;
  if (registers.undefined() && s_.operation.stage != Stage::refused) {
    s_.refuse(Rule::protocol, "expected 06h to select a plane after a multi-plane read", phase);
    phase.corrupt = true;
  } else if (registers[registers.selected()].readable) {
    page = &registers.output(phase.sector_mask, phase.sectors);
    phase.blank = page->blank;
    phase.corrupt = page->corrupt;
    phase.lost = page->lost;
    if (page->noise) phase.errors = s_.die->cells().raw_errors(*page, phase.sector_mask, phase.sectors);
  } else if (s_.operation.stage != Stage::refused) {
    s_.refuse(Rule::protocol, "expected data out after a read of this plane", phase);
  }
  words_out(page, phase);
}

/// Of a page that was read; null: of nothing.
void DataCycles::words_out(const PageRegister* page, OnfiPhase& phase) const {
  if (phase.oob != nullptr) *phase.oob = page == nullptr ? kBlankOob : page->oob;
  if (phase.words == nullptr) return;
  const std::uint32_t subpages = s_.target.context.config.geometry.subpages_per_page;
  if (page == nullptr) {
    std::fill_n(phase.words, subpages, kBlankOob);
  } else {
    page->store_words(phase.words, subpages);
  }
}

} // namespace twinplane::hw
