// Does preconditioning for a trace write what the trace reads in vain, and nothing else?
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/ssd/trace_pages.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/record_list.h"

namespace twinplane::test::trace_pages_test {
namespace {

using platform::IoOp;
using platform::IoRecord;

constexpr std::uint64_t kSectors = 64; // of the drive: 16 pages of four
constexpr std::uint32_t kSector = 4096;

constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 48
page_size = "16KiB"
sector_size = "4KiB"
spare_size = "448B"
[ftl]
over_provisioning = "25%"
[precondition]
mode = "trace"
[host]
mode = "closed"
iodepth = 1
)";

IoRecord at(IoOp op, std::uint64_t sector, std::uint32_t sectors) {
  return record(op, sector * kSector, sectors * kSector);
}

std::set<std::size_t> pages_of(const std::vector<IoRecord>& records,
                               const std::vector<std::string>& settings = {}) {
  RecordList list(records);
  const std::vector<bool> wanted = platform::pages_read_first(configure(kDrive, settings), kSectors, list);
  EXPECT_EQ(wanted.size(), kSectors / 4);
  IoRecord first;
  EXPECT_EQ(list.next(first), !records.empty()) << "rewound";
  std::set<std::size_t> pages;
  for (std::size_t p = 0; p < wanted.size(); ++p) {
    if (wanted[p]) pages.insert(p);
  }
  return pages;
}

using Pages = std::set<std::size_t>;

TEST(TracePages, AreThoseReadBeforeTheyAreWritten) {
  EXPECT_EQ(pages_of({}), Pages());
  EXPECT_EQ(pages_of({at(IoOp::read, 8, 4)}), Pages({2}));
  EXPECT_EQ(pages_of({at(IoOp::write, 8, 4), at(IoOp::read, 8, 4)}), Pages());
  EXPECT_EQ(pages_of({at(IoOp::read, 8, 4), at(IoOp::write, 8, 4)}), Pages({2}));
}

TEST(TracePages, CountBySector) {
  EXPECT_EQ(pages_of({at(IoOp::write, 8, 2), at(IoOp::read, 8, 2)}), Pages()) << "what was written is read";
  EXPECT_EQ(pages_of({at(IoOp::write, 8, 2), at(IoOp::read, 9, 2)}), Pages({2})) << "and a sector beside it";
  EXPECT_EQ(pages_of({at(IoOp::read, 7, 2)}), Pages({1, 2}));
}

TEST(TracePages, OfATrimmedPageAreNotWanted) {
  EXPECT_EQ(pages_of({at(IoOp::trim, 8, 4), at(IoOp::read, 8, 4)}), Pages());
  EXPECT_EQ(pages_of({at(IoOp::trim, 8, 3), at(IoOp::read, 8, 1)}), Pages({2}))
      << "part of a page keeps its content";
}

TEST(TracePages, AreFoldedAsTheReplayFolds) {
  EXPECT_EQ(pages_of({at(IoOp::read, kSectors + 4, 4)}), Pages({1}));
  EXPECT_EQ(pages_of({at(IoOp::read, kSectors - 2, 4)}), Pages({15, 0})) << "across the end";
  EXPECT_EQ(pages_of({at(IoOp::write, 3 * kSectors, 4), at(IoOp::read, 0, 4)}), Pages());
}

TEST(TracePages, AreOfTheRequestsThatAreReplayed) {
  const std::vector<IoRecord> records = {at(IoOp::read, 0, 1), at(IoOp::read, 4, 1), at(IoOp::read, 8, 1)};
  EXPECT_EQ(pages_of(records, {"host.max_requests=2"}), Pages({0, 1}));
}

// A random trace, whose reads must find data and whose drive must hold nothing more than it has touched.
TEST(TracePages, LeaveNoReadUnmapped) {
  std::vector<IoRecord> records;
  std::set<std::uint64_t> touched;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t sector = i * 7919 % 12'000; // some beyond the drive's end
    const auto sectors = static_cast<std::uint32_t>(1 + i * 31 % 11);
    records.push_back(at(i % 3 == 0 ? IoOp::write : IoOp::read, sector, sectors));
  }
  platform::Simulation simulation(configure(kDrive));
  RecordList list(records);
  simulation.prepare(&list);
  const std::uint64_t capacity = simulation.exported_bytes() / kSector;
  for (const IoRecord& r : records) {
    for (std::uint64_t s = r.offset / kSector; s < (r.offset + r.length) / kSector; ++s)
      touched.insert(s % capacity / 4);
  }
  simulation.run(list, "trace");
  const platform::Summary s = simulation.summary();
  expect_consistent(s);
  EXPECT_GT(s.workload.folded, 0u);
  EXPECT_EQ(s.ftl.counters.unmapped_reads, 0u);
  EXPECT_EQ(s.ftl.counters.valid_pages, touched.size());
}

TEST(TracePages, OfNoTraceAreAnError) {
  platform::Simulation simulation(configure(kDrive));
  try {
    simulation.prepare();
    ADD_FAILURE() << "there is nothing to read";
  } catch (const platform::InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("precondition.mode: ", 0), 0u) << error.what();
  }
}

} // namespace
} // namespace twinplane::test::trace_pages_test
