// When the supply fails, as --power-cut says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

/// One of three forms:
///   TIME       a simulated time with its unit, "12ms": so long after power-on
///   request:N  when N requests of the workload have finished, N > 0
///   random:K   K > 0 times, at random moments of the workload (run.seed)
struct PowerCutPlan {
  TimePs at = 0;             // TIME
  std::uint64_t request = 0; // request:N
  std::uint32_t random = 0;  // random:K

  /// Throws InputError for anything else.
  static PowerCutPlan parse(const std::string& text);
};

/// One cut: when so many requests of the workload have finished, and this much later. Without requests, so
/// long after power-on.
struct PlannedCut {
  std::uint64_t request = 0;
  TimePs later = 0;
  /// A workload that ends before is an error; else the cut comes behind its end, for requests that were
  /// under way at a cut before never finish.
  bool must_come = false;
};

/// In the order of the requests. `requests` of the whole workload, 0 where that is not known; `longest` that
/// an operation of the flash may take: random cuts come so much later at most. Throws InputError when random
/// cuts are wanted of a workload without an end.
std::vector<PlannedCut> plan_cuts(const PowerCutPlan& plan, std::uint64_t requests, TimePs longest,
                                  std::uint64_t seed);
/// The first power cycle of a drive that is preconditioned behind its boot cannot be cut in it: a random cut
/// that would come before the first request has finished comes behind it.
void spare_first_boot(std::vector<PlannedCut>& cuts);

} // namespace twinplane::platform
