// Do drives with an SLC-mode cache keep every promise under random requests, whatever else the drive does?
// All data are held against the shadow, sector by sector, tables against each other in every step.
#include <string>

#include "tests/support/ftl_cached.h"

namespace twinplane::test {
namespace {

class CachedRandom : public ::testing::TestWithParam<const char*> {};

TEST_P(CachedRandom, KeepsTheShadow) {
  FtlBenchConfig c = cached_drive(GetParam());
  c.shuffle = true;
  Mix mix;
  mix.operations = 20'000;
  mix.max_sectors = 20;
  FtlBench b(c);
  run_random(b, mix, 3);
}

INSTANTIATE_TEST_SUITE_P(Each, CachedRandom, ::testing::Values("slc_cache", "mga", "ipu"));

} // namespace
} // namespace twinplane::test
