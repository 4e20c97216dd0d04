// Asks a drive for the status of one command at a time: each is answered exactly once, and one that is
// refused writes nothing to the host.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/nvme/drive_bench.h"

namespace twinplane::test {

class Commands : public testing::Test {
 protected:
  static constexpr int kNone = -1;
  static constexpr std::uint32_t kPage = 4096;
  static constexpr std::uint32_t kAll = 0xFFFF'FFFF; // all namespaces

  void start(const std::string& more = "") {
    bench = std::make_unique<DriveBench>(more);
    bench->host.memory.on_write = [this](std::uint64_t address, std::uint32_t bytes) {
      if (address >= DriveBench::kData) written += bytes;
    };
    bench->start();
    ASSERT_EQ(admin(nvme::admin::identify, 0, 0, 1), nvme::status::success);
    sectors = host().memory.load<std::uint64_t>(DriveBench::kData);
    ASSERT_EQ(admin(nvme::admin::identify, 1), nvme::status::success);
    const int mdts = *host().memory.at(DriveBench::kData + 77);
    ASSERT_NE(mdts, 0);
    most = (kPage << mdts) / kPage;
    ASSERT_EQ(admin(nvme::admin::get_features, 0x07), nvme::status::success);
    queues = (result & 0xFFFF) + 1;
    entries = (host().read(nvme::bar::cap) & 0xFFFF) + 1;
  }
  void start_io(const std::string& more = "") {
    start(more);
    ASSERT_TRUE(host().create_pair(1, 16, 16));
  }
  DriveHost& host() { return bench->host; }

  /// The status of the one and only completion, without DNR; kNone when there is none.
  int answer(std::uint16_t queue, nvme::Sqe sqe) {
    written = 0;
    sqe.cid = ++cid;
    host().push(queue, sqe);
    host().ring(queue);
    std::vector<nvme::Cqe> came;
    for (int look = 0; look < 100 && came.empty(); ++look) look_for(queue, came);
    look_for(queue, came);
    EXPECT_LE(came.size(), 1u) << "more than one completion";
    if (came.empty()) return kNone;
    EXPECT_EQ(came[0].cid, sqe.cid);
    EXPECT_EQ(came[0].sq_id, queue);
    result = came[0].result;
    const int status = came[0].status >> 1 & ~nvme::status::dnr;
    const bool again = (came[0].status >> 1 & nvme::status::dnr) == 0;
    EXPECT_EQ(again, status == nvme::status::success || status == nvme::status::data_transfer_error ||
                         status == nvme::status::abort_requested || status == nvme::status::unrecovered_read)
        << "Do Not Retry is for what will fail again";
    if (status != nvme::status::success) {
      EXPECT_EQ(written, 0u) << "a refused command has written to the host";
    }
    return status;
  }
  int admin(std::uint8_t opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0, std::uint32_t nsid = 0) {
    return answer(0, DriveBench::admin(opcode, cdw10, cdw11, nsid));
  }
  int io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t count) {
    return answer(1, DriveBench::io(opcode, lba, count, DriveBench::kData, DriveBench::kData + kPage));
  }
  static nvme::Sqe with_flags(nvme::Sqe sqe, std::uint8_t flags) {
    sqe.flags = flags;
    return sqe;
  }
  static nvme::Sqe with_nsid(nvme::Sqe sqe, std::uint32_t nsid) {
    sqe.nsid = nsid;
    return sqe;
  }
  static nvme::Sqe with_prp(nvme::Sqe sqe, std::uint64_t prp1, std::uint64_t prp2 = 0) {
    sqe.prp1 = prp1;
    sqe.prp2 = prp2;
    return sqe;
  }

  std::unique_ptr<DriveBench> bench;
  std::uint64_t sectors = 0;
  std::uint32_t most = 0;    // sectors of one command
  std::uint32_t queues = 0;  // pairs, and one vector more
  std::uint32_t entries = 0; // of a queue
  std::uint64_t written = 0;
  std::uint32_t result = 0;

 private:
  void look_for(std::uint16_t queue, std::vector<nvme::Cqe>& came) {
    host().pass(us(100));
    while (const auto entry = host().take(queue)) came.push_back(*entry);
    host().ring_head(queue);
  }
  std::uint16_t cid = 0x1000;
};

} // namespace twinplane::test
