// Does the watch on a guest's link follow every request from its doorbell to its entry?
#include "platform/pci_host/nvme_watch.h"

#include <gmock/gmock.h>

#include <cstring>

namespace twinplane::test::nvme_watch_test {
namespace {

using platform::GuestRequest;
using platform::IoOp;
using platform::NvmeWatch;
using testing::ElementsAre;

constexpr std::uint64_t kAdminSq = 0x1000, kAdminCq = 0x2000, kSq = 0x10000, kCq = 0x20000;

struct Heard final : NvmeWatch::Listener {
  std::vector<TimePs> rung, given_up;
  std::vector<GuestRequest> finished;
  void on_rung(TimePs at) override { rung.push_back(at); }
  void on_finished(const GuestRequest& request) override { finished.push_back(request); }
  void on_given_up(TimePs begun, TimePs) override { given_up.push_back(begun); }
};

/// A controller with admin queues of 4 entries, and I/O queues 1 of 4.
struct NvmeWatchTest : testing::Test {
  Heard heard;
  NvmeWatch watch{heard};
  std::uint32_t admin_tail = 0;

  NvmeWatchTest() {
    enable();
    queue_command(nvme::admin::create_cq, 1, kCq, 3, 0);
    queue_command(nvme::admin::create_sq, 1, kSq, 3, 0);
  }
  void enable() {
    admin_tail = 0;
    watch.register_write(nvme::bar::aqa, 3 << 16 | 3, 1);
    watch.register_write(nvme::bar::asq, kAdminSq, 1);
    watch.register_write(nvme::bar::asq + 4, 0, 1);
    watch.register_write(nvme::bar::acq, kAdminCq, 1);
    watch.register_write(nvme::bar::acq + 4, 0, 1);
    watch.register_write(nvme::bar::cc, 1, 1);
  }
  void queue_command(std::uint8_t opcode, std::uint16_t id, std::uint64_t base, std::uint32_t entries,
                     std::uint16_t status) {
    nvme::Sqe sqe;
    sqe.opcode = opcode;
    sqe.cid = 9;
    sqe.prp1 = base;
    sqe.cdw10 = entries << 16 | id;
    sqe.cdw11 = 1u << 16 | 1;
    const std::uint64_t place = kAdminSq + admin_tail * sizeof sqe;
    admin_tail = (admin_tail + 1) % 4;
    watch.register_write(nvme::bar::doorbells, admin_tail, 2);
    watch.memory_read(place, &sqe, sizeof sqe, 3);
    entry(kAdminCq, 0, 9, status, 4);
  }
  void entry(std::uint64_t place, std::uint16_t sqid, std::uint16_t cid, std::uint16_t status, TimePs at) {
    nvme::Cqe cqe;
    cqe.sq_id = sqid;
    cqe.cid = cid;
    cqe.status = static_cast<std::uint16_t>(status << 1);
    watch.memory_written(place, &cqe, sizeof cqe, at);
  }
  void ring(std::uint32_t tail, TimePs at) { watch.register_write(nvme::bar::doorbells + 8, tail, at); }
  void fetch(std::uint32_t index, std::uint8_t opcode, std::uint16_t cid, std::uint64_t lba = 0,
             std::uint32_t sectors = 1, TimePs at = 0) {
    nvme::Sqe sqe;
    sqe.opcode = opcode;
    sqe.cid = cid;
    sqe.cdw10 = static_cast<std::uint32_t>(lba);
    sqe.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    sqe.cdw12 = sectors - 1;
    watch.memory_read(kSq + index * sizeof sqe, &sqe, sizeof sqe, at);
  }
};

TEST_F(NvmeWatchTest, TellsWhatWasAskedWhenAndHowItEnded) {
  ring(1, 100);
  fetch(0, nvme::io::read, 5, 0x1'0000'0007, 8);
  entry(kCq, 1, 5, 0x281, 900);
  ASSERT_EQ(heard.finished.size(), 1u);
  const GuestRequest& r = heard.finished[0];
  EXPECT_EQ(r.op, IoOp::read);
  EXPECT_EQ(r.lba, 0x1'0000'0007u);
  EXPECT_EQ(r.sectors, 8u);
  EXPECT_EQ(r.status, 0x281u);
  EXPECT_EQ(r.rung, 100u);
  EXPECT_EQ(r.completed, 900u);
  EXPECT_EQ(watch.outstanding(), 0u);
}

TEST_F(NvmeWatchTest, FollowsEntriesAroundTheEndOfTheQueue) {
  ring(3, 10);
  for (std::uint16_t i = 0; i < 3; ++i) fetch(i, nvme::io::write, i);
  ring(1, 20); // entries 3 and 0
  fetch(3, nvme::io::write, 3);
  fetch(0, nvme::io::flush, 4);
  for (std::uint16_t i = 0; i < 5; ++i) entry(kCq + 16u * (i % 4), 1, i, 0, 100 + i);
  EXPECT_THAT(heard.rung, ElementsAre(10, 10, 10, 20, 20));
  ASSERT_EQ(heard.finished.size(), 5u);
  EXPECT_EQ(heard.finished[3].rung, 20u);
  EXPECT_EQ(heard.finished[4].op, IoOp::flush);
  EXPECT_EQ(heard.finished[4].sectors, 0u);
}

TEST_F(NvmeWatchTest, TakesOtherTrafficForWhatItIs) {
  fetch(0, nvme::io::read, 5);
  std::uint8_t data[64] = {};
  watch.memory_read(0x40000, data, sizeof data, 1);
  entry(0x50000, 1, 5, 0, 1);
  entry(kCq + 8, 1, 5, 0, 1);
  entry(kCq + 4 * 16, 1, 5, 0, 1);
  ring(4, 10); // beyond the queue
  watch.register_write(nvme::bar::doorbells + 8 * 7, 1, 10);
  watch.register_write(nvme::bar::doorbells + 12, 1, 10); // of the completion queue
  EXPECT_TRUE(heard.rung.empty() && heard.finished.empty() && heard.given_up.empty());
}

TEST_F(NvmeWatchTest, GivesUpWhatAResetHasEnded) {
  ring(3, 10);
  fetch(0, nvme::io::read, 0);
  watch.register_write(nvme::bar::cc, 0, 50);
  EXPECT_THAT(heard.given_up, ElementsAre(10, 10, 10));
  EXPECT_EQ(watch.outstanding(), 0u);
  enable();
  entry(kCq, 1, 0, 0, 60);
  EXPECT_TRUE(heard.finished.empty()) << "the queue is no more";
}

TEST_F(NvmeWatchTest, KnowsThatAResetOfTheFunctionHasDisabledTheController) {
  watch.reset(50);
  enable(); // without CC.EN = 0 before
  queue_command(nvme::admin::create_sq, 1, kSq, 3, 0);
  ring(1, 60);
  EXPECT_THAT(heard.rung, ElementsAre(60));
}

TEST_F(NvmeWatchTest, GivesUpWhatWasInAQueueThatIsDeleted) {
  ring(2, 10);
  fetch(0, nvme::io::read, 0);
  queue_command(nvme::admin::delete_sq, 1, 0, 0, 0x101);
  EXPECT_TRUE(heard.given_up.empty()) << "refused";
  queue_command(nvme::admin::delete_sq, 1, 0, 0, 0);
  EXPECT_THAT(heard.given_up, ElementsAre(10, 10));
}

TEST_F(NvmeWatchTest, KnowsRequestsOfShadowDoorbellsFromTheirFetch) {
  queue_command(0x7C, 0, 0x3000, 0, 0);
  fetch(0, nvme::io::read, 3, 0, 1, 70);
  entry(kCq, 1, 3, 0, 90);
  ring(1, 80); // old, or for an entry that will be fetched yet
  EXPECT_THAT(heard.rung, ElementsAre(70));
  ASSERT_EQ(heard.finished.size(), 1u);
}

TEST_F(NvmeWatchTest, CountsNoQueueThatTheDriveRefusesToCreate) {
  queue_command(nvme::admin::create_sq, 2, 0x60000, 3, 0x101);
  watch.register_write(nvme::bar::doorbells + 16, 1, 10);
  EXPECT_TRUE(heard.rung.empty());
}

} // namespace
} // namespace twinplane::test::nvme_watch_test
