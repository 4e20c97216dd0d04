#include "hw/nand/cell_log.h"

#include "hw/nand/serialise_used.h"

namespace twinplane::hw {

CellLog::CellLog(const NandConfig& config, const PageOrderTable& order)
    : order_(order),
      blocks_per_plane_(config.geometry.blocks_per_plane),
      pages_(config.geometry.pages_per_block),
      sectors_(config.geometry.sectors_per_page()),
      per_wordline_(config.page_table == PageTable::even_odd ? 2 : 1),
      blocks_(std::size_t{config.geometry.planes_per_die} * config.geometry.blocks_per_plane) {}

void CellLog::program(const Program& p) {
  Block& block = blocks_[index(p.place)];
  if (block.pages.empty()) {
    block.pages.resize(pages_);
    block.sectors.resize(std::size_t{pages_} * sectors_);
  }
  block.pages[p.place.page].written = p.functional ? kFunctional : p.at;
  Sector* sectors = &block.sectors[std::size_t{p.place.page} * sectors_];
  for (std::uint32_t s = 0; s < sectors_; ++s) {
    if ((p.sectors >> s & 1u) != 0) {
      sectors[s] = {};
      if ((p.copied >> s & 1u) != 0) sectors[s].inherited = static_cast<float>(p.rates[s]);
    } else if ((p.before >> s & 1u) != 0 && sectors[s].in_page != kMost) {
      ++sectors[s].in_page;
    }
  }
  if (p.before != 0) disturb_neighbours(block, p);
}

/// A page's first program disturbs nothing beyond what the rates of conventional programming contain.
void CellLog::disturb_neighbours(Block& block, const Program& p) {
  const std::uint32_t position = p.slc ? p.place.page : order_.wordline(p.place.page);
  const std::uint32_t physical = position / per_wordline_;
  const std::uint32_t last = (order_.wordlines() - 1) / per_wordline_;
  for (std::uint32_t i = 0; i < per_wordline_; ++i) {
    if (physical != 0) disturb_wordline(block, (physical - 1) * per_wordline_ + i, p.slc);
    if (physical != last) disturb_wordline(block, (physical + 1) * per_wordline_ + i, p.slc);
  }
}

/// All its pages; what is not programmed yet starts from zero when it is.
void CellLog::disturb_wordline(Block& block, std::uint32_t wordline, bool slc) {
  if (wordline >= order_.wordlines()) return;
  if (slc) return disturb_page(block, wordline);
  for (std::uint32_t t = 0; t < order_.types(); ++t)
    disturb_page(block, order_.page(wordline, static_cast<PageType>(t)));
}

void CellLog::disturb_page(Block& block, std::uint32_t page) {
  for (std::uint32_t s = 0; s < sectors_; ++s) {
    Sector& sector = block.sectors[std::size_t{page} * sectors_ + s];
    if (sector.neighbour != kMost) ++sector.neighbour;
  }
}

CellLog::Read CellLog::read(const PlaneAddress& place, TimePs at) {
  Block& block = blocks_[index(place)];
  if (block.pages.empty()) return {};
  Page& page = block.pages[place.page];
  Read read{block.reads++, page.reads++, at, page.written == kFunctional};
  const auto age = static_cast<std::int64_t>(at - page.written);
  if (!read.functional) read.age = age > 0 ? static_cast<TimePs>(age) : 0;
  return read;
}

double CellLog::inherited(const PlaneAddress& place, std::uint32_t sector) const {
  const Block& block = blocks_[index(place)];
  return block.sectors.empty() ? 0 : block.sectors[std::size_t{place.page} * sectors_ + sector].inherited;
}

double CellLog::disturbs(const PlaneAddress& place, std::uint32_t sector, double neighbour) const {
  const Block& block = blocks_[index(place)];
  if (block.sectors.empty()) return 0;
  const Sector& s = block.sectors[std::size_t{place.page} * sectors_ + sector];
  return s.in_page + neighbour * s.neighbour;
}

void CellLog::serialise(StateVisitor& state, TimePs now) {
  const auto shift = [](Block& block, TimePs by) {
    for (Page& page : block.pages) page.written += page.written == kFunctional ? 0 : by;
  };
  for (Block& block : blocks_) {
    state.value(block.reads);
    if (!state.loading()) shift(block, TimePs{0} - now);
    serialise_used(state, block.pages, pages_);
    shift(block, now);
    serialise_used(state, block.sectors, std::size_t{pages_} * sectors_);
    state.require(block.sectors.empty() == block.pages.empty(), "it is damaged (pages without sectors)");
    for (const Sector& s : block.sectors)
      state.require(s.inherited >= 0 && s.inherited <= 1,
                    "it is damaged (a rate of errors that there is not)");
  }
}

} // namespace twinplane::hw
