// Random requests against an FtlBench, with invariants after every step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "tests/support/depth.h"
#include "tests/support/ftl_bench.h"
#include "tests/support/settings.h"

namespace twinplane::test {

/// So many different numbers.
inline std::vector<std::uint32_t> draw_different(fw::Random& random, std::uint32_t below,
                                                 std::uint32_t count) {
  std::vector<std::uint32_t> drawn;
  while (drawn.size() < count) {
    const std::uint32_t number = random.below(below);
    if (std::find(drawn.begin(), drawn.end(), number) == drawn.end()) drawn.push_back(number);
  }
  return drawn;
}

/// 2 channels x 2 dies x 2 planes x 16 blocks x 16 pages of 4 sectors: small enough for every corner.
inline FtlBenchConfig small_drive() {
  FtlBenchConfig c;
  c.ftl.geometry.channels = 2;
  c.ftl.geometry.chips_per_channel = 1;
  c.ftl.geometry.dies_per_chip = 2;
  c.ftl.geometry.planes_per_die = 2;
  c.ftl.geometry.blocks_per_plane = 16;
  c.ftl.geometry.pages_per_block = 16;
  c.ftl.geometry.page_size = 4096;
  c.ftl.geometry.sector_size = 1024;
  c.ftl.over_provisioning = 0.3;
  c.ftl.max_requests = 32;
  c.slot_sectors = 64;
  return c;
}

/// TLC without hold-up energy, which keeps copies of lower pages.
inline FtlBenchConfig tlc_with_copies() {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.geometry.blocks_per_plane = 32;
  c.ftl.over_provisioning = 0.5;
  c.ftl.lower_pages = fw::LowerPageProtection::backup;
  return c;
}

/// The same drive with a map of quarters of pages.
inline fw::FtlConfig mapped_by_unit(fw::FtlConfig c, std::uint32_t units = 4) {
  c.map_units = c.geometry.subpages_per_page = units;
  return c;
}

inline void write_every_page(FtlBench& b) {
  const std::uint32_t shift = b.ftl().state.sectors_shift;
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    b.write(std::uint64_t{lpn} << shift, 1u << shift);
  }
}

/// By logical page: the sectors that the drive takes for lost.
inline std::vector<std::uint32_t> losses_of(FtlBench& b) {
  std::vector<std::uint32_t> lost;
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn)
    lost.push_back(b.ftl().state.lost.of(lpn));
  return lost;
}

struct Mix {
  std::uint64_t operations = 20000;
  std::uint32_t max_sectors = 12;
  std::uint32_t check_every = 500;
  std::uint32_t write_percent = 55;
  std::uint32_t trim_percent = 5;
  std::uint32_t zero_percent = 3;
  std::uint32_t flush_percent = 2;
  std::uint32_t spoil_percent = 0;
  std::uint32_t commit_percent = 0;
  bool check_tables = false; // after every operation
  std::uint32_t lbas = 0;    // only the first so many sectors; 0 = all
  std::uint32_t burst = 0;   // commands after which the host waits until all are done; 0 = never
};

/// Bursts of long writes, which find no space where collection is in no hurry.
inline Mix long_writes() {
  Mix mix;
  mix.operations = 6000;
  mix.trim_percent = 0;
  mix.zero_percent = 0;
  mix.max_sectors = 60;
  mix.burst = 30;
  return mix;
}

inline void random_operation(FtlBench& b, fw::Random& random, const Mix& mix) {
  const std::uint32_t sectors = 1 + random.below(mix.max_sectors);
  const std::uint64_t all = mix.lbas == 0 ? b.sectors() : mix.lbas;
  const std::uint64_t lba = random.below(static_cast<std::uint32_t>(all - sectors + 1));
  std::uint32_t dice = random.below(100);
  const auto falls_in = [&dice](std::uint32_t percent) {
    const bool hit = dice < percent;
    dice -= percent;
    return hit;
  };
  if (falls_in(mix.write_percent)) {
    b.write(lba, sectors, random.below(50) == 0);
  } else if (falls_in(mix.trim_percent)) {
    b.trim(lba, sectors);
  } else if (falls_in(mix.zero_percent)) {
    b.write_zeroes(lba, sectors);
  } else if (falls_in(mix.flush_percent)) {
    b.flush();
  } else if (falls_in(mix.spoil_percent)) {
    b.spoil(lba, sectors);
  } else if (falls_in(mix.commit_percent)) {
    b.commit();
  } else {
    b.read(lba, sectors);
  }
}

/// Writes of parts of two pages, which meet each other, on a drive none of whose programs succeeds: each must end with
/// an error, for what it has written is nowhere.
inline void expect_no_write_succeeds(FtlBench& b, std::uint64_t writes, std::uint64_t seed) {
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.hal().flash().fail_programs(1000, seed);
  fw::Random random(seed);
  for (std::uint64_t i = 0; i < writes; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    const std::uint32_t sectors = 1 + random.below(3);
    b.write(random.below(8 - sectors), sectors, true);
    if (random.below(2) == 0) b.step();
    b.check_cheap();
  }
  b.settle();
  b.check_all(true);
  EXPECT_EQ(b.failed_writes(), writes);
}

/// Keeps as many commands in flight as there are slots; ends with everything checked.
inline void run_random(FtlBench& b, const Mix& mix, std::uint64_t seed) {
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(seed);
  for (std::uint64_t i = 0; i < mix.operations; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    random_operation(b, random, mix);
    if (mix.burst != 0 && i % mix.burst == 0) {
      b.settle();
    } else if (random.below(2) == 0) {
      b.step();
    }
    b.check_cheap();
    if (mix.check_tables) b.check_tables();
    if (i % mix.check_every == 0) b.check_all(false);
    if (::testing::Test::HasFatalFailure()) return;
  }
  b.settle();
  b.check_all(true);
}

/// Each setting (or one in two: depth.h) changes the drive; `also` looks at what is left. Seeds count up from the one behind `seed`.
template <std::size_t count, class Also>
void run_in_every_setting(const FtlBenchConfig& drive, const Setting (&settings)[count], std::uint64_t seed,
                          const Also& also) {
  OneIn half(2);
  for (const Setting& setting : settings) {
    ++seed;
    if (!half.runs()) continue;
    SCOPED_TRACE(setting.name);
    FtlBenchConfig changed = drive;
    changed.seed = seed;
    setting.change(changed);
    changed.shuffle = !changed.newest_first;
    ASSERT_EQ(fw::check_config(changed.ftl), nullptr);
    FtlBench b(changed);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    Mix mix;
    mix.operations = at_depth(8000, 2);
    mix.max_sectors = 24;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, seed));
    EXPECT_EQ(b.failed_reads() + b.failed_writes(), 0u);
    EXPECT_FALSE(b.statistics().read_only);
    also(b, changed);
  }
}
template <std::size_t count>
void run_in_every_setting(const FtlBenchConfig& drive, const Setting (&settings)[count], std::uint64_t seed) {
  run_in_every_setting(drive, settings, seed, [](FtlBench&, const FtlBenchConfig&) {});
}

/// Half of the drive has been written in no time, wherever that stops.
inline void run_behind_untimed_writes(const FtlBenchConfig& drive) {
  FtlBench b(drive);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; lpn += 1 + lpn % 2)
    ASSERT_EQ(b.precondition(lpn), nullptr);
  Mix mix;
  mix.operations = 8000;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 9));
}

/// Drives of this kind (three of them, or one: at_depth), 20,000 operations each, one in a thousand programs failing:
/// their blocks retire.
inline void run_while_programs_fail(FtlBenchConfig c) {
  for (std::uint64_t seed = 41; seed < 41 + at_depth(3, 3); ++seed) {
    c.shuffle = true;
    c.seed = seed;
    c.ftl.over_provisioning = 0.6;
    FtlBench b(c);
    b.expect_wear();
    b.hal().flash().fail_programs(1, seed);
    Mix mix;
    mix.operations = 20000;
    mix.max_sectors = 16;
    run_random(b, mix, seed);
    if (::testing::Test::HasFatalFailure()) return;
    EXPECT_GT(b.statistics().retired_blocks, 0u);
  }
}

/// A drive of this kind for each seed, 20,000 operations (at_depth), two in a thousand reads failing: each failure is reported.
inline void run_while_reads_fail(FtlBenchConfig c, std::initializer_list<std::uint64_t> seeds) {
  for (const std::uint64_t seed : seeds) {
    c.shuffle = true;
    c.seed = seed;
    FtlBench b(c);
    b.hal().flash().fail_reads(2, seed);
    Mix mix;
    mix.operations = at_depth(20000, 2);
    mix.max_sectors = 16;
    run_random(b, mix, seed);
    if (::testing::Test::HasFatalFailure()) return;
    EXPECT_GT(b.failed_reads(), 0u);
  }
}

} // namespace twinplane::test
