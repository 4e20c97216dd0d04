#include "platform/config/presets.h"

namespace twinplane::platform {

namespace {

// Array times by cell type, for readers without a data sheet at hand:
// SLC: SSDSim's defaults. MLC: MT29F64G08 (75 us, 1300 us on average, 3.8 ms); 450/2150 us is the
// split with that average. TLC, QLC: FEMU's defaults (measured TLC, extrapolated QLC).
// SLC mode: 25/300 us of the IPU paper's table.
// Typical currents at 3.3 V. SLC: Numonyx NAND01G-B2B data sheet, table 23. Others: no part by name; of the
// order that data sheets of the last planar and first stacked parts state, to be replaced by those of the
// part at hand.
std::vector<PresetValue> cell_currents(std::string_view array, std::string_view burst,
                                       std::string_view standby) {
  return {{"energy.ICC1", array},   {"energy.ICC2", array},  {"energy.ICC3", array},
          {"energy.ICC4R", burst},  {"energy.ICC4W", burst}, {"energy.ICCQ4R", burst},
          {"energy.ICCQ4W", burst}, {"energy.ISB", standby}};
}

std::vector<PresetValue> cell_times(std::string_view tR, std::string_view tPROG, std::string_view tBERS) {
  return {{"nand.tR", tR},         {"nand.tPROG", tPROG},       {"nand.tBERS", tBERS},
          {"nand.slc.tR", "25us"}, {"nand.slc.tPROG", "300us"}, {"nand.slc.tBERS", tBERS}};
}

// The drives that the TBM letter compares (IEEE CAL 15(2), 2016): dynamic allocation F, D or F2,
// randomised greedy victims, physically addressed queueing, one write frontier; F spreads over dies and
// does not pair planes. Conventional block allocation or twin blocks; "+bac" dies also ask for equal
// block addresses in multi-plane commands, the others only for equal page addresses.
std::vector<PresetValue> letter(std::string_view planes, std::string_view blocks, std::string_view bac) {
  return {{"nand.bac", bac},
          {"ftl.classifier", "none"},
          {"ftl.plane_allocation", planes},
          {"ftl.block_allocation", blocks},
          {"ftl.mapping", "page"},
          {"ftl.victim", "rga"},
          {"ftl.victim_d", "10"},
          {"ftl.relocation", "same"},
          {"ftl.scheduling", "paq"},
          {"ftl.pair", "off"},
          {"ftl.frontier", "shared"},
          {"ftl.gc_moves", "single"},
          {"ftl.tbm_gc", "paper"}};
}

constexpr std::string_view kMlcReads = "75us";
constexpr std::string_view kMlcPrograms = "450us,2150us";
constexpr std::string_view kMlcErases = "3.8ms";

// Small writes to blocks with fast pages only: an MLC part that lets pages be left out, which the paper does
// not say of its own (MT29F64G08).
std::vector<PresetValue> two_regions(std::string_view regions) {
  std::vector<PresetValue> all = cell_times(kMlcReads, kMlcPrograms, kMlcErases);
  const std::vector<PresetValue> rest = {{"nand.cell", "mlc"},
                                         {"nand.program_order", "ascending"},
                                         {"ftl.classifier", "hot_size"},
                                         {"ftl.plane_allocation", "F2"},
                                         {"ftl.block_allocation", "conventional"},
                                         {"ftl.mapping", "page"},
                                         {"ftl.regions", regions},
                                         {"ftl.victim", "greedy"},
                                         {"ftl.relocation", "same"},
                                         {"ftl.scheduling", "read_first"}};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

// A part whose blocks can be used in SLC mode, in pages of four subpages: geometry and NOP of the IPU paper.
// Its times are not of a part by name: nand.tR and its like are to be given.
std::vector<PresetValue> slc_cache(std::string_view regions) {
  return {{"geometry.page_size", "16KiB"}, {"geometry.subpages_per_page", "4"},
          {"nand.partial_programs", "4"},  {"ftl.classifier", "none"},
          {"ftl.plane_allocation", "F2"},  {"ftl.block_allocation", "conventional"},
          {"ftl.mapping", "page"},         {"ftl.regions", regions},
          {"ftl.victim", "greedy"},        {"ftl.relocation", "same"},
          {"ftl.scheduling", "read_first"}};
}

std::vector<Preset> make_presets() {
  std::vector<Preset> all = {
      {"nand.cell", "slc", cell_times("20us", "200us", "1.5ms")},
      {"nand.cell", "mlc", cell_times(kMlcReads, kMlcPrograms, kMlcErases)},
      {"nand.cell", "tlc", cell_times("56.5us,77.5us,106us", "820.5us,2225us,5734us", "3ms")},
      {"nand.cell", "qlc",
       cell_times("59.3us,85.3us,127.2us,169.6us", "861.5us,2447.5us,6880.8us,9174.4us", "3ms")},
      // Common speed grades: SDR mode 5 (50 MT/s), NV-DDR mode 5 (200 MT/s), NV-DDR2 mode 8 (533 MT/s),
      // NV-DDR3 mode 10 (800 MT/s), NV-LPDDR4 mode 19 (2400 MT/s).
      {"bus.interface", "flat", {{"bus.mode", "0"}}},
      {"bus.interface", "mqsim", {{"bus.mode", "0"}}},
      {"bus.interface", "sdr", {{"bus.mode", "5"}}},
      {"bus.interface", "nv-ddr", {{"bus.mode", "5"}}},
      {"bus.interface", "nv-ddr2", {{"bus.mode", "8"}}},
      {"bus.interface", "nv-ddr3", {{"bus.mode", "10"}}},
      {"bus.interface", "nv-lpddr4", {{"bus.mode", "19"}}},
      {"ftl.policy",
       "conventional",
       {{"ftl.classifier", "none"},
        {"ftl.plane_allocation", "F2"},
        {"ftl.block_allocation", "conventional"},
        {"ftl.mapping", "page"},
        {"ftl.victim", "greedy"},
        {"ftl.relocation", "same"},
        {"ftl.scheduling", "read_first"}},
       "no page types, plane first, greedy victims, reads before writes"},
      // PA-SSD compares itself with types bound per plane; pairing needs equal pages in both planes.
      {"ftl.policy",
       "pa-ssd",
       {{"ftl.classifier", "QDS+UBS"},
        {"ftl.plane_allocation", "F"},
        {"ftl.block_allocation", "pa"},
        {"ftl.mapping", "page"},
        {"ftl.victim", "greedy"},
        {"ftl.relocation", "ubs"},
        {"ftl.scheduling", "read_first"},
        {"ftl.pair", "off"},
        {"nand.program_order", "relaxed"},
        {"nand.wordline_buffer", "0"}},
       "PA-SSD: page types by queue depth, else by free pages; relaxed program order"},
      // Page types and multi-plane programs together: beyond the paper. Which of its dies' planes ask for
      // equal blocks is unknown; free ones pair more often.
      {"ftl.policy",
       "pa-twin",
       {{"ftl.classifier", "QDS+UBS"},
        {"ftl.plane_allocation", "F"},
        {"ftl.block_allocation", "pa-twin"},
        {"ftl.mapping", "page"},
        {"ftl.victim", "greedy"},
        {"ftl.relocation", "ubs"},
        {"ftl.scheduling", "read_first"},
        {"ftl.pair", "any"},
        {"nand.program_order", "relaxed"},
        {"nand.bac", "false"},
        {"nand.wordline_buffer", "0"}},
       "PA-SSD's page types on twin blocks, so that planes pair; beyond the paper"},
      {"ftl.policy",
       "papa",
       {{"ftl.classifier", "papa"},
        {"ftl.plane_allocation", "F"},
        {"ftl.block_allocation", "pa"},
        {"ftl.mapping", "page"},
        {"ftl.victim", "greedy"},
        {"ftl.relocation", "slow"},
        {"ftl.scheduling", "read_first"},
        {"ftl.pair", "off"},
        {"nand.program_order", "relaxed"}},
       "PAPA (MSST'20): fast pages for partly covered pages, slow ones for whole pages"},
      {"ftl.policy", "combo", two_regions("combo"),
       "ComboFTL: hot blocks use fast pages only, a fixed share of them"},
      {"ftl.policy", "broms", two_regions("broms"),
       "BROMS: the same with a border that moves by predicted cost"},
      {"ftl.policy", "slc_cache", slc_cache("slc_cache"),
       "writes go to blocks in SLC mode first, one page each; valid pages are evicted"},
      {"ftl.policy", "mga", slc_cache("mga"),
       "MGA: the same, with subpages of different pages packed by partial programming"},
      {"ftl.policy", "ipu", slc_cache("ipu"),
       "IPU: the same, with updates programmed into their own page, and levels"},
      {"ftl.policy", "pslc", slc_cache("pslc"),
       "as drives for consumers have it: pages filled with subpages of any pages at once"},
      {"ftl.policy", "f", letter("F", "conventional", "false")},
      {"ftl.policy", "d", letter("D", "conventional", "false")},
      {"ftl.policy", "f2", letter("F2", "conventional", "false")},
      {"ftl.policy", "f+bac", letter("F", "conventional", "true")},
      {"ftl.policy", "d+bac", letter("D", "conventional", "true")},
      {"ftl.policy", "f2+bac", letter("F2", "conventional", "true")},
      {"ftl.policy", "f+tbm", letter("F", "twin", "false")},
      {"ftl.policy", "d+tbm", letter("D", "twin", "false")},
      {"ftl.policy", "f2+tbm", letter("F2", "twin", "false")},
      {"ftl.policy", "f+tbm+bac", letter("F", "twin", "true")},
      {"ftl.policy", "d+tbm+bac", letter("D", "twin", "true")},
      {"ftl.policy", "f2+tbm+bac", letter("F2", "twin", "true")},
  };
  all[0].values.push_back({"nand.partial_programs", "4"}); // usual NOP limit of SLC; 1 for the others
  for (std::size_t cell = 0; cell < 4; ++cell) {
    for (const PresetValue& current :
         cell == 0 ? cell_currents("10", "10", "0.01") : cell_currents("25", "10", "0.01"))
      all[cell].values.push_back(current);
  }
  return all;
}

} // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = make_presets();
  return kPresets;
}

} // namespace twinplane::platform
