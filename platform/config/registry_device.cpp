// Parameters of the device: flash, buses, controller, processor, link, memory.
#include "platform/config/names.h"
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

namespace {

constexpr std::array kCells = {entry("slc", CellType::slc), entry("mlc", CellType::mlc),
                               entry("tlc", CellType::tlc), entry("qlc", CellType::qlc)};
constexpr std::array kProgramOrders = {
    entry("strict", ProgramOrder::strict), entry("relaxed", ProgramOrder::relaxed),
    entry("slc", ProgramOrder::slc), entry("ascending", ProgramOrder::ascending)};
constexpr std::array kPageTables = {entry("diagonal", PageTable::diagonal),
                                    entry("even_odd", PageTable::even_odd)};
constexpr std::array kBusArbitrations = {
    entry("round_robin", BusArbitration::round_robin), entry("read_first", BusArbitration::read_first),
    entry("shortest_tenure_first", BusArbitration::shortest_tenure_first)};
constexpr std::array kReadyDetections = {entry("pin", ReadyDetection::pin),
                                         entry("poll", ReadyDetection::poll)};

void add_geometry(Rows& rows) {
  using G = Geometry;
  constexpr auto g = &Config::geometry;
  rows.insert(
      rows.end(),
      {
          {"geometry.channels", count(1, kMaxChannels), "flash channels (ONFI buses)", at<g, &G::channels>},
          {"geometry.chips_per_channel", count(1, 32), "packages (CE#) on each channel",
           at<g, &G::chips_per_channel>},
          {"geometry.dies_per_chip", count(1, 16), "dies (LUNs) in each package", at<g, &G::dies_per_chip>},
          {"geometry.planes_per_die", count(1, kMaxPlanesPerDie), "planes of each die",
           at<g, &G::planes_per_die>},
          {"geometry.blocks_per_plane", count(4, 65534), "blocks of each plane", at<g, &G::blocks_per_plane>},
          {"geometry.pages_per_block", count(4, kMaxPagesPerBlock),
           "pages of each block, all page types together", at<g, &G::pages_per_block>},
          {"geometry.page_size", limited(Kind::size, 512, 65536), "data bytes of a page",
           at<g, &G::page_size>},
          {"geometry.spare_size", limited(Kind::size, 0, 16384), "out-of-band bytes of a page",
           at<g, &G::spare_size>},
          {"geometry.sector_size", limited(Kind::size, 512, 4096), "smallest host unit (512B or 4KiB)",
           at<g, &G::sector_size>},
          {"geometry.subpages_per_page", count(1, kMaxSectorsPerPage), "partial-programming units of a page",
           at<g, &G::subpages_per_page>},
      });
}

void add_nand(Rows& rows) {
  using N = NandKeys;
  constexpr auto n = &Config::nand;
  constexpr TimePs kShort = ns(1);
  constexpr TimePs kLong = ms(1000);
  rows.insert(
      rows.end(),
      {
          {"nand.cell", word(kCells), "bits per cell; decides the page types and the default times",
           at<&Config::geometry, &Geometry::cell>},
          {"nand.tR", times(kShort, kLong), "page read time, one value or one per page type", at<n, &N::tR>},
          {"nand.tR_level", times(kShort, kLong),
           "page read time at read levels 1 to 7 (feature 89h); the last one holds for all further levels",
           at<n, &N::tR_level>},
          {"nand.tPROG", times(kShort, kLong), "page program time, one value or one per page type",
           at<n, &N::tPROG>},
          {"nand.tBERS", time(kShort, kLong), "block erase time", at<n, &N::tBERS>},
          {"nand.tDBSY", time(0, ms(1)), "busy time between the planes of a multi-plane command",
           at<n, &N::tDBSY>},
          {"nand.program_order", word(kProgramOrders),
           "order the die demands inside a block: the data sheet's, PA-SSD's three rules, fast pages only, "
           "or the "
           "data sheet's with any pages left out",
           at<n, &N::program_order>},
          {"nand.page_table", word(kPageTables), "which pages share a wordline (even_odd: MLC only)",
           at<n, &N::page_table>},
          {"nand.pac", boolean(), "multi-plane commands need equal page addresses", at<n, &N::pac>},
          {"nand.bac", boolean(), "multi-plane commands need equal block addresses", at<n, &N::bac>},
          {"nand.partial_programs", count(1, kMaxPartialPrograms),
           "programs of one page between erases (NOP limit)", at<n, &N::partial_programs>},
          {"nand.copybacks", count(0, kAnyCopybacks),
           "moves of a page by copyback in a row that the part takes, as nothing corrects the data; 0 = no "
           "copyback, "
           "255 = any number",
           at<n, &N::copybacks>},
          {"nand.wordline_buffer", count(0, kAllWordlines),
           "partly programmed wordlines per plane whose lower pages need not be read again for the next "
           "program; 4096 = all",
           at<n, &N::wordline_buffer>},
          {"nand.one_pass", boolean(),
           "the part programs all pages of a wordline in one pass (80h-1Ah ... 80h-10h) and native pages in "
           "no "
           "other way; their numbers follow each other. The firmware gathers pages for it",
           at<n, &N::one_pass>},
          {"nand.tPROG_wordline", time(0, kLong),
           "one-pass program time of a wordline; 0 = that of its last page type, whose pulses place all "
           "levels",
           at<n, &N::tPROG_wordline>},
          {"nand.tDCBSYW", time(0, ms(1)),
           "one-pass program: time from 1Ah until the next page can be loaded", at<n, &N::tDCBSYW>},
          {"nand.slc.tR", time(kShort, kLong), "page read time of a block in SLC mode",
           at<n, &N::slc, &SlcModeKeys::tR>},
          {"nand.slc.tPROG", time(kShort, kLong), "page program time of a block in SLC mode",
           at<n, &N::slc, &SlcModeKeys::tPROG>},
          {"nand.slc.tBERS", time(kShort, kLong), "erase time of a block in SLC mode",
           at<n, &N::slc, &SlcModeKeys::tBERS>},
          {"nand.tRCBSY", time(0, ms(1)), "cache read: time until the register has moved", at<n, &N::tRCBSY>},
          {"nand.tCBSY", time(0, ms(1)), "cache program: time until an idle array has taken the register",
           at<n, &N::tCBSY>},
          {"nand.tPSPD", time(0, ms(10)), "time from 84h until a program is suspended", at<n, &N::tPSPD>},
          {"nand.tESPD", time(0, ms(10)), "time from 61h until an erase is suspended", at<n, &N::tESPD>},
          {"nand.endurance", count(1, 10'000'000),
           "rated program/erase cycles; beyond them erases fail with (cycles / rated - 1)^3",
           at<n, &N::endurance>},
          {"nand.factory_bad", share(0, 0.2),
           "share of blocks that are bad from the factory, marked in their first spare byte",
           at<n, &N::factory_bad>},
          {"nand.fail.program", share(0, 1), "probability that the program of a page fails",
           at<n, &N::fail_program>},
          {"nand.fail.erase", share(0, 1), "probability that the erase of a block fails",
           at<n, &N::fail_erase>},
          {"nand.fail.read", share(0, 1), "probability that a page can only be read at a retry level",
           at<n, &N::fail_read>},
          {"nand.fail.parameter_page", count(0, 3),
           "copies of each parameter page, from the first one on, whose CRC is wrong; with 3 the firmware "
           "refuses the drive",
           at<n, &N::fail_parameter_page>},
          {"nand.suspend", boolean(),
           "programs and erases can be suspended; controller and firmware do so for host reads",
           at<n, &N::suspend>},
          {"nand.independent_plane_reads", boolean(),
           "the planes of a die read each for itself (vendor feature); controller and firmware make use of "
           "it",
           at<n, &N::independent_plane_reads>},
      });
  add_error_rows(rows);
}

void add_bus(Rows& rows) {
  using B = BusKeys;
  constexpr auto b = &Config::bus;
  rows.insert(
      rows.end(),
      {
          {"bus.interface", name(names::bus_interfaces),
           "timing table of the flash bus; flat: every cycle takes ns_per_byte, no gaps; mqsim: its defaults",
           at<b, &B::interface>},
          {"bus.mode", count(0, 20),
           "timing mode: sdr and nv-ddr 0-5, nv-ddr2 0-10, nv-ddr3 0-19, nv-lpddr4 0-20; flat and mqsim have "
           "none",
           at<b, &B::mode>},
          {"bus.ns_per_byte", limited(Kind::nanoseconds, 1, static_cast<double>(us(10))),
           "time of one cycle (one byte) with interface = \"flat\"", at<b, &B::ns_per_byte>},
          {"bus.arbitration", word(kBusArbitrations), "which die gets the channel next",
           at<b, &B::arbitration>},
          {"bus.age_limit", time(0, ms(1000)),
           "a die that has waited for the channel for longer goes first, whatever the arbitration; 0 = no "
           "limit",
           at<b, &B::age_limit>},
          {"bus.ready", word(kReadyDetections),
           "how the controller learns that a die is ready: R/B# or 70h/78h", at<b, &B::ready>},
          {"bus.poll_interval", time(ns(100), ms(10)), "time between status polls with ready = \"poll\"",
           at<b, &B::poll_interval>},
          {"bus.spare_area", boolean(),
           "the spare area of a page takes bus time with its data (with controller.ecc.parity_on_bus: the "
           "parity "
           "alone)",
           at<b, &B::spare_area>},
          {"bus.monitor", boolean(),
           "a passive monitor on each channel checks every cycle against the data sheet; findings fail the "
           "run",
           at<b, &B::monitor>},
          {"bus.hold_tDBSY", boolean(), "the controller keeps the bus during tDBSY", at<b, &B::hold_tDBSY>,
           true},
      });
}

void add_controller(Rows& rows) {
  constexpr auto c = &Config::controller;
  rows.insert(
      rows.end(),
      {
          {"controller.ecc_latency", time(0, ms(1)), "ECC decoding of one page",
           at<c, &ControllerKeys::ecc_latency>},
          {"controller.suspend_gain", time(0, ms(1000)),
           "with nand.suspend: a program or erase is suspended for a read when it has more than this to go",
           at<c, &ControllerKeys::suspend_gain>},
          {"controller.cache_reads", boolean(),
           "31h and 3Fh for consecutive pages in a die's queue (needs ftl.die_queue_depth above 1)",
           at<c, &ControllerKeys::cache_reads>},
          {"controller.cache_programs", boolean(),
           "15h for programs of one block in a die's queue (needs ftl.die_queue_depth above 2)",
           at<c, &ControllerKeys::cache_programs>},
          {"controller.suspends", count(1, 65535), "most suspends of one program or erase",
           at<c, &ControllerKeys::suspends>},
          {"controller.suspend_reads", count(1, 1'000'000),
           "most read commands before a suspended program or erase is resumed",
           at<c, &ControllerKeys::suspend_reads>},
      });
  add_ecc_rows(rows);
}

void add_processor(Rows& rows) {
  using T = fw::CostTable;
  constexpr auto c = &Config::cpu;
  constexpr auto t = &CpuKeys::cost;
  const Type cycles = count(0, 10'000'000);
  rows.insert(
      rows.end(),
      {
          {"cpu.clock", limited(Kind::frequency, 1e6, 1e10), "clock of the firmware's core",
           at<c, &CpuKeys::clock>},
          {"cpu.run_ahead", time(0, ms(1000)),
           "how far the drive may simulate ahead of the kernel, results do not depend on it; `twinplane run` "
           "sets "
           "1ms, a platform of your own only when nothing in it acts unannounced",
           at<c, &CpuKeys::run_ahead>},
          {"cpu.cache_size", limited(Kind::size, 0, 1 << 30),
           "the core's data cache, as far as the map goes through it: what it misses waits for DRAM; 0B = "
           "such "
           "accesses take no time but cost.map_lookup",
           at<c, &CpuKeys::cache_size>},
          {"cpu.cache_line", limited(Kind::size, 4, 4096), "a line of it", at<c, &CpuKeys::cache_line>},
          {"cpu.cache_ways", count(1, 64), "lines that may hold one place; the one not used for longest goes",
           at<c, &CpuKeys::cache_ways>},
          {"cpu.cost.interrupt", cycles, "cycles: a turn of the firmware, with interrupt entry and cause",
           at<c, t, &T::interrupt>},
          {"cpu.cost.command_decode", cycles, "cycles: one host command, with its completion",
           at<c, t, &T::command_decode>},
          {"cpu.cost.map_lookup", cycles,
           "cycles: one page of a command, with its access to the logical-to-physical map",
           at<c, t, &T::map_lookup>},
          {"cpu.cost.allocate", cycles,
           "cycles: placing one page (PLAlloc and BLAlloc), beyond what flash_submit has",
           at<c, t, &T::allocate>},
          {"cpu.cost.flash_submit", cycles, "cycles: one page of a flash descriptor, with the search for it",
           at<c, t, &T::flash_submit>},
          {"cpu.cost.flash_complete", cycles, "cycles: one flash completion", at<c, t, &T::flash_complete>},
          {"cpu.cost.dma_submit", cycles, "cycles: one DMA descriptor", at<c, t, &T::dma_submit>},
          {"cpu.cost.gc_select", cycles,
           "cycles: choosing one victim block (greedy; twin blocks 1760, IPU 103000, BROMS 566000)",
           at<c, t, &T::gc_select>},
          {"cpu.cost.admin", cycles, "cycles: one admin command (Get Features 7100, error log 14400)",
           at<c, t, &T::admin>},
      });
  add_firmware_rows(rows);
}

void add_link_and_memory(Rows& rows) {
  using P = PcieKeys;
  constexpr auto p = &Config::pcie;
  constexpr auto d = &Config::dram;
  rows.insert(
      rows.end(),
      {
          {"pcie.generation", count(1, 5), "PCI Express generation (2.5, 5, 8, 16, 32 GT/s)",
           at<p, &P::generation>},
          {"pcie.lanes", count(1, 16), "lanes: 1, 2, 4, 8 or 16", at<p, &P::lanes>},
          {"pcie.latency", time(0, ms(1)), "one-way latency of the link", at<p, &P::latency>},
          {"pcie.max_payload", limited(Kind::size, 128, 4096), "data bytes of one packet (power of two)",
           at<p, &P::max_payload>},
          {"pcie.tags", count(1, 256),
           "reads of write data outstanding, where a host's memory takes its time", at<p, &P::tags>},
          {"pcie.ideal", boolean(), "the link takes no time at all", at<p, &P::ideal>},
          {"pcie.serial_number", text(),
           "serial number of the drive, from which NQN, NGUID, EUI64, UUID and controller identifier follow; "
           "empty = one of run.seed and the name of the drive's module",
           at<p, &P::serial_number>},
          {"dram.size", limited(Kind::size, 0, 1099511627776.0),
           "device memory for map, tables, rings, write buffer and page buffers; 0B = as much as they take",
           at<d, &DramKeys::size>},
          {"dram.latency", time(0, ms(1)), "of a line that the core's cache misses, before it is moved",
           at<d, &DramKeys::latency>},
          {"dram.bandwidth", limited(Kind::bandwidth, 1e6, 1e13),
           "bandwidth of the device memory, which each byte between host and flash crosses twice",
           at<d, &DramKeys::bandwidth>},
      });
}

} // namespace

void add_device_rows(Rows& rows) {
  add_geometry(rows);
  add_nand(rows);
  add_bus(rows);
  add_controller(rows);
  add_processor(rows);
  add_link_and_memory(rows);
}

} // namespace twinplane::platform::rows
