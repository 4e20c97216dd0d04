#include "platform/fw_host/image_meter.h"

#include <algorithm>

namespace twinplane::platform {
namespace {

static_assert(fw::kWorkFor <= hw::CallProfile::kLabels);

double cycles(std::uint64_t milli) {
  return static_cast<double>(milli) / hw::CycleCounter::kOneCycle;
}

std::array<WorkCost, fw::kWorkFor> by_work(const hw::CallProfile::CostByLabel& costs) {
  std::array<WorkCost, fw::kWorkFor> work{};
  for (std::size_t w = 0; w < work.size(); ++w)
    work[w] = {costs[w].instructions, cycles(costs[w].milli_cycles)};
  return work;
}

FirmwareProfile to_report(const hw::CallProfile& profile) {
  FirmwareProfile report;
  report.work = by_work(profile.total());
  for (const hw::CallProfile::Function& f : profile.functions()) {
    FunctionCost cost{f.name, f.calls, by_work(f.own), cycles(f.milli_cycles)};
    if (cost.own_total().cycles > 0) report.functions.push_back(cost);
  }
  std::stable_sort(report.functions.begin(), report.functions.end(),
                   [](const FunctionCost& a, const FunctionCost& b) {
                     return a.own_total().cycles > b.own_total().cycles;
                   });
  profile.for_each_way([&](const std::vector<std::string>& names, const hw::CallProfile::CostByLabel& own) {
    CallPath path;
    for (const std::string& name : names) path.names += (path.names.empty() ? "" : ";") + name;
    path.own = by_work(own);
    report.paths.push_back(path);
  });
  return report;
}

} // namespace

void ImageMeter::profile(const hw::ElfImage& image, const hw::CodeRange& code,
                         const std::uint8_t& work_mark) {
  profile_ = std::make_unique<hw::CallProfile>(image, code, work_mark);
}

void ImageMeter::begin() {
  measures_ = true;
  begin_ = now();
  interrupts_.clear();
  if (profile_ != nullptr) profile_->clear();
  go_on();
}

void ImageMeter::end() {
  end_ = now();
  measures_ = false;
  pause();
}

FirmwareSummary ImageMeter::summary() const {
  FirmwareSummary s;
  s.image = true;
  const Count until = measures_ ? now() : end_;
  s.instructions = until.instructions - begin_.instructions;
  s.cycles = cycles(until.milli_cycles - begin_.milli_cycles);
  s.interrupts = interrupts_;
  s.instructions_of_run = counter_.instructions();
  s.profiled = profile_ != nullptr;
  if (s.profiled) s.profile = to_report(*profile_);
  return s;
}

} // namespace twinplane::platform
