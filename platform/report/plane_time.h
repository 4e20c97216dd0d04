// Where the time of every plane went: docs/plane_time.md defines the causes and which wins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

enum class PlaneCause : std::uint8_t {
  read_host,
  read_gc,
  read_other,
  program_host,
  program_gc,
  program_other,
  erase_gc,
  erase_other,
  reset,
  suspended,
  transfer,
  held_pac,
  held_bac,
  held_kind,
  held_late,
  held_policy,
  power,
  bus,
  dma,
  core,
  ecc,
  dependency,
  space,
  page_buffers,
  imbalance,
  joint,
  no_work
};
constexpr std::size_t kPlaneCauses = 27;
/// As in summary.json.
constexpr std::array<const char*, kPlaneCauses> kPlaneCauseNames{
    "read_host",   "read_gc",     "read_other",   "program_host", "program_gc", "program_other", "erase_gc",
    "erase_other", "reset",       "suspended",    "transfer",     "held_pac",   "held_bac",      "held_kind",
    "held_late",   "held_policy", "power",        "bus",          "dma",        "core",          "ecc",
    "dependency",  "space",       "page_buffers", "imbalance",    "joint",      "no_work"};

/// Picoseconds by cause.
using PlaneTimes = std::array<std::uint64_t, kPlaneCauses>;

std::uint64_t sum_of(const PlaneTimes& times);

struct PlaneTimeSummary {
  bool kept = false;          // report.plane_time
  std::uint64_t total_ps = 0; // planes x measured time
  PlaneTimes causes{};
  std::vector<PlaneTimes> dies;
};

} // namespace twinplane::platform
