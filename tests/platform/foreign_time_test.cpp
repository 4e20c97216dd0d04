// Is the drive's time the platform's time, whatever the kernel's resolution is?
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/guest_host.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::foreign_time_test {
namespace {

/// Writes and reads; all that the drive asked of the host's memory, with its times.
std::vector<GuestHost::Access> accesses_of_a_run() {
  GuestBench b;
  GuestHost& h = b.host;
  TimePs written = 0;
  TimePs read = 0;
  h.script = [&] {
    h.start();
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    EXPECT_EQ(h.write_sector(3, 0x31), 0);
    written = hw::to_ps(sc_core::sc_time_stamp() - begin);
    EXPECT_EQ(h.read_sector(3), 0x31);
    read = hw::to_ps(sc_core::sc_time_stamp() - begin) - written;
  };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(h.up && h.done);
  EXPECT_GT(written, us(200)) << "tPROG";
  EXPECT_LT(written, us(400));
  EXPECT_GT(read, us(50)) << "tR";
  EXPECT_LT(read, us(150));
  return h.accesses;
}

/// The same in a process of its own, at the usual resolution.
std::vector<GuestHost::Access> accesses_at_1_ps() {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const auto seen = accesses_of_a_run();
    std::size_t sent = 0;
    const std::size_t size = seen.size() * sizeof seen[0];
    while (sent < size) {
      const ssize_t n = ::write(ends[1], reinterpret_cast<const char*>(seen.data()) + sent, size - sent);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::vector<GuestHost::Access> seen;
  GuestHost::Access one;
  while (::read(ends[0], &one, sizeof one) == static_cast<ssize_t>(sizeof one)) seen.push_back(one);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return seen;
}

void expect_the_times_of_1_ps(double resolution, sc_core::sc_time_unit unit) {
  const auto expected = accesses_at_1_ps(); // before this process has anything of SystemC
  ASSERT_GT(expected.size(), 10u);
  sc_core::sc_set_time_resolution(resolution, unit);
  EXPECT_TRUE(accesses_of_a_run() == expected);
}

TEST(TimeResolution, AtAFemtosecondEverythingHappensWhenItHappensAtAPicosecond) {
  expect_the_times_of_1_ps(1, sc_core::SC_FS);
}

TEST(TimeResolution, AtAHundredFemtosecondsToo) {
  expect_the_times_of_1_ps(100, sc_core::SC_FS);
}

void expect_a_refusal(double resolution, sc_core::sc_time_unit unit) {
  expect_reports("twinplane.time"); // the default action throws
  sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
  sc_core::sc_set_time_resolution(resolution, unit);
  std::string text;
  try {
    GuestBench b;
  } catch (const sc_core::sc_report& report) {
    text = report.what();
  }
  EXPECT_NE(text.find("sc_set_time_resolution(1, sc_core::SC_PS)"), std::string::npos) << text;
}

TEST(TimeResolution, ANanosecondIsRefusedWithWhatToSet) {
  expect_a_refusal(1, sc_core::SC_NS);
}

TEST(TimeResolution, TenPicosecondsAreRefusedToo) {
  expect_a_refusal(10, sc_core::SC_PS);
}

// A host may live between the drive's picoseconds: nothing may come early, nothing may hang.
TEST(TimeResolution, AHostBetweenTwoPicosecondsIsServed) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  GuestBench b;
  GuestHost& h = b.host;
  h.script = [&] {
    wait(sc_core::sc_time(333, sc_core::SC_FS));
    h.start();
    for (std::uint32_t i = 0; i < 4; ++i) {
      wait(sc_core::sc_time(271, sc_core::SC_FS));
      EXPECT_EQ(h.write_sector(i, static_cast<std::uint8_t>(i + 1)), 0);
    }
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(h.read_sector(i), static_cast<int>(i + 1));
  };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(h.up && h.done);
}

} // namespace
} // namespace twinplane::test::foreign_time_test
