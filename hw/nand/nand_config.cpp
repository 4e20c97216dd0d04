#include "hw/nand/nand_config.h"

#include "hw/nand/command_table.h"

namespace twinplane::hw {

std::vector<NandErrors::Point> NandErrors::fresh_and_worn() {
  return {{0, 1e-5}, {kRatedCycles, 2.8e-4}};
}

namespace {

std::string number(std::uint32_t value) {
  return std::to_string(value);
}

std::string check_pages(const Geometry& g) {
  if (g.sector_size == 0 || g.page_size % g.sector_size != 0) {
    return "page_size " + number(g.page_size) + " is no multiple of sector_size " + number(g.sector_size);
  }
  if (g.sector_size < kTagBytes) return "sector_size must be at least " + number(kTagBytes);
  const std::uint32_t sectors = g.sectors_per_page();
  if (sectors == 0 || sectors > kMaxSectorsPerPage) {
    return "a page has " + number(sectors) + " sectors, expected 1 to " + number(kMaxSectorsPerPage);
  }
  if (g.subpages_per_page == 0 || sectors % g.subpages_per_page != 0) {
    return "subpages_per_page " + number(g.subpages_per_page) + " does not divide the " + number(sectors) +
           " sectors of a page";
  }
  if (std::uint64_t{g.page_size} + g.spare_size > 0x10000)
    return "page and spare area exceed the 16-bit column address";
  return "";
}

std::string check_geometry(const Geometry& g) {
  if (g.cell < CellType::slc || g.cell > CellType::qlc) {
    return "cells of " + number(static_cast<std::uint32_t>(g.cell)) + " bits, expected 1 to " +
           number(static_cast<std::uint32_t>(CellType::qlc));
  }
  if (g.dies_per_chip == 0 || g.dies_per_chip > kMaxLuns) {
    return "dies_per_chip is " + number(g.dies_per_chip) + ", expected 1 to " + number(kMaxLuns);
  }
  if (g.planes_per_die == 0 || g.planes_per_die > kMaxPlanesPerDie) {
    return "planes_per_die is " + number(g.planes_per_die) + ", expected 1 to " + number(kMaxPlanesPerDie);
  }
  if (g.blocks_per_plane == 0) return "blocks_per_plane must not be 0";
  const std::string problem = check_pages(g);
  if (!problem.empty()) return problem;
  const RowLayout layout(g);
  if (layout.lun_shift() + layout.lun_bits > 32) return "row address exceeds 32 bits";
  return "";
}

std::string check_bus(const BusTiming& bus) {
  if (bus.data_in.denominator == 0 || bus.data_out.denominator == 0)
    return "the time of a byte on the bus is divided by 0";
  return "";
}

/// Opcodes of the SLC prefixes, which are the vendor's choice, must be free.
std::string check_prefixes(const NandConfig& config) {
  if (config.slc_enter == config.slc_leave) return "slc_enter and slc_leave are the same opcode";
  for (const CommandRow& row : kCommandTable) {
    const bool other = row.action != Action::unknown && row.action != Action::slc_enter &&
                       row.action != Action::slc_leave && (row.action != Action::load || config.one_pass);
    if (other && (row.opcode == config.slc_enter || row.opcode == config.slc_leave))
      return "slc_enter or slc_leave is opcode " + number(row.opcode) + ", which the part has a command for";
  }
  return "";
}

std::string check_faults(const NandFaults& faults) {
  const auto probability = [](double p) { return p >= 0 && p <= 1; };
  const bool good = probability(faults.factory_bad) && probability(faults.program) &&
                    probability(faults.erase) && probability(faults.read);
  return good ? "" : "a probability of faults is not within 0 and 1";
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
  if (config.page_table > PageTable::wordline || config.program_order > ProgramOrder::ascending)
    return "page_table or program_order is none of the known ones";
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
  for (const std::string& found :
       {check_bus(config.bus), check_prefixes(config), check_faults(config.faults), check_errors(config)}) {
    if (!found.empty()) return found;
  }
  return "";
}

} // namespace twinplane::hw
