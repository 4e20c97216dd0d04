// Several programs of one page are with its die when the first one fails: does each of them end where newer
// data stay newer, and what the host has been told is written can be read?
#include "tests/support/ftl_cached.h"

namespace twinplane::test {
namespace {

constexpr std::uint32_t kSectorsPerSubpage = 2;

/// One plane, whose die is given four programs at a time.
FtlBenchConfig deep_drive(const char* scheme) {
  FtlBenchConfig c = cached_drive(scheme);
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  c.ftl.die_queue_depth = 4;
  return c;
}

void read_all(FtlBench& b, std::uint32_t lpns) {
  for (std::uint32_t lpn = 0; lpn < lpns; ++lpn) {
    b.read(std::uint64_t{lpn} * 4 * kSectorsPerSubpage, kSectorsPerSubpage);
    b.settle();
    EXPECT_EQ(b.last_status(), nvme::status::success) << "LPN " << lpn;
  }
}

// IPU: both versions of a subpage are on their way to the same page. The older one fails.
TEST(CachedRepeats, LeaveTheNewerVersionOfASubpageAlone) {
  for (std::uint64_t failing = 1; failing <= 3; ++failing) {
    FtlBench b(deep_drive("ipu"));
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.hal().flash().fail_program(failing);
    for (int version = 0; version < 4; ++version) {
      b.write(0, kSectorsPerSubpage);
      b.turn();
    }
    b.settle();
    read_all(b, 1); // the shadow knows the newest version
    b.check_all(true);
  }
}

// MGA: subpages of different logical pages. What was programmed behind the failure is not safe there.
TEST(CachedRepeats, SaveWhatWasProgrammedBehindAFailure) {
  for (const char* scheme : {"mga", "packed"}) {
    FtlBench b(deep_drive(scheme));
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.hal().flash().fail_program(1);
    for (std::uint32_t lpn = 0; lpn < 4; ++lpn) {
      b.write(std::uint64_t{lpn} * 4 * kSectorsPerSubpage, kSectorsPerSubpage);
      b.turn();
    }
    ASSERT_GT(b.hal().max_queued(), 1u);
    b.settle();
    EXPECT_EQ(b.failed_writes(), 0u);
    read_all(b, 4);
    b.check_all(true);
  }
}

} // namespace
} // namespace twinplane::test
