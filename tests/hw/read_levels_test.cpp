// Is the read level of feature 89h that of one LUN, and does the monitor know it as well as the die does?
#include <gtest/gtest.h>

#include "tests/support/monitor_bench.h"

namespace twinplane::test::read_levels_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr Place kFirst{0, 0, 0, 0};  // of LUN 0
constexpr Place kSecond{1, 0, 0, 0}; // of LUN 1

hw::NandConfig part() {
  hw::NandConfig c = small_part();
  c.array.tR_level = {us(11), us(22), us(33), us(44), us(55), us(66), us(77)};
  return c;
}

class ReadLevels : public ::testing::Test {
 protected:
  ReadLevels() : flash(part()) {}

  FlashBench& bench() { return flash.bench; }
  void send() {
    bench().now = bench().send(bench().now);
    bench().cycles.clear();
  }
  void wait() { bench().now = std::max(bench().now, bench().ready()); }
  /// D5h (or EFh) with a feature, until its LUN is ready.
  void set(std::uint8_t lun, std::uint8_t value, std::uint8_t feature = 0x89) {
    std::uint8_t parameters[8] = {value, value};
    bench().cycles.clear().command(0xD5).short_address(lun, 2);
    bench().cycles.tenure().phases[1].address[1] = feature;
    bench().cycles.bytes(PhaseKind::data_in, parameters, 8);
    send();
    wait();
  }
  void set_target(std::uint8_t value) {
    std::uint8_t parameters[8] = {value, value};
    bench().cycles.clear().command(0xEF).short_address(0x89).bytes(PhaseKind::data_in, parameters, 8);
    send();
    wait();
  }
  std::uint8_t get(std::uint8_t lun) {
    std::uint8_t out[8] = {};
    bench().cycles.clear().command(0xD4).short_address(lun, 2);
    bench().cycles.tenure().phases[1].address[1] = 0x89;
    send();
    wait();
    bench().cycles.clear().bytes(PhaseKind::data_out, out, 8);
    send();
    return out[0];
  }
  /// How long the array reads.
  TimePs read_time(const Place& p) {
    bench().read(p);
    return bench().arrays.back().end - bench().arrays.back().start;
  }
  void erase_and_go_on(const Place& p) {
    bench().cycles.clear().command(0x60).row_address(bench().row(p)).command(0xD0);
    send();
  }
  std::string found() const { return flash.findings.text(); }

  WatchedFlash flash;
};

TEST_F(ReadLevels, AreThoseOfOneLunWhileAnotherWorks) {
  erase_and_go_on(kSecond);
  set(0, 2);
  EXPECT_EQ(read_time(kFirst), us(22));
  set(0, 7);
  EXPECT_EQ(read_time(kFirst), us(77));
  set(0, 0);
  EXPECT_EQ(read_time(kFirst), us(60));
  EXPECT_EQ(bench().all_violations(), 0u);
  EXPECT_EQ(found(), "");
}

TEST_F(ReadLevels, LeaveTheOtherLunAlone) {
  set(1, 3);
  EXPECT_EQ(read_time(kFirst), us(60));
  EXPECT_EQ(read_time(kSecond), us(33));
  EXPECT_EQ(get(0), 0u);
  EXPECT_EQ(get(1), 3u);
  set_target(5);
  EXPECT_EQ(read_time(kFirst), us(55));
  EXPECT_EQ(read_time(kSecond), us(55));
  EXPECT_EQ(found(), "");
}

TEST_F(ReadLevels, EndWithAResetOfTheirLun) {
  set_target(4);
  bench().cycles.clear().command(0xFA).row_address(bench().row(kSecond));
  send();
  wait();
  EXPECT_EQ(read_time(kSecond), us(60));
  EXPECT_EQ(read_time(kFirst), us(44));
  bench().cycles.clear().command(0xFC);
  send();
  wait();
  EXPECT_EQ(read_time(kFirst), us(60));
  EXPECT_EQ(get(0), 0u);
  EXPECT_EQ(found(), "");
}

TEST_F(ReadLevels, AreCountedByPageTypeAndLevel) {
  for (std::uint32_t page = 0; page < 3; ++page) bench().program({0, 0, 0, page});
  set(0, 2);
  bench().read({0, 0, 0, 2}); // CSB
  bench().read({0, 0, 0, 0});
  set(0, 1);
  bench().read({0, 0, 0, 2});
  const auto& reads = bench().package().statistics().level_reads;
  EXPECT_EQ(reads[1][1], 1u);
  EXPECT_EQ(reads[0][1], 1u);
  EXPECT_EQ(reads[1][0], 1u);
  EXPECT_EQ(reads[0][0], 0u);
}

TEST_F(ReadLevels, AreRefusedBeyondThePartsOwn) {
  set(0, 8);
  EXPECT_EQ(bench().violations(Rule::bad_address), 1u);
  EXPECT_EQ(read_time(kFirst), us(60));
  EXPECT_EQ(found(), "bad_address");
}

TEST_F(ReadLevels, AreRefusedWhileTheLunWorks) {
  erase_and_go_on(kFirst);
  set(0, 1);
  EXPECT_EQ(bench().violations(Rule::busy), 1u);
  EXPECT_NE(found().find("busy"), std::string::npos);
  EXPECT_EQ(found().find("disagreement"), std::string::npos);
}

TEST_F(ReadLevels, LeaveTheInterfaceToTheTarget) {
  set(0, 1, 0x01);
  EXPECT_EQ(bench().violations(Rule::bad_address), 1u);
  EXPECT_EQ(found(), "bad_address");
}

TEST_F(ReadLevels, AreRefusedForALunThatIsNotThere) {
  set(2, 1);
  EXPECT_EQ(bench().violations(Rule::bad_address), 1u);
  EXPECT_EQ(found(), "bad_address");
}

} // namespace
} // namespace twinplane::test::read_levels_test
