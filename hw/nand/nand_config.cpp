#include "hw/nand/nand_config.h"

namespace twinplane::hw {

std::vector<NandErrors::Point> NandErrors::fresh_and_worn() {
  return {{0, 1e-5}, {kRatedCycles, 2.8e-4}};
}

namespace {

std::string number(std::uint32_t value) {
  return std::to_string(value);
}

std::string check_geometry(const Geometry& g) {
  if (g.dies_per_chip == 0 || g.dies_per_chip > kMaxLuns) {
    return "dies_per_chip is " + number(g.dies_per_chip) + ", expected 1 to " + number(kMaxLuns);
  }
  if (g.planes_per_die == 0 || g.planes_per_die > kMaxPlanesPerDie) {
    return "planes_per_die is " + number(g.planes_per_die) + ", expected 1 to " + number(kMaxPlanesPerDie);
  }
  if (g.blocks_per_plane == 0) return "blocks_per_plane must not be 0";
  if (g.sector_size == 0 || g.page_size % g.sector_size != 0) {
    return "page_size " + number(g.page_size) + " is no multiple of sector_size " + number(g.sector_size);
  }
  if (g.sector_size < kTagBytes) return "sector_size must be at least " + number(kTagBytes);
  if (g.sectors_per_page() == 0 || g.sectors_per_page() > kMaxSectorsPerPage) {
    return "a page has " + number(g.sectors_per_page()) + " sectors, expected 1 to " +
           number(kMaxSectorsPerPage);
  }
  if (g.page_size + g.spare_size > 0x10000) return "page and spare area exceed the 16-bit column address";
  const RowLayout layout(g);
  if (layout.lun_shift() + layout.lun_bits > 32) return "row address exceeds 32 bits";
  return "";
}

std::string check_errors(const NandConfig& config) {
  const NandErrors& e = config.errors;
  if (e.reading == ErrorReading::off) return "";
  if (e.codeword_bytes == 0 || config.geometry.page_size % e.codeword_bytes != 0)
    return "codewords of " + number(e.codeword_bytes) + " bytes do not fill a page evenly";
  if (e.rates.size() < 2) return "expected two or more bit error rates";
  for (std::size_t i = 0; i < e.rates.size(); ++i) {
    if (!(e.rates[i].rate > 0) || e.rates[i].rate > 0.5) return "a bit error rate is not within 0 and 0.5";
    if (i != 0 && !(e.rates[i].cycles > e.rates[i - 1].cycles))
      return "bit error rates not by ascending cycles";
  }
  return "";
}

} // namespace

std::string check(const NandConfig& config) {
  const Geometry& g = config.geometry;
  std::string problem = check_geometry(g);
  if (!problem.empty()) return problem;
  if (!PageOrderTable(g.cell, g.pages_per_block, config.page_table).valid()) {
    return "pages_per_block " + number(g.pages_per_block) + " does not fit the cell type and page table";
  }
  if (config.page_order &&
      (config.page_order->pages() != g.pages_per_block || config.page_order->cell() != g.cell)) {
    return "the shared page order table is of another geometry";
  }
  if (config.one_pass && (g.cell == CellType::slc || config.page_table != PageTable::wordline ||
                          config.program_order != ProgramOrder::strict)) {
    return "one-pass programming needs cells of several bits, page table wordline and the strict order";
  }
  if (config.partial_programs == 0 || config.partial_programs > kMaxPartialPrograms) {
    return "partial_programs is " + number(config.partial_programs) + ", expected 1 to " +
           number(kMaxPartialPrograms);
  }
  return check_errors(config);
}

} // namespace twinplane::hw
