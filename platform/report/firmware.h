// What a run says of its firmware where that is an image: instructions, interrupts, and where its time went.
// Over HostSummary::measured_ns unless something else is said.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "firmware/hal/work_mark.h"
#include "platform/report/latency_histogram.h"

namespace twinplane::platform {

/// By fw::WorkFor; names of summary.json, and roots of the folded file.
constexpr const char* kWorkForNames[fw::kWorkFor] = {"turn",  "dispatch", "read",       "write",
                                                     "other", "admin",    "collection", "upkeep"};

struct WorkCost {
  std::uint64_t instructions = 0;
  double cycles = 0;
};

struct FunctionCost {
  std::string name;
  std::uint64_t calls = 0;
  std::array<WorkCost, fw::kWorkFor> own{}; // without what it has called
  double cycles_with_called = 0;
  WorkCost own_total() const;
};

/// A way through the calls, outermost first, and what its last function has cost itself.
struct CallPath {
  std::string names; // parted by semicolons
  std::array<WorkCost, fw::kWorkFor> own{};
};

struct FirmwareProfile {
  std::array<WorkCost, fw::kWorkFor> work{};
  std::vector<FunctionCost> functions; // most expensive first
  std::vector<CallPath> paths;
};

struct FirmwareSummary {
  bool image = false; // false: it is code of this program, and nothing else is set
  std::uint64_t instructions = 0;
  double cycles = 0;
  LatencyHistogram interrupts;           // ps from an interrupt's time until firmware reads the causes
  std::uint64_t instructions_of_run = 0; // all, boot included
  bool profiled = false;                 // report.profile
  FirmwareProfile profile;
};

/// Section `firmware`.
nlohmann::ordered_json firmware_json(const FirmwareSummary& firmware, std::uint64_t requests);
/// A function's name without namespace of the firmware and arguments.
std::string short_name(const std::string& function);

/// The folded file that flame graphs are drawn from: "whom;main;...;function cycles", a line per way.
std::string folded_text(const FirmwareProfile& profile);

} // namespace twinplane::platform
