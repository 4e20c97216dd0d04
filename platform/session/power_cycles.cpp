#include "platform/session/power_cycles.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

#include "platform/config/error.h"
#include "platform/host/interruption.h"
#include "platform/session/power_cut_plan.h"

namespace twinplane::platform {
namespace {

/// A folder that lives as long as this.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "twinplane-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw InputError(name + ": cannot be made: " + std::strerror(errno));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// What a power cycle tells the process that has started it.
struct Told {
  int status = 1;
  PowerCycle::End end;
  char error[2048] = ""; // an InputError, for its process cannot show it to the user as ours does
};

/// False when the child ends without telling. A signal that comes meanwhile is passed on, once: the child ends in
/// order, and tells.
bool hear(int from, pid_t child, Told& told) {
  constexpr int kLookMs = 100;
  for (bool passed_on = Interruption::signal() != 0;;) { // a child that began behind it knows
    pollfd waiting{from, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kLookMs);
    if (const int signal = Interruption::signal(); signal != 0 && !std::exchange(passed_on, true))
      ::kill(child, signal);
    if (ready > 0) return ::read(from, &told, sizeof told) == static_cast<ssize_t>(sizeof told);
  }
}

/// Calls `run_power_cycle` in a process of its own, so that the next simulation finds this one as it is. Signals of
/// a terminal come to it by way of its parent alone.
Told in_child(const std::function<void(Told&)>& run_power_cycle) {
  int ends[2];
  std::fflush(nullptr);
  if (::pipe(ends) != 0) throw InputError(std::string("no pipe: ") + std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) throw InputError(std::string("no process for a power cycle: ") + std::strerror(errno));
  if (child == 0) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL); // it works for its parent alone
    (void)::setpgid(0, 0);
    std::signal(SIGTTOU, SIG_IGN); // it may write to the terminal all the same
    Told told;
    try {
      run_power_cycle(told);
    } catch (const std::exception& error) {
      std::snprintf(told.error, sizeof told.error, "%s", error.what());
    }
    std::fflush(nullptr);
    const bool sent = ::write(ends[1], &told, sizeof told) == static_cast<ssize_t>(sizeof told);
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  Told told;
  const bool heard = hear(ends[0], child, told);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!heard) throw InputError("a power cycle has ended without an answer");
  if (told.error[0] != '\0') throw InputError(told.error);
  return told;
}

/// The longest that an operation of the array takes.
TimePs longest_operation(const Config& config) {
  TimePs longest = config.nand.tBERS;
  for (const TimePs t : config.nand.tPROG.at) longest = std::max(longest, t);
  return std::max<TimePs>(longest, 1);
}

class PowerCycles {
 public:
  PowerCycles(const RunOptions& options, PowerCycleFunction run_power_cycle, BlockFactory& factory)
      : options_(options), run_power_cycle_(run_power_cycle), factory_(factory) {}

  /// Status of a power cycle that ends with this cut.
  int run(const PlannedCut& cut) {
    PowerCycle cycle;
    cycle.from = from_;
    cycle.to = scratch_.file("power_cycle_" + std::to_string(++count_));
    cycle.cut_at = time_of(cut);
    if (Interruption::signal() != 0) return interrupted_before(count_);
    RunOptions options = options_;
    options.save_state = count_ == 1 ? options_.save_state : "";
    options.save_end.clear();
    if (!options.out.empty()) options.out /= "power_cycle_" + std::to_string(count_);
    const Told told = in_child([&](Told& t) { t.status = run_power_cycle_(options, cycle, factory_); });
    if (!from_.empty()) std::filesystem::remove(from_);
    from_ = cycle.to;
    if (told.status == 0 && Interruption::signal() != 0) return interrupted_before(count_ + 1);
    return told.status;
  }
  int run_last() {
    PowerCycle cycle;
    cycle.from = from_;
    return run_power_cycle_(options_, cycle, factory_);
  }

 private:
  static int interrupted_before(std::uint32_t power_cycle) {
    return interrupted(" before power cycle " + std::to_string(power_cycle) +
                       " of the run; there are no results of it, nor of the whole run");
  }
  /// A power cycle to the request says when it finishes: the same power cycle again is the same up to there.
  TimePs time_of(const PlannedCut& cut) {
    if (cut.request == 0) return cut.later;
    const Told told = in_child([&](Told& t) {
      PowerCycle cycle;
      cycle.from = from_;
      cycle.end_at = cut.request;
      cycle.ended = &t.end;
      RunOptions options = options_;
      options.out.clear();
      options.save_state.clear();
      options.save_end.clear();
      t.status = run_power_cycle_(options, cycle, factory_);
    });
    if (Interruption::signal() != 0) return kNever;
    if (told.status != 0) throw InputError("--power-cut: the run has failed before the cut");
    if (told.end.requests < cut.request && cut.must_come) {
      throw InputError("--power-cut request:" + std::to_string(cut.request) +
                       ": the workload has ended before, with " + std::to_string(told.end.requests));
    }
    return told.end.at + cut.later;
  }

  const RunOptions& options_;
  PowerCycleFunction run_power_cycle_;
  BlockFactory& factory_;
  ScratchFolder scratch_;
  std::string from_;
  std::uint32_t count_ = 0;
};

} // namespace

int run_power_cycles(const RunOptions& options, std::uint64_t requests, PowerCycleFunction run_power_cycle,
                     BlockFactory& factory) {
  const PowerCutPlan plan = PowerCutPlan::parse(options.power_cut);
  auto cuts = plan_cuts(plan, requests, longest_operation(options.config), options.config.run.seed);
  if (options.config.data == DataMode::none)
    std::fprintf(
        stderr,
        "warning: --power-cut with data.mode = \"none\": no sector is compared, so none is found lost; "
        "expected \"tag\" or \"full\"\n");
  const Interruption interruption;
  const bool preconditioned = options.config.precondition.mode != PreconditionMode::none;
  if (plan.random != 0 && preconditioned) spare_first_boot(cuts);
  PowerCycles cycles(options, run_power_cycle, factory);
  for (const PlannedCut& cut : cuts) {
    if (const int status = cycles.run(cut)) return status;
  }
  return cycles.run_last();
}

} // namespace twinplane::platform
