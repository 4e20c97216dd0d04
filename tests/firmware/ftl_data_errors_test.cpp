// What does a write do whose data do not come?
#include <cstring>
#include <vector>

#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"
#include "tests/support/slots_of.h"

namespace twinplane::test::ftl_data_errors_test {
namespace {

constexpr std::uint32_t kSectorsPerPage = 4;

/// An FTL whose host's data fail when the test says so.
struct FailingBench {
  explicit FailingBench(const FtlBenchConfig& config) : bench(config) {
    bench.hal().refuse_data = [this](const DmaDescriptor& d) {
      ++asked;
      return d.offset >= from_sector ? status : nvme::status::success;
    };
  }
  /// Writes that fail, from sector `from` of the command's data on.
  void fail_with(std::uint16_t why, std::uint32_t from = 0) {
    status = why;
    from_sector = from;
  }

  FtlBench bench;
  std::uint16_t status = nvme::status::success;
  std::uint32_t from_sector = 0;
  std::uint32_t asked = 0;
};

FtlBenchConfig through(bool late) {
  FtlBenchConfig c = small_drive();
  c.late_data = late;
  return c;
}

FtlBenchConfig buffered(bool late) {
  FtlBenchConfig c = through(late);
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 16;
  return c;
}

std::uint64_t programs(FtlBench& bench) {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : bench.statistics().programs_by_type) sum += n;
  return sum;
}

class FailedWrite : public ::testing::TestWithParam<bool> {};

// The shadow allows the old data or the new after a failed write; the map tells that it is the old.
TEST_P(FailedWrite, LeavesTheOldPagesInPlaceAndProgramsNothing) {
  FailingBench f(through(GetParam()));
  f.bench.write(0, 3 * kSectorsPerPage);
  f.bench.settle();
  const std::uint64_t programmed = programs(f.bench);
  const Ppn page = f.bench.ftl().state.policy.mapping->lookup(1);
  f.fail_with(nvme::status::prp_offset);
  f.bench.write(0, 3 * kSectorsPerPage);
  f.bench.write(2, 1); // part of a page
  f.bench.settle();
  EXPECT_EQ(f.bench.last_status(), nvme::status::prp_offset);
  EXPECT_EQ(programs(f.bench), programmed);
  EXPECT_TRUE(f.bench.ftl().state.policy.mapping->lookup(1) == page);
  f.bench.read(0, 3 * kSectorsPerPage);
  f.bench.settle();
  f.bench.check_all(true);
}

TEST_P(FailedWrite, LetsTheNextWriteOfItsPageGoOn) {
  FailingBench f(through(GetParam()));
  f.fail_with(nvme::status::data_transfer_error);
  for (int i = 0; i < 4; ++i) f.bench.write(0, kSectorsPerPage);
  f.bench.trim(0, kSectorsPerPage);
  f.bench.settle();
  EXPECT_EQ(programs(f.bench), 0u);
  f.fail_with(nvme::status::success);
  f.bench.write(0, kSectorsPerPage);
  f.bench.settle();
  EXPECT_EQ(f.bench.last_status(), nvme::status::success);
  EXPECT_EQ(programs(f.bench), 1u);
}

TEST_P(FailedWrite, DoesNotTouchWhatTheBufferHasAcknowledged) {
  FailingBench f(buffered(GetParam()));
  f.bench.write(0, 2 * kSectorsPerPage);
  f.bench.settle();
  fw::BufferSlot* const slot = slots_of(f.bench.ftl().state).newest(0);
  ASSERT_NE(slot, nullptr);
  const std::vector<std::uint8_t> before(f.bench.hal().dram() + slot->buffer,
                                         f.bench.hal().dram() + slot->buffer + kSectorsPerPage * 16);
  f.fail_with(nvme::status::prp_offset);
  f.bench.write(1, 6);
  f.bench.write(4 * kSectorsPerPage, 1); // a page that the buffer does not hold
  f.bench.settle();
  EXPECT_EQ(f.bench.last_status(), nvme::status::prp_offset);
  EXPECT_EQ(slots_of(f.bench.ftl().state).newest(4), nullptr);
  EXPECT_EQ(std::memcmp(before.data(), f.bench.hal().dram() + slot->buffer, before.size()), 0);
  f.fail_with(nvme::status::success);
  f.bench.read(0, 5 * kSectorsPerPage);
  f.bench.flush();
  f.bench.settle();
  f.bench.check_all(true);
}

INSTANTIATE_TEST_SUITE_P(KnownAtOnceOrLater, FailedWrite, ::testing::Bool(), parameter_name);

// The data of the first command do not come before those of flash commands have.
TEST(UnknownOutcome, KeepsAWriteFromGettingAPlace) {
  FailingBench f(through(true));
  f.bench.write(0, kSectorsPerPage);
  f.bench.turn();
  f.bench.turn();
  EXPECT_EQ(f.asked, 0u);
  EXPECT_TRUE(f.bench.ftl().state.policy.mapping->lookup(0) == kNoPpn);
  f.bench.settle();
  EXPECT_TRUE(fw::is_page(f.bench.ftl().state.policy.mapping->lookup(0)));
}

// A core that sleeps between interrupts, and data that come late and fail at random.
void run_failing(FtlBenchConfig c, std::uint64_t seed) {
  c.shuffle = true;
  c.sleepy = true;
  c.seed = seed;
  FtlBench b(c);
  fw::Random dice(seed + 100);
  std::uint32_t refused = 0;
  b.hal().refuse_data = [&](const DmaDescriptor&) -> std::uint16_t {
    if (dice.below(20) != 0) return nvme::status::success;
    ++refused;
    return dice.below(2) != 0 ? nvme::status::prp_offset : nvme::status::data_transfer_error;
  };
  Mix mix;
  mix.operations = 10'000;
  run_random(b, mix, seed);
  EXPECT_GT(refused, 100u);
}

TEST(FailedWrites, NeverHarmAnybodyElsesDataUnderRandomLoad) {
  for (const bool late : {false, true}) {
    SCOPED_TRACE(late);
    run_failing(through(late), 1);
    if (HasFatalFailure()) return;
    run_failing(buffered(late), 2);
    if (HasFatalFailure()) return;
  }
}

} // namespace
} // namespace twinplane::test::ftl_data_errors_test
