#include "platform/report/firmware.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "platform/report/summary.h"

namespace twinplane::platform {

WorkCost FunctionCost::own_total() const {
  WorkCost sum;
  for (const WorkCost& c : own) {
    sum.instructions += c.instructions;
    sum.cycles += c.cycles;
  }
  return sum;
}

std::string short_name(const std::string& function) {
  std::string name = function;
  for (const char* scope : {"twinplane::fw::", "(anonymous namespace)::"}) {
    for (std::size_t at; (at = name.find(scope)) != std::string::npos;) name.erase(at, std::strlen(scope));
  }
  const std::size_t arguments = name.find('(', 1);
  if (arguments != std::string::npos) name.resize(arguments);
  // a template's function begins with what it returns
  const std::size_t type = name.substr(0, name.find('<')).rfind(' ');
  return type == std::string::npos ? name : name.substr(type + 1);
}

namespace {

constexpr std::size_t kFunctionsInReport = 20;

Json cost_json(const WorkCost& cost, double all_cycles) {
  return Json{{"instructions", cost.instructions},
              {"cycles", cost.cycles},
              {"share", all_cycles > 0 ? Json(cost.cycles / all_cycles) : Json(nullptr)}};
}

Json profile_json(const FirmwareProfile& profile, double all_cycles) {
  Json work = Json::object();
  for (std::size_t w = 0; w < fw::kWorkFor; ++w)
    work[kWorkForNames[w]] = cost_json(profile.work[w], all_cycles);
  Json functions = Json::array();
  for (std::size_t f = 0; f < std::min(profile.functions.size(), kFunctionsInReport); ++f) {
    const FunctionCost& function = profile.functions[f];
    Json one{{"name", function.name}, {"calls", function.calls}};
    one.update(cost_json(function.own_total(), all_cycles));
    one["cycles_with_called"] = function.cycles_with_called;
    functions.push_back(one);
  }
  return Json{{"work", work}, {"functions", functions}};
}

Json latencies_json(const LatencyHistogram& interrupts) {
  const LatencyNs l = latency_ns(interrupts);
  if (l.count == 0) return nullptr;
  return Json{{"mean", l.mean}, {"min", l.min}, {"max", l.max},     {"p50", l.p50},
              {"p90", l.p90},   {"p99", l.p99}, {"p99_9", l.p99_9}, {"p99_99", l.p99_99}};
}

} // namespace

Json firmware_json(const FirmwareSummary& f, std::uint64_t requests) {
  const auto each = [requests](double of) {
    return requests == 0 ? Json(nullptr) : Json(of / static_cast<double>(requests));
  };
  return Json{{"instructions", f.instructions},
              {"cycles", f.cycles},
              {"instructions_per_request", each(static_cast<double>(f.instructions))},
              {"instructions_of_run", f.instructions_of_run},
              {"interrupts", f.interrupts.count()},
              {"interrupt_latency_ns", latencies_json(f.interrupts)},
              {"profile", f.profiled ? profile_json(f.profile, f.cycles) : Json(nullptr)}};
}

std::string folded_text(const FirmwareProfile& profile) {
  std::string out;
  for (std::size_t whom = 0; whom < fw::kWorkFor; ++whom) {
    for (const CallPath& path : profile.paths) {
      const long long cycles = std::llround(path.own[whom].cycles);
      if (cycles == 0) continue;
      out.append(kWorkForNames[whom]).append(";").append(path.names).append(" ");
      out += std::to_string(cycles) + "\n";
    }
  }
  return out;
}

} // namespace twinplane::platform
