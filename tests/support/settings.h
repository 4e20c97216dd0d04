// The registry of settings that tests of the FTL cross their drives with: a change of a drive, by name.
#pragma once

#include <ostream>

#include "tests/support/ftl_bench.h"

namespace twinplane::test {

struct Setting {
  const char* name;
  void (*change)(FtlBenchConfig& c);
};
inline std::ostream& operator<<(std::ostream& out, const Setting& s) {
  return out << s.name;
}

/// Wordlines are programmed in one pass, by all planes of a die at once.
inline void in_one_pass(FtlBenchConfig& c, CellType cell) {
  c.ftl.geometry.cell = cell;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.page_table = PageTable::wordline;
  c.ftl.pass_pages = static_cast<std::uint32_t>(cell);
  c.ftl.program_unit = fw::ProgramUnit::die;
}

namespace settings {

inline constexpr Setting a_full_cache_is_passed{
    "a full cache is passed", [](FtlBenchConfig& c) { c.ftl.slc_cache.direct_when_full = true; }};
inline constexpr Setting a_full_cache_is_passed_no_spare_capacity{"a full cache is passed, no spare capacity",
                                                                  [](FtlBenchConfig& c) {
                                                                    c.ftl.slc_cache.direct_when_full = true;
                                                                    c.ftl.over_provisioning = 0;
                                                                  }};
inline constexpr Setting an_update_writes_all_there_is{
    "an update writes all there is", [](FtlBenchConfig& c) { c.ftl.slc_cache.union_update = true; }};
inline constexpr Setting any_victim{"any victim", [](FtlBenchConfig& c) { c.ftl.victim = "random"; }};
inline constexpr Setting best_of_random_victims{"best of random victims",
                                                [](FtlBenchConfig& c) { c.ftl.victim = "rga"; }};
inline constexpr Setting checkpoints{"checkpoints",
                                     [](FtlBenchConfig& c) { c.ftl.checkpoint_interval = 200; }};
inline constexpr Setting deep_queues{"deep queues", [](FtlBenchConfig& c) { c.ftl.die_queue_depth = 4; }};
inline constexpr Setting deep_queues_programs_last{"deep queues, programs last", [](FtlBenchConfig& c) {
                                                     c.ftl.die_queue_depth = 4;
                                                     c.programs_last = true;
                                                   }};
inline constexpr Setting deep_queues_suspension{"deep queues, suspension", [](FtlBenchConfig& c) {
                                                  c.ftl.die_queue_depth = 4;
                                                  c.ftl.suspend = true;
                                                }};
inline constexpr Setting dies_first{"dies first", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "F"; }};
inline constexpr Setting eight_subpages{"eight subpages",
                                        [](FtlBenchConfig& c) { c.ftl.geometry.subpages_per_page = 8; }};
inline constexpr Setting first_in_first_out{"first in, first out",
                                            [](FtlBenchConfig& c) { c.ftl.scheduling = "fifo"; }};
inline constexpr Setting four_bits_per_cell{"four bits per cell",
                                            [](FtlBenchConfig& c) { c.ftl.geometry.cell = CellType::qlc; }};
inline constexpr Setting hardly_any_space{"hardly any space", [](FtlBenchConfig& c) {
                                            c.ftl.over_provisioning = 0;
                                            c.ftl.gc_threshold_blocks = 2;
                                          }};
inline constexpr Setting hardly_any_space_static_planes{"hardly any space, static planes",
                                                        [](FtlBenchConfig& c) {
                                                          c.ftl.over_provisioning = 0;
                                                          c.ftl.gc_threshold_blocks = 2;
                                                          c.ftl.plane_allocation = "CWDP";
                                                        }};
inline constexpr Setting hold_up_energy{"hold-up energy",
                                        [](FtlBenchConfig& c) { c.ftl.hold_up_pages = 1024; }};
inline constexpr Setting independent_reads{"independent reads",
                                           [](FtlBenchConfig& c) { c.ftl.independent_reads = true; }};
inline constexpr Setting late_data{"late data", [](FtlBenchConfig& c) { c.late_data = true; }};
inline constexpr Setting late_data_interrupts_only{"late data, interrupts only", [](FtlBenchConfig& c) {
                                                     c.late_data = true;
                                                     c.sleepy = true;
                                                   }};
inline constexpr Setting moves_of_several_planes{
    "moves of several planes", [](FtlBenchConfig& c) { c.ftl.gc_moves = fw::GcMoves::multi; }};
inline constexpr Setting moves_of_several_planes_unequal_blocks_pair{
    "moves of several planes, unequal blocks pair", [](FtlBenchConfig& c) {
      c.ftl.gc_moves = fw::GcMoves::multi;
      c.ftl.bac = false;
    }};
inline constexpr Setting newest_first{"newest first", [](FtlBenchConfig& c) { c.newest_first = true; }};
inline constexpr Setting no_pairs{"no pairs", [](FtlBenchConfig& c) { c.ftl.pair = fw::Pairing::off; }};
inline constexpr Setting no_patience{"no patience", [](FtlBenchConfig& c) { c.ftl.pack_timeout_ps = 1; }};
inline constexpr Setting no_spare_capacity{"no spare capacity",
                                           [](FtlBenchConfig& c) { c.ftl.over_provisioning = 0; }};
inline constexpr Setting no_spare_capacity_shared_frontier{"no spare capacity, shared frontier",
                                                           [](FtlBenchConfig& c) {
                                                             c.ftl.over_provisioning = 0;
                                                             c.ftl.frontier = fw::Frontier::shared;
                                                           }};
inline constexpr Setting nothing_else{"nothing else", [](FtlBenchConfig&) {}};
inline constexpr Setting oldest_victims{"oldest victims", [](FtlBenchConfig& c) { c.ftl.victim = "fifo"; }};
inline constexpr Setting programs_last{"programs last", [](FtlBenchConfig& c) { c.programs_last = true; }};
inline constexpr Setting programs_of_the_next_plane{
    "programs of the next plane", [](FtlBenchConfig& c) { c.ftl.pair = fw::Pairing::next; }};
inline constexpr Setting shared_frontier{"shared frontier",
                                         [](FtlBenchConfig& c) { c.ftl.frontier = fw::Frontier::shared; }};
inline constexpr Setting sixteen_subpages{"sixteen subpages", [](FtlBenchConfig& c) {
                                            c.ftl.geometry.page_size = 8192;
                                            c.ftl.geometry.subpages_per_page = 16;
                                          }};
inline constexpr Setting static_channels{"static channels",
                                         [](FtlBenchConfig& c) { c.ftl.plane_allocation = "C"; }};
inline constexpr Setting static_dies{"static dies",
                                     [](FtlBenchConfig& c) { c.ftl.plane_allocation = "CWD"; }};
inline constexpr Setting static_planes_plane_first{
    "static planes, plane first", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "PDWC"; }};
inline constexpr Setting suspension{"suspension", [](FtlBenchConfig& c) { c.ftl.suspend = true; }};
inline constexpr Setting three_bits_per_cell{"three bits per cell", [](FtlBenchConfig& c) {
                                               c.ftl.geometry.cell = CellType::tlc;
                                               c.ftl.geometry.pages_per_block = 24;
                                             }};
inline constexpr Setting three_cache_blocks{"three cache blocks",
                                            [](FtlBenchConfig& c) { c.ftl.slc_cache.share = 0.1; }};
inline constexpr Setting two_cache_blocks{"two cache blocks",
                                          [](FtlBenchConfig& c) { c.ftl.slc_cache.share = 0.02; }};
inline constexpr Setting unequal_blocks_pair{"unequal blocks pair",
                                             [](FtlBenchConfig& c) { c.ftl.bac = false; }};
inline constexpr Setting victims_by_cost_and_benefit{
    "victims by cost and benefit", [](FtlBenchConfig& c) { c.ftl.victim = "cost_benefit"; }};
inline constexpr Setting wear_levelling{"wear levelling", [](FtlBenchConfig& c) { c.ftl.wear_gap = 2; }};
inline constexpr Setting wear_levelling_of_the_cache{"wear levelling of the cache", [](FtlBenchConfig& c) {
                                                       c.ftl.slc_cache.wear_gap = 2;
                                                       c.ftl.slc_cache.endurance = 3;
                                                     }};
inline constexpr Setting whole_pages_go_past_the_cache{
    "whole pages go past the cache", [](FtlBenchConfig& c) { c.ftl.slc_cache.full_to_native = true; }};
inline constexpr Setting whole_sectors{"whole sectors",
                                       [](FtlBenchConfig& c) { c.ftl.data_mode = DataMode::full; }};
inline constexpr Setting write_buffer{"write buffer", [](FtlBenchConfig& c) {
                                        c.ftl.write_ack = fw::WriteAck::buffered;
                                        c.ftl.write_buffer_pages = 20;
                                      }};

} // namespace settings

} // namespace twinplane::test
