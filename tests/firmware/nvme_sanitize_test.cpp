// Sanitize: what it erases, what it restricts while it goes on and when it has failed, and what of it
// outlasts resets and power cuts (NVMe 1.4 sections 5.24, 8.15).
#include <gtest/gtest.h>

#include <cstring>

#include "firmware/nvme/sanitize.h"
#include "tests/support/nvme_bench.h"

namespace twinplane::test::nvme_sanitize_test {
namespace {

using namespace nvme::status;

constexpr std::uint32_t kExitFailure = 1, kBlockErase = 2, kUnrestricted = 8;
constexpr std::uint32_t kNever = 0, kCompleted = 1, kInProgress = 2, kFailed = 3, kNothingWritten = 0x100;

class NvmeSanitize : public testing::Test {
 protected:
  NvmeSanitize() { bench.enable(); }

  Completion sanitize(std::uint32_t cdw10) { return bench.admin(sqe(nvme::admin::sanitize, 0, cdw10)); }
  /// Neither waits for anything nor is answered yet.
  void begin(std::uint16_t cid = 77) {
    bench.storage.deferred = true;
    auto entry = sqe(nvme::admin::sanitize, 0, kBlockErase);
    entry.cid = cid;
    bench.front.fetch(0, entry);
    bench.run();
  }
  bool finish_one() {
    const bool any = bench.storage.finish_one();
    bench.run();
    return any;
  }
  int log_status(std::uint32_t id) {
    return bench
        .admin(sqe(nvme::admin::get_log_page, 0xFFFFFFFF, id | (512 / 4 - 1) << 16),
               std::vector<std::uint8_t>(512))
        .status;
  }
  std::uint32_t field(std::size_t offset, std::size_t bytes) {
    EXPECT_EQ(log_status(0x81), success);
    std::uint32_t value = 0;
    std::memcpy(&value, bench.data().data() + offset, bytes);
    return value;
  }
  std::uint32_t state() { return field(2, 2) & 7; }
  int write(std::uint64_t lba) {
    return bench.io(transfer(nvme::io::write, lba, 1), std::vector<std::uint8_t>(16, 0x77)).status;
  }
  int read(std::uint64_t lba) {
    return bench.io(transfer(nvme::io::read, lba, 1), std::vector<std::uint8_t>(16)).status;
  }

  NvmeBench bench{NvmeBench::default_config(), NvmeFrontEnd::kSlots, true};
};

TEST_F(NvmeSanitize, IsOfferedByDrivesThatKeepTheirTablesAlone) {
  NvmeBench other;
  other.enable();
  EXPECT_EQ(other.admin(sqe(nvme::admin::sanitize, 0, kBlockErase)).status, invalid_opcode);
  EXPECT_EQ(
      other
          .admin(sqe(nvme::admin::get_log_page, 0xFFFFFFFF, 0x81 | 127 << 16), std::vector<std::uint8_t>(512))
          .status,
      log_page);
  for (NvmeBench* b : {&bench, &other}) {
    EXPECT_EQ(b->admin(sqe(nvme::admin::identify, 0, 1), std::vector<std::uint8_t>(4096)).status, success);
    std::uint32_t sanicap = 0;
    std::memcpy(&sanicap, b->data().data() + 328, 4);
    EXPECT_EQ(sanicap, b == &bench ? 0x6000'0002u : 0u);
    const auto effects = sqe(nvme::admin::get_log_page, 0xFFFFFFFF, 5 | 1023 << 16);
    EXPECT_EQ(b->admin(effects, std::vector<std::uint8_t>(4096)).status, success);
    EXPECT_EQ(b->data()[nvme::admin::sanitize * 4] & 1, b == &bench ? 1 : 0);
  }
}

TEST_F(NvmeSanitize, ErasesEverythingAndTellsTheHost) {
  bench.begin(0, sqe(nvme::admin::async_event));
  bench.run();
  EXPECT_EQ(field(2, 2), kNever | kNothingWritten);
  write(5);
  EXPECT_EQ(field(2, 2), kNever);
  bench.storage.log.clear();
  EXPECT_EQ(sanitize(kBlockErase).status, success);
  std::vector<fw::RequestKind> kinds;
  for (const fw::Request& r : bench.storage.log) kinds.push_back(r.kind);
  using Kind = fw::RequestKind;
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::commit, Kind::trim, Kind::commit, Kind::purge, Kind::commit}));
  EXPECT_EQ(bench.storage.records_changed, 2u);
  const Completion event = bench.take();
  EXPECT_EQ(event.result, 6u | 1u << 8 | 0x81u << 16);
  EXPECT_EQ(field(0, 2), 0xFFFFu);
  EXPECT_EQ(field(2, 2), kCompleted | kNothingWritten);
  EXPECT_EQ(field(4, 4), kBlockErase);
  EXPECT_EQ(field(12, 4), 0xFFFFFFFFu) << "no estimate";
  EXPECT_EQ(*bench.storage.sector(5), 0);
  EXPECT_EQ(write(5), success);
  EXPECT_EQ(field(2, 2), kCompleted);
}

TEST_F(NvmeSanitize, IsAnsweredWhenItsBeginningIsDurableAndRestrictsUntilItsEndIs) {
  begin();
  EXPECT_TRUE(bench.front.completions.empty()) << "a power cut might undo it";
  ASSERT_TRUE(finish_one()); // the record
  EXPECT_EQ(bench.take().cid, 77u);
  EXPECT_EQ(state(), kInProgress);
  EXPECT_EQ(field(0, 2), 0u) << "nothing is erased yet";
  for (const std::uint8_t opcode : {nvme::io::write, nvme::io::read, nvme::io::compare,
                                    nvme::io::write_zeroes, nvme::io::write_uncorrectable, nvme::io::verify})
    EXPECT_EQ(bench.io(transfer(opcode, 0, 1), std::vector<std::uint8_t>(16)).status, sanitize_in_progress);
  EXPECT_EQ(bench.io(sqe(nvme::io::flush, 1)).status, sanitize_in_progress);
  EXPECT_EQ(bench.io(sqe(nvme::io::dataset_management, 1, 0, 4)).status, sanitize_in_progress);
  EXPECT_EQ(sanitize(kBlockErase).status, sanitize_in_progress);
  EXPECT_EQ(sanitize(kExitFailure).status, sanitize_in_progress);
  EXPECT_EQ(bench.admin(sqe(nvme::admin::format, 1)).status, sanitize_in_progress);
  EXPECT_EQ(bench.admin(sqe(nvme::admin::self_test, 1, 1)).status, sanitize_in_progress);
  for (const std::uint32_t id : {1u, 2u, 4u, 0x81u}) EXPECT_EQ(log_status(id), success) << id;
  for (const std::uint32_t id : {3u, 5u, 6u, 7u, 8u, 0xC0u})
    EXPECT_EQ(log_status(id), sanitize_in_progress) << id;
  EXPECT_EQ(bench.admin(sqe(nvme::admin::identify, 0, 1), std::vector<std::uint8_t>(4096)).status, success);
  EXPECT_EQ(bench.admin(sqe(nvme::admin::get_features, 0, 1)).status, success);
  finish_one(); // trim
  finish_one(); // commit
  EXPECT_EQ(field(0, 2), 0x4000u) << "of the backend";
  finish_one(); // purge
  EXPECT_EQ(state(), kCompleted);
  while (finish_one()) {
  }
  bench.storage.deferred = false;
  EXPECT_EQ(read(0), success);
}

TEST_F(NvmeSanitize, GoesOnOverAReset) {
  begin();
  finish_one();
  bench.take();
  bench.front.raise_event(reg::host_event::disabled);
  bench.run();
  EXPECT_EQ(bench.front.controls.back(), reg::host_control::clear_ready) << "a reset does not wait for it";
  bench.storage.deferred = false;
  bench.enable();
  EXPECT_EQ(state(), kInProgress);
  EXPECT_EQ(read(0), sanitize_in_progress);
  while (finish_one()) {
  }
  EXPECT_EQ(state(), kCompleted);
  EXPECT_EQ(read(0), success);
}

TEST_F(NvmeSanitize, AResetDropsTheCommandThatIsNotAnsweredYet) {
  begin();
  bench.front.raise_event(reg::host_event::disabled);
  bench.run();
  EXPECT_TRUE(bench.take().released);
  EXPECT_EQ(bench.front.controls.back(), reg::host_control::clear_ready);
  bench.storage.deferred = false;
  while (finish_one()) {
  }
  bench.enable();
  EXPECT_EQ(state(), kCompleted);
}

TEST_F(NvmeSanitize, GoesOnBehindAPowerCut) {
  begin();
  finish_one();
  const fw::DriveRecord kept = bench.controller.health();
  NvmeBench next(NvmeBench::default_config(), NvmeFrontEnd::kSlots, true);
  *next.storage.sector(9) = 0x55;
  *next.controller.record() = kept;
  next.storage.deferred = true;
  next.controller.on_recovered();
  next.storage.deferred = false;
  next.enable();
  EXPECT_EQ(next.io(transfer(nvme::io::read, 9, 1), std::vector<std::uint8_t>(16)).status,
            sanitize_in_progress);
  while (next.storage.finish_one()) next.run();
  EXPECT_EQ(next.io(transfer(nvme::io::read, 9, 1), std::vector<std::uint8_t>(16)).status, success);
  EXPECT_EQ(*next.storage.sector(9), 0);
}

TEST_F(NvmeSanitize, RefusesWhatTheDriveDoesNotHave) {
  for (const std::uint32_t cdw10 : {0u, 3u, 4u, 5u, 6u, 7u, kBlockErase | 1u << 9})
    EXPECT_EQ(sanitize(cdw10).status, invalid_field) << cdw10;
  EXPECT_EQ(sanitize(kExitFailure).status, success) << "there is none";
  EXPECT_EQ(state(), kNever);
  EXPECT_TRUE(bench.storage.log.empty());
  bench.storage.deferred = true;
  bench.begin(0, sqe(nvme::admin::format, 1, 0));
  bench.run();
  EXPECT_EQ(sanitize(kBlockErase).status, format_in_progress);
}

TEST_F(NvmeSanitize, AFailureRestrictsUntilItIsRecoveredFrom) {
  for (const bool unrestricted : {false, true}) {
    begin();
    finish_one();
    bench.take();
    bench.storage.deferred = false;
    while (finish_one()) {
    }
    ASSERT_EQ(state(), kCompleted);
    bench.storage.fail = fw::RequestKind::purge;
    EXPECT_EQ(sanitize(kBlockErase | (unrestricted ? kUnrestricted : 0)).status, success);
    bench.storage.fail.reset();
    EXPECT_EQ(state(), kFailed);
    EXPECT_EQ(read(0), sanitize_failed);
    EXPECT_EQ(bench.admin(sqe(nvme::admin::format, 1)).status, sanitize_failed);
    EXPECT_EQ(log_status(2), success);
    EXPECT_EQ(log_status(6), sanitize_failed);
    bench.front.raise_event(reg::host_event::disabled);
    bench.run();
    bench.enable();
    EXPECT_EQ(read(0), sanitize_failed) << "behind a reset";
    EXPECT_EQ(sanitize(7).status, invalid_field);
    if (unrestricted) {
      EXPECT_EQ(sanitize(kExitFailure).status, success);
      EXPECT_EQ(state(), kFailed) << "it was the last one";
      EXPECT_EQ(read(0), success);
      continue;
    }
    EXPECT_EQ(sanitize(kExitFailure).status, sanitize_failed);
    EXPECT_EQ(sanitize(kBlockErase | kUnrestricted).status, sanitize_failed);
    EXPECT_EQ(sanitize(kBlockErase).status, success);
    EXPECT_EQ(state(), kCompleted);
    EXPECT_EQ(read(0), success);
  }
}

TEST_F(NvmeSanitize, EndsASelfTestAndTheComparesThatWait) {
  bench.storage.deferred = true;
  bench.admin(sqe(nvme::admin::self_test, 1, 2));
  bench.begin(1, transfer(nvme::io::compare, 0, 1), std::vector<std::uint8_t>(16));
  bench.begin(1, transfer(nvme::io::compare, 1, 1), std::vector<std::uint8_t>(16));
  bench.run();
  begin(5);
  EXPECT_EQ(bench.take().status, sanitize_in_progress) << "the second one";
  while (finish_one()) {
  }
  bench.storage.deferred = false;
  EXPECT_EQ(log_status(6), success);
  EXPECT_EQ(bench.data()[4], 0x29) << "extended test, ended by a sanitize operation";
}

} // namespace
} // namespace twinplane::test::nvme_sanitize_test
