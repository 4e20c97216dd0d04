// What is wrong with a run that has reached its end.
#include <csignal>
#include <cstdio>
#include <string>

#include "platform/session/run.h"
#include "platform/session/simulation.h"

namespace twinplane::platform {
namespace {

/// Blocks have failed, in this power cycle or in an earlier one: nand.fail, wear. Factory-bad ones do not
/// count, capacity has been taken off for them.
bool worn(const Summary& s) {
  for (const PowerCycleSummary& cycle : s.power_cycles) {
    if (cycle.blocks_failed) return true;
  }
  return s.nand.failed_programs != 0 || s.nand.failed_erases != 0;
}

/// Faults of the cells, which excuse requests that failed: the keys of nand.fail, wear, and
/// pages with more wrong bits than ECC corrects. What has been lost in a power cycle before stays so. Pages
/// that a cut has taken, where that was to be expected, are lost as well.
bool cells_have_failed(const Summary& s) {
  for (const PowerCycleSummary& cycle : s.power_cycles) {
    if (cycle.cells_failed || (!cycle.pages_kept && cycle.recovery.pages_taken != 0)) return true;
  }
  return worn(s) || s.nand.retry_reads != 0 || s.nand.lost_reads != 0 || s.reliability.uncorrectable != 0;
}

void say(const std::string& text) {
  std::fprintf(stderr, "twinplane: %s\n", text.c_str());
}

/// Flash commands that the dies or the monitors have found wrong.
int flash_verdict(const Summary& summary) {
  int status = 0;
  if (summary.nand.violations.total() != 0) {
    say(std::to_string(summary.nand.violations.total()) + " flash commands were refused by the dies");
    status = 1;
  }
  if (summary.nand.violations.monitor && summary.nand.violations.monitor->total() != 0) {
    say("the protocol monitors have " + std::to_string(summary.nand.violations.monitor->total()) +
        " findings");
    status = 1;
  }
  return status;
}

/// A drive ends its life when blocks have failed; pages that cannot be read take no space from it.
int life_verdict(const Summary& summary) {
  if (!summary.ftl.counters.read_only || worn(summary)) return 0;
  say("the drive has become read-only, though no program and no erase has failed");
  return 1;
}

int account_verdict(const Summary& summary) {
  int status = 0;
  for (const Account& a : summary.accounts) {
    if (a.one_side == a.other_side) continue;
    say("accounts differ: " + a.what + ": " + std::to_string(a.one_side) + " and " +
        std::to_string(a.other_side));
    status = 1;
  }
  return status;
}

int panic_verdict(const Summary& summary) {
  say(summary.panic + "; the results end there"); // much was under way: no account can be closed
  return kPanicked;
}

} // namespace

int verdict(const Simulation& simulation, const Summary& summary) {
  int status = life_verdict(summary);
  if (summary.workload.failed != 0) {
    const bool excused = cells_have_failed(summary);
    std::fprintf(stderr, "twinplane: %llu requests ended with an error status%s%s\n",
                 static_cast<unsigned long long>(summary.workload.failed),
                 summary.ftl.counters.read_only ? "; the drive has become read-only" : "",
                 excused ? "" : ", though no cell has failed");
    if (!excused) status = 1;
  }
  if (summary.host.verify_mismatches != 0) {
    say(std::to_string(summary.host.verify_mismatches) + " sectors read back wrong:");
    for (const std::string& report : simulation.mismatch_reports())
      std::fprintf(stderr, "  %s\n", report.c_str());
    status = 1;
  }
  status |= flash_verdict(summary);
  if (const std::string late = simulation.late_shutdown(); !late.empty() && !cells_have_failed(summary)) {
    say(late + ", though no cell has failed");
    status = 1;
  }
  if (!summary.panic.empty()) return panic_verdict(summary);
  if (!summary.power_cycles.empty()) {
    const PowerCycleSummary& cycle = summary.power_cycles.back();
    if (cycle.sectors_unreadable != 0 && !cells_have_failed(summary)) {
      say(std::to_string(cycle.sectors_unreadable) +
          " sectors cannot be read after the power cut, though no cell has failed");
      status = 1;
    }
    if (cycle.cut) return status; // much was under way: no account can be closed
  }
  return status | account_verdict(summary);
}

int verdict_on_drive(const Summary& summary) {
  const int status = flash_verdict(summary) | life_verdict(summary);
  if (!summary.panic.empty()) return panic_verdict(summary);
  return status | account_verdict(summary);
}

} // namespace twinplane::platform
