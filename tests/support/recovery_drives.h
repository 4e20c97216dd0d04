// Kinds of drives whose supply is cut, by name: what recovery has to cope with, one thing at a time.
#pragma once

#include <string>

#include "tests/support/ftl_regions.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test {

struct Drive {
  const char* name;
  FtlBenchConfig config;
  bool hold_up = false; // what is under way at the cut is completed
};
inline void PrintTo(const Drive& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

inline FtlBenchConfig busy_drive() {
  FtlBenchConfig c = small_drive();
  c.shuffle = true;
  c.ftl.marked_blocks = true;
  return c;
}

inline FtlBenchConfig tlc_drive() {
  FtlBenchConfig c = busy_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  return c;
}

inline Drive conventional() {
  return {"Conventional", busy_drive()};
}
inline Drive shared_frontier() {
  FtlBenchConfig c = busy_drive();
  c.ftl.frontier = fw::Frontier::shared;
  return {"SharedFrontier", c};
}
inline Drive queued() {
  FtlBenchConfig c = busy_drive();
  c.ftl.die_queue_depth = 3;
  c.programs_last = true;
  return {"QueuedPrograms", c};
}
inline Drive copybacks() {
  FtlBenchConfig c = busy_drive();
  c.ftl.copybacks = 2;
  return {"Copybacks", c};
}
inline Drive suspends() {
  FtlBenchConfig c = busy_drive();
  c.ftl.suspend = true;
  return {"Suspend", c};
}
inline Drive tlc() {
  return {"Tlc", tlc_drive(), true};
}
inline Drive tlc_in_slc_mode() {
  FtlBenchConfig c = tlc_drive();
  c.ftl.slc_mode = true;
  c.ftl.over_provisioning = 0.8;
  return {"TlcInSlcMode", c};
}
inline Drive twins() {
  FtlBenchConfig c = busy_drive();
  c.ftl.block_allocation = "twin";
  c.ftl.gc_moves = fw::GcMoves::multi;
  return {"Twins", c};
}
inline Drive simulator_twins() {
  Drive d = twins();
  d.config.ftl.tbm_gc = fw::TbmGc::simulator;
  d.config.ftl.frontier = fw::Frontier::shared;
  return {"SharpTwins", d.config};
}
/// The next victim may have more valid pages than the one before the cut had left.
inline Drive random_victims() {
  FtlBenchConfig c = busy_drive();
  c.ftl.victim = "random";
  return {"RandomVictims", c};
}
inline Drive twins_of_random_victims() {
  Drive d = twins();
  d.config.ftl.victim = "random";
  return {"TwinsOfRandomVictims", d.config, true};
}
/// Bad blocks of units are replaced, those that the maker has marked and those that go bad in use: blocks of a
/// unit have different numbers in the die.
inline Drive replacing(Drive d, const char* name) {
  d.name = name;
  d.config.ftl.bac = false;
  d.config.ftl.geometry.blocks_per_plane += 8;
  d.config.marked_percent = 8;
  return d;
}
inline Drive replaced_twins() {
  return replacing(twins(), "ReplacedTwins");
}
inline Drive replaced_simulator_twins() {
  return replacing(simulator_twins(), "ReplacedSharpTwins");
}
inline Drive replaced_twins_of_four() {
  Drive d = twins_of_random_victims();
  d.config.ftl.geometry.planes_per_die = 4;
  d.config.ftl.geometry.channels = 1;
  return replacing(d, "ReplacedTwinsOfFour");
}
inline Drive page_types() {
  FtlBenchConfig c = tlc_drive();
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.block_allocation = "pa";
  c.ftl.classifier = "QDS";
  c.ftl.over_provisioning = 0.45;
  return {"PageTypes", c, true};
}
inline Drive page_type_twins() {
  Drive d = page_types();
  d.config.ftl.block_allocation = "pa-twin";
  return {"PageTypeTwins", d.config, true};
}

/// Wordlines are programmed in one pass.
inline Drive one_pass(Drive d, CellType cell, const char* name) {
  d.name = name;
  d.hold_up = false;
  d.config.ftl.geometry.cell = cell;
  d.config.ftl.geometry.pages_per_block = 24;
  d.config.ftl.page_table = PageTable::wordline;
  d.config.ftl.pass_pages = static_cast<std::uint32_t>(cell);
  d.config.ftl.over_provisioning = 0.5; // leaves blocks for the journal
  return d;
}
inline Drive one_pass_tlc() {
  return one_pass(conventional(), CellType::tlc, "OnePassTlc");
}
inline Drive one_pass_queued_qlc() {
  Drive d = one_pass(queued(), CellType::qlc, "OnePassQueuedQlc");
  d.config.ftl.frontier = fw::Frontier::shared;
  d.config.ftl.victim = "random";
  return d;
}
inline Drive one_pass_held_up() {
  Drive d = one_pass(tlc(), CellType::tlc, "OnePassHeldUp");
  d.hold_up = true;
  return d;
}

/// The map's unit is a quarter of a page.
inline Drive by_unit(Drive d, const char* name) {
  d.name = name;
  d.config.ftl = mapped_by_unit(d.config.ftl);
  const bool padded =
      d.config.ftl.pass_pages != 1 || d.config.ftl.lower_pages != fw::LowerPageProtection::none;
  if (padded) d.config.ftl.geometry.blocks_per_plane += 8;
  const double share = padded ? 0.6 : 0.5; // leaves blocks for the journal
  if (d.config.ftl.over_provisioning < share) d.config.ftl.over_provisioning = share;
  return d;
}
inline Drive units() {
  return by_unit(conventional(), "Units");
}
inline Drive units_of_random_victims() {
  return by_unit(random_victims(), "UnitsOfRandomVictims");
}
inline Drive queued_units() {
  return by_unit(queued(), "QueuedUnits");
}
inline Drive units_of_tlc() {
  return by_unit(tlc(), "UnitsOfTlc");
}
inline Drive units_of_tlc_in_slc_mode() {
  return by_unit(tlc_in_slc_mode(), "UnitsOfTlcInSlcMode");
}
inline Drive one_pass_units() {
  return by_unit(one_pass_tlc(), "OnePassUnits");
}
inline Drive one_pass_queued_units_of_qlc() {
  return by_unit(one_pass_queued_qlc(), "OnePassQueuedUnitsOfQlc");
}

/// Hot blocks that use their fast pages and cold ones that use all.
inline Drive partitions(const char* regions, const char* name) {
  FtlBenchConfig c = two_region_drive(regions);
  c.shuffle = true;
  c.ftl.marked_blocks = true;
  return {name, c, true};
}
inline Drive combo() {
  return partitions("combo", "Combo");
}
inline Drive combo_of_shared_frontiers() {
  Drive d = partitions("combo", "ComboOfSharedFrontiers");
  d.config.ftl.frontier = fw::Frontier::shared;
  d.config.ftl.region.cold_age = 2;
  return d;
}
inline Drive combo_logs() {
  return partitions("combo_logs", "ComboLogs");
}
inline Drive combo_of_tlc() {
  Drive d = partitions("combo", "ComboOfTlc");
  d.config.ftl.geometry.cell = CellType::tlc;
  d.config.ftl.geometry.pages_per_block = 24;
  d.config.ftl.over_provisioning = 0.6; // leaves blocks for the journal
  d.config.ftl.wear_gap = 3;
  return d;
}
inline Drive broms() {
  return partitions("broms", "Broms");
}
inline Drive broms_of_tlc() {
  Drive d = partitions("broms", "BromsOfTlc");
  d.config.ftl.geometry.cell = CellType::tlc;
  d.config.ftl.geometry.pages_per_block = 24;
  d.config.ftl.over_provisioning = 0.6;
  d.config.ftl.region.flash.pages_per_block = 24;
  d.config.ftl.region.flash.bits = 3;
  return d;
}
inline Drive queued_broms() {
  Drive d = partitions("broms", "QueuedBroms");
  d.config.ftl.die_queue_depth = 3;
  d.config.programs_last = true;
  d.config.ftl.victim = "random";
  return d;
}

/// Nothing but copies saves lower pages.
inline Drive protected_lower_pages(Drive d, const char* name) {
  d.name = name;
  d.hold_up = false;
  d.config.ftl.lower_pages = fw::LowerPageProtection::backup;
  d.config.ftl.geometry.blocks_per_plane += 8;
  d.config.ftl.over_provisioning = 0.5;
  return d;
}
inline Drive protected_tlc() {
  return protected_lower_pages(tlc(), "ProtectedTlc");
}
inline Drive protected_mlc() {
  Drive d = conventional();
  d.config.ftl.geometry.cell = CellType::mlc;
  d.config.ftl.frontier = fw::Frontier::shared;
  return protected_lower_pages(d, "ProtectedMlc");
}
inline Drive protected_queued_qlc() {
  Drive d = queued();
  d.config.ftl.geometry.cell = CellType::qlc;
  d.config.ftl.geometry.pages_per_block = 32;
  d = protected_lower_pages(d, "ProtectedQueuedQlc");
  d.config.ftl.geometry.blocks_per_plane += 6;
  return d;
}
inline Drive protected_even_odd() {
  Drive d = suspends();
  d.config.ftl.geometry.cell = CellType::mlc;
  d.config.ftl.page_table = PageTable::even_odd;
  return protected_lower_pages(d, "ProtectedEvenOdd");
}
inline Drive protected_twins() {
  Drive d = twins();
  d.config.ftl.geometry.cell = CellType::tlc;
  d.config.ftl.geometry.pages_per_block = 24;
  return protected_lower_pages(d, "ProtectedTwins");
}

inline Drive protected_partitions(Drive d, const char* name) {
  d.config.ftl.over_provisioning = 0.65;
  d.config.ftl.geometry.blocks_per_plane += 8;
  d.config.ftl.lower_pages = fw::LowerPageProtection::backup;
  d.name = name;
  d.hold_up = false;
  return d;
}
inline Drive protected_combo() {
  return protected_partitions(combo(), "ProtectedCombo");
}
inline Drive protected_combo_logs() {
  return protected_partitions(combo_logs(), "ProtectedComboLogs");
}
inline Drive protected_broms() {
  Drive d = broms();
  d.config.ftl.page_table = PageTable::even_odd;
  d.config.ftl.suspend = true;
  return protected_partitions(d, "ProtectedBroms");
}

/// No page counts before its wordline is complete.
inline Drive by_wordlines(Drive d, const char* name) {
  d.name = name;
  d.hold_up = false;
  d.config.ftl.lower_pages = fw::LowerPageProtection::wordline;
  d.config.ftl.geometry.blocks_per_plane += 8;
  d.config.ftl.over_provisioning = 0.75;
  return d;
}
inline Drive wordlines_of_tlc() {
  return by_wordlines(tlc(), "WordlinesOfTlc");
}
inline Drive wordlines_of_mlc() {
  Drive d = conventional();
  d.config.ftl.geometry.cell = CellType::mlc;
  d.config.ftl.frontier = fw::Frontier::shared;
  return by_wordlines(d, "WordlinesOfMlc");
}
inline Drive wordlines_of_queued_qlc() {
  Drive d = queued();
  d.config.ftl.geometry.cell = CellType::qlc;
  d.config.ftl.geometry.pages_per_block = 32;
  d = by_wordlines(d, "WordlinesOfQueuedQlc");
  d.config.ftl.over_provisioning = 0.85;
  return d;
}
inline Drive wordlines_even_odd() {
  Drive d = suspends();
  d.config.ftl.geometry.cell = CellType::mlc;
  d.config.ftl.page_table = PageTable::even_odd;
  return by_wordlines(d, "WordlinesEvenOdd");
}
inline Drive wordlines_of_twins() {
  Drive d = twins();
  d.config.ftl.geometry.cell = CellType::tlc;
  d.config.ftl.geometry.pages_per_block = 24;
  return by_wordlines(d, "WordlinesOfTwins");
}
inline Drive wordlines_of_copybacks() {
  Drive d = copybacks();
  d.config.ftl.geometry.cell = CellType::mlc;
  return by_wordlines(d, "WordlinesOfCopybacks");
}
inline Drive wordlines_of_random_victims() {
  Drive d = random_victims();
  d.config.ftl.geometry.cell = CellType::mlc;
  return by_wordlines(d, "WordlinesOfRandomVictims");
}

inline Drive wordlines_of_combo() {
  return by_wordlines(combo_of_shared_frontiers(), "WordlinesOfCombo");
}
inline Drive wordlines_of_combo_logs() {
  return by_wordlines(combo_logs(), "WordlinesOfComboLogs");
}
inline Drive wordlines_of_broms() {
  return by_wordlines(broms(), "WordlinesOfBroms");
}
inline Drive wordlines_of_queued_broms() {
  return by_wordlines(queued_broms(), "WordlinesOfQueuedBroms");
}
inline Drive wordlines_of_combo_of_tlc() {
  Drive d = by_wordlines(combo_of_tlc(), "WordlinesOfComboOfTlc");
  d.config.ftl.geometry.blocks_per_plane += 8;
  d.config.ftl.over_provisioning = 0.8;
  return d;
}

inline Drive replaced_protected_twins() {
  return replacing(protected_twins(), "ReplacedProtectedTwins");
}
inline Drive replaced_wordlines_of_twins() {
  return replacing(wordlines_of_twins(), "ReplacedWordlinesOfTwins");
}

/// Map and block table are written every few blocks.
inline Drive with_checkpoints(Drive d, const char* name, std::uint32_t interval) {
  d.name = name;
  d.config.ftl.checkpoint_interval = interval;
  d.config.ftl.geometry.blocks_per_plane *= 2;
  return d;
}
inline Drive checkpoints() {
  return with_checkpoints(conventional(), "Checkpoints", 200);
}
inline Drive checkpoints_all_the_time() {
  return with_checkpoints(random_victims(), "CheckpointsAllTheTime", 1);
}
inline Drive checkpoints_of_queued() {
  return with_checkpoints(queued(), "CheckpointsOfQueuedPrograms", 60);
}
inline Drive checkpoints_of_tlc() {
  return with_checkpoints(tlc(), "CheckpointsOfTlc", 100);
}
inline Drive checkpoints_of_tlc_in_slc_mode() {
  return with_checkpoints(tlc_in_slc_mode(), "CheckpointsOfTlcInSlcMode", 100);
}
inline Drive checkpoints_of_twins() {
  return with_checkpoints(twins(), "CheckpointsOfTwins", 150);
}
inline Drive checkpoints_of_replaced_twins() {
  return with_checkpoints(replaced_twins(), "CheckpointsOfReplacedTwins", 150);
}
inline Drive checkpoints_of_protected() {
  return with_checkpoints(protected_tlc(), "CheckpointsOfProtectedTlc", 100);
}
inline Drive checkpoints_of_wordlines() {
  return with_checkpoints(wordlines_of_tlc(), "CheckpointsOfWordlines", 100);
}
inline Drive checkpoints_of_one_pass() {
  return with_checkpoints(one_pass_tlc(), "CheckpointsOfOnePass", 150);
}
inline Drive checkpoints_of_wordlines_of_broms() {
  return with_checkpoints(wordlines_of_broms(), "CheckpointsOfWordlinesOfBroms", 100);
}
inline Drive checkpoints_of_page_types() {
  return with_checkpoints(page_types(), "CheckpointsOfPageTypes", 150);
}

inline Drive checkpoints_of_combo() {
  Drive d = combo();
  d.config.ftl.over_provisioning = 0.6;
  return with_checkpoints(d, "CheckpointsOfCombo", 120);
}
inline Drive checkpoints_of_broms() {
  Drive d = broms();
  d.config.ftl.over_provisioning = 0.6;
  return with_checkpoints(d, "CheckpointsOfBroms", 60);
}
inline Drive checkpoints_of_protected_combo_logs() {
  return with_checkpoints(protected_combo_logs(), "CheckpointsOfProtectedComboLogs", 100);
}

/// Pages are moved by copyback, wherever that stays in the plane.
inline Drive copying(Drive d, const char* name) {
  d.name = name;
  d.config.ftl.copybacks = 2;
  d.config.ftl.gc_moves = fw::GcMoves::single;
  return d;
}
inline Drive copybacks_of_twins() {
  return copying(twins(), "CopybacksOfTwins");
}
inline Drive copybacks_of_simulator_twins() {
  return copying(simulator_twins(), "CopybacksOfSharpTwins");
}
inline Drive copybacks_of_replaced_twins() {
  return copying(replaced_twins(), "CopybacksOfReplacedTwins");
}
inline Drive copybacks_of_combo_logs() {
  return copying(combo_logs(), "CopybacksOfComboLogs");
}
inline Drive copybacks_of_broms() {
  return copying(broms(), "CopybacksOfBroms");
}
inline Drive protected_copybacks() {
  return copying(protected_tlc(), "ProtectedCopybacks");
}
inline Drive protected_copybacks_of_twins() {
  return copying(protected_twins(), "ProtectedCopybacksOfTwins");
}
inline Drive protected_copybacks_of_combo() {
  return copying(protected_combo(), "ProtectedCopybacksOfCombo");
}
inline Drive checkpoints_of_copybacks() {
  return with_checkpoints(copybacks(), "CheckpointsOfCopybacks", 60);
}
inline Drive checkpoints_of_twin_copybacks() {
  return with_checkpoints(copybacks_of_simulator_twins(), "CheckpointsOfTwinCopybacks", 150);
}
inline Drive checkpoints_of_broms_copybacks() {
  return copying(checkpoints_of_broms(), "CheckpointsOfBromsCopybacks");
}

/// Requests of a page or less go to units of their own.
inline Drive hot_data_apart(Drive d, const char* name) {
  d.name = name;
  d.config.ftl.host_streams = 2;
  d.config.ftl.classifier = "hot_size";
  d.config.ftl.region.hot_bytes = d.config.ftl.geometry.page_size;
  d.config.ftl.geometry.blocks_per_plane += 4;
  d.config.ftl.over_provisioning += 0.1; // two blocks of each plane are set aside for that
  return d;
}
inline Drive hot_data() {
  return hot_data_apart(conventional(), "HotDataApart");
}
inline Drive hot_data_of_shared_frontiers() {
  return hot_data_apart(shared_frontier(), "HotDataOfSharedFrontiers");
}
inline Drive hot_data_by_wordlines() {
  return hot_data_apart(wordlines_of_tlc(), "HotDataByWordlines");
}
inline Drive checkpoints_of_hot_data() {
  return hot_data_apart(checkpoints(), "CheckpointsOfHotData");
}
inline Drive hot_units_in_superblocks() {
  Drive d = hot_data_apart(one_pass_units(), "HotUnitsInSuperblocks");
  d.config.ftl.erase_unit = fw::EraseUnit::drive;
  d.config.ftl.gc_moves = fw::GcMoves::multi;
  return d;
}

/// Bad blocks of superblocks are replaced, and pages hold units of the map.
inline Drive units_of_replaced_blocks() {
  Drive d = by_unit(replaced_twins(), "UnitsOfReplacedBlocks");
  d.config.ftl.block_allocation = "conventional";
  d.config.ftl.erase_unit = fw::EraseUnit::drive;
  return d;
}
inline Drive units_of_replaced_wordlines() {
  Drive d = by_unit(replaced_wordlines_of_twins(), "UnitsOfReplacedWordlines");
  d.config.ftl.block_allocation = "conventional";
  d.config.ftl.erase_unit = fw::EraseUnit::channel;
  return d;
}

inline std::string name_of(const ::testing::TestParamInfo<Drive>& drive) {
  return drive.param.name;
}

} // namespace twinplane::test
