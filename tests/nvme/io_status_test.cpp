// Which status has every I/O command, whatever its opcode and fields? The answers are those of NVM
// Express 1.4; where it leaves a choice, both are allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nvme/status_bench.h"

namespace twinplane::test::io_status_test {
namespace {

namespace st = nvme::status;
using testing::AnyOf;

TEST_F(Commands, OfEveryIoOpcodeHaveTheStatusOfTheirKind) {
  start_io();
  for (std::uint32_t opcode = 0; opcode < 256; ++opcode) {
    const bool known = opcode <= nvme::io::read || opcode == nvme::io::compare ||
                       opcode == nvme::io::write_uncorrectable || opcode == nvme::io::write_zeroes ||
                       opcode == nvme::io::dataset_management || opcode == nvme::io::verify;
    if (opcode == nvme::io::compare) { // the sector has been made unreadable before
      EXPECT_EQ(io(nvme::io::compare, 0, 1), st::unrecovered_read);
      EXPECT_EQ(io(nvme::io::write, 0, 1), st::success);
    }
    std::memset(host().memory.at(DriveBench::kData), 0,
                2 * kPage); // also the ranges, and what compare expects
    EXPECT_EQ(io(static_cast<std::uint8_t>(opcode), 0, 1), known ? st::success : st::invalid_opcode)
        << "opcode " << opcode;
  }
}

TEST_F(Commands, FusedOrWithScatterGatherListsAreRefused) { // section 4.11, CTRATT and SGLS are 0
  start_io();
  for (const std::uint8_t flags : std::initializer_list<std::uint8_t>{0x01, 0x02, 0x40, 0x80}) {
    EXPECT_EQ(answer(0, with_flags(DriveBench::admin(nvme::admin::identify, 1), flags)), st::invalid_field);
    for (const std::uint8_t opcode :
         {nvme::io::flush, nvme::io::write, nvme::io::read, nvme::io::compare, nvme::io::write_zeroes,
          nvme::io::dataset_management, nvme::io::write_uncorrectable, nvme::io::verify}) {
      EXPECT_EQ(answer(1, with_flags(DriveBench::io(opcode, 0, 1), flags)), st::invalid_field) << int{opcode};
    }
    EXPECT_THAT(answer(1, with_flags(DriveBench::io(0x90, 0, 1), flags)),
                AnyOf(st::invalid_opcode, st::invalid_field));
  }
}

// --- I/O commands (section 6) ---

TEST_F(Commands, OutsideTheNamespaceAreRefused) {
  start_io();
  const std::uint8_t ranged[] = {nvme::io::write,        nvme::io::read,   nvme::io::compare,
                                 nvme::io::write_zeroes, nvme::io::verify, nvme::io::write_uncorrectable};
  for (const std::uint8_t opcode : ranged) {
    SCOPED_TRACE(int{opcode});
    EXPECT_EQ(io(opcode, sectors, 1), st::lba_range);
    EXPECT_EQ(io(opcode, sectors - 1, 2), st::lba_range);
    EXPECT_EQ(io(opcode, ~std::uint64_t{0}, 2), st::lba_range) << "the sum overflows";
    EXPECT_EQ(io(opcode, std::uint64_t{1} << 32, 1), st::lba_range);
    std::memset(host().memory.at(DriveBench::kData), 0, kPage);
    EXPECT_EQ(io(opcode, sectors - 1, 1), st::success);
    for (const std::uint32_t nsid : {0u, 2u, kAll}) {
      EXPECT_THAT(answer(1, with_nsid(DriveBench::io(opcode, 0, 1), nsid)),
                  AnyOf(st::invalid_namespace, nsid == kAll ? st::invalid_field : st::invalid_namespace));
    }
  }
}

TEST_F(Commands, BeyondTheLargestTransferAreRefused) { // MDTS; the others move no data
  start_io();
  for (const std::uint8_t opcode : {nvme::io::write, nvme::io::read, nvme::io::compare}) {
    for (const std::uint32_t count : {most + 1, 65536u}) {
      const std::uint32_t most_here = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, sectors));
      EXPECT_EQ(io(opcode, 0, most_here), st::invalid_field) << int{opcode} << ' ' << most_here;
    }
  }
  for (const std::uint8_t opcode : {nvme::io::write_zeroes, nvme::io::verify, nvme::io::write_uncorrectable})
    EXPECT_EQ(io(opcode, 0, most + 1), st::success) << int{opcode};
}

TEST_F(Commands, ThatFlushNameTheNamespaceOrAll) {
  start_io();
  for (const std::uint32_t nsid : {0u, 1u, 2u, kAll}) {
    const bool known = nsid == 1 || nsid == kAll;
    EXPECT_EQ(answer(1, with_nsid(DriveBench::io(nvme::io::flush, 0, 1), nsid)),
              known ? st::success : st::invalid_namespace);
  }
}

TEST_F(Commands, FailWithTheirDataPointers) {
  start_io();
  constexpr std::uint64_t kData = DriveBench::kData;
  constexpr std::uint64_t kList = kData + 100 * kPage;
  const std::uint64_t bad[3] = {kData + kPage, kData + 2 * kPage + 8, kData + 3 * kPage};
  std::memcpy(host().memory.at(kList), bad, sizeof bad);
  for (const std::uint8_t opcode : {nvme::io::write, nvme::io::compare, nvme::io::read}) {
    SCOPED_TRACE(int{opcode});
    const auto with = [&](std::uint32_t count, std::uint64_t prp1, std::uint64_t prp2 = 0) {
      return answer(1, DriveBench::io(opcode, 0, count, prp1, prp2));
    };
    EXPECT_EQ(with(1, kData + 2), st::prp_offset);
    EXPECT_EQ(with(1, DriveBench::kNowhere), st::data_transfer_error);
    if (opcode == nvme::io::read) break; // what is before the bad pointer may be written
    EXPECT_EQ(with(2, kData, kData + kPage + 4), st::prp_offset);
    EXPECT_EQ(with(4, kData, kList), st::prp_offset) << "an entry";
    EXPECT_EQ(with(4, kData, kList + 4), st::prp_offset) << "the list";
    EXPECT_EQ(with(4, kData, DriveBench::kNowhere), st::data_transfer_error) << "the list";
  }
}

TEST_F(Commands, ThatCompareFindTheDifference) {
  start_io();
  std::memset(host().memory.at(DriveBench::kData), 7, kPage);
  EXPECT_EQ(io(nvme::io::compare, 60, 1), st::compare_failure) << "never written: zeros";
  std::memset(host().memory.at(DriveBench::kData), 0, kPage);
  EXPECT_EQ(io(nvme::io::compare, 60, 1), st::success);
}

TEST_F(Commands, ThatDeallocateAreChecked) { // section 6.7
  start_io();
  const auto trim = [&](std::uint64_t lba, std::uint32_t blocks, std::uint32_t attribute,
                        std::uint32_t nsid = 1) {
    nvme::DsmRange range;
    range.slba = lba;
    range.blocks = blocks;
    host().memory.store(DriveBench::kData, range);
    nvme::Sqe sqe = DriveBench::io(nvme::io::dataset_management, 0, 1);
    sqe.nsid = nsid;
    sqe.cdw11 = attribute;
    return answer(1, sqe);
  };
  constexpr std::uint32_t kDeallocate = 4;
  EXPECT_EQ(trim(sectors - 1, 1, kDeallocate), st::success);
  EXPECT_EQ(trim(sectors - 1, 2, kDeallocate), st::lba_range);
  EXPECT_EQ(trim(~std::uint64_t{0}, 2, kDeallocate), st::lba_range);
  EXPECT_EQ(trim(0, 0, kDeallocate), st::success) << "nothing";
  EXPECT_EQ(trim(0, 8, 3), st::success) << "hints of reads and writes to come";
  EXPECT_EQ(trim(0, 1, kDeallocate, 2), st::invalid_namespace);
  EXPECT_THAT(trim(0, 1, kDeallocate, kAll), AnyOf(st::invalid_namespace, st::invalid_field));
  nvme::Sqe sqe = DriveBench::io(nvme::io::dataset_management, 0, 1, DriveBench::kData + 2);
  sqe.cdw11 = kDeallocate;
  EXPECT_EQ(answer(1, sqe), st::prp_offset);
  EXPECT_EQ(answer(1, with_prp(sqe, DriveBench::kNowhere)), st::data_transfer_error);
}

} // namespace
} // namespace twinplane::test::io_status_test
