// What does an admin command cost on the core, and does the cost table of host code (cpu.cost.admin) say so?
// The table's other steps follow from loads of scripts/experiments firmware-cost, which have no admin
// commands.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <iostream>

#include "tests/nvme/drive_bench.h"

namespace twinplane::test::admin_cost_test {
namespace {

namespace admin = nvme::admin;

constexpr std::uint32_t kHalfKib = 127u << 16; // words to be read, less one
constexpr int kRounds = 20;

/// What a program that looks after drives asks them.
const struct Asked {
  const char* what;
  std::uint8_t opcode;
  std::uint32_t cdw10;
  std::uint32_t nsid;
} kAsked[] = {
    {"Identify, namespace", admin::identify, 0, 1},
    {"Identify, controller", admin::identify, 1, 0},
    {"Identify, namespaces", admin::identify, 2, 0},
    {"Get Log Page, errors", admin::get_log_page, kHalfKib | 1, ~0u},
    {"Get Log Page, health", admin::get_log_page, kHalfKib | 2, ~0u},
    {"Get Log Page, firmware slots", admin::get_log_page, kHalfKib | 3, ~0u},
    {"Get Features, power management", admin::get_features, 0x02, 0},
    {"Get Features, temperature threshold", admin::get_features, 0x04, 0},
    {"Get Features, number of queues", admin::get_features, 0x07, 0},
    {"Get Features, asynchronous events", admin::get_features, 0x0B, 0},
};
constexpr std::size_t kKinds = sizeof kAsked / sizeof kAsked[0];

/// Cycles of the core for a command of each kind, all that it does for it.
struct Cycles {
  double of[kKinds] = {};
  double mean() const {
    double sum = 0;
    for (const double cycles : of) sum += cycles;
    return sum / kKinds;
  }
};

Cycles ask(const std::string& cpu) {
  DriveBench bench("[cpu]\nclock=\"1GHz\"\n" + cpu);
  bench.start();
  Cycles cycles;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Asked& a = kAsked[kind];
    const auto busy = [&bench] { return static_cast<double>(bench.ssd.core().statistics().busy_ps); };
    const double before = busy();
    for (int round = 0; round < kRounds; ++round)
      EXPECT_EQ(bench.host.execute(0, DriveBench::admin(a.opcode, a.cdw10, 0, a.nsid)), 0) << a.what;
    cycles.of[kind] = (busy() - before) / 1000 / kRounds;
  }
  return cycles;
}

/// In a process of its own: one simulation for each.
Cycles ask_elsewhere(const std::string& cpu) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Cycles cycles = ask(cpu);
    const bool told = write(ends[1], &cycles, sizeof cycles) == sizeof cycles;
    _exit(told && !::testing::Test::HasFailure() ? 0 : 1);
  }
  Cycles cycles;
  EXPECT_EQ(read(ends[0], &cycles, sizeof cycles), static_cast<ssize_t>(sizeof cycles));
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  return cycles;
}

TEST(AdminCost, IsThatOfTheImage) {
  const char* const image = std::getenv("TWINPLANE_IMAGE");
  ASSERT_NE(image, nullptr) << "TWINPLANE_IMAGE: expected the image's file";
  const Cycles by_table = ask_elsewhere("cost.admin = 0\n");
  const Cycles by_default = ask_elsewhere("");
  const Cycles on_core = ask("firmware = \"" + std::string(image) + "\"\n");
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    std::cout << kAsked[kind].what << ": " << std::lround(on_core.of[kind])
              << " cycles, of which the table has " << std::lround(by_table.of[kind])
              << " without cost.admin\n";
    EXPECT_GT(on_core.of[kind], by_table.of[kind]);
  }
  const double follows = on_core.mean() - by_table.mean();
  const double stands = by_default.mean() - by_table.mean();
  std::cout << "cpu.cost.admin: " << std::lround(follows) << " cycles follow from the image, "
            << std::lround(stands) << " is the default\n";
  EXPECT_NEAR(stands / follows, 1, 0.1);
}

} // namespace
} // namespace twinplane::test::admin_cost_test
