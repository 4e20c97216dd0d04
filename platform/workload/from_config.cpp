#include "platform/workload/from_config.h"

#include <string>
#include <string_view>

#include "platform/config/error.h"
#include "platform/config/registry.h"
#include "platform/workload/workload.h"

namespace twinplane::platform {

namespace {

/// What a parser of fio's words complains about, "bssplit: ...", by its whole key.
std::string with_key(std::string text) {
  constexpr std::string_view kPrefix = "workload: ";
  if (text.compare(0, kPrefix.size(), kPrefix) == 0) text.erase(0, kPrefix.size());
  const std::string key = "workload." + text.substr(0, text.find(':'));
  return find_parameter(key) == nullptr ? text : "workload." + text;
}

} // namespace

WorkloadSpec to_workload_spec(const Config& config, std::uint64_t exported_bytes) {
  const WorkloadKeys& w = config.workload;
  WorkloadSpec spec;
  try {
    spec.rw = parse_access_pattern(w.rw);
    spec.random_distribution = parse_distribution(w.random_distribution);
    parse_block_sizes(std::to_string(w.bs), w.bssplit, spec);
  } catch (const InputError& error) {
    throw InputError(with_key(error.what()));
  }
  if (w.offset >= exported_bytes || w.size > exported_bytes - w.offset) {
    throw InputError("workload.size: offset " + std::to_string(w.offset) + " + size " +
                     std::to_string(w.size) + " bytes lie beyond the drive's " +
                     std::to_string(exported_bytes));
  }
  spec.rwmixread = w.rwmixread;
  spec.rwmixtrim = w.rwmixtrim;
  spec.percentage_random = w.percentage_random;
  spec.randommap = w.randommap;
  spec.offset = w.offset;
  spec.size = w.size != 0 ? w.size : exported_bytes - w.offset;
  spec.blockalign = w.blockalign;
  spec.number_ios = w.number_ios;
  spec.fsync = w.fsync;
  spec.rate_iops = static_cast<double>(w.rate_iops);
  spec.poisson = w.rate_process == RateProcess::poisson;
  spec.thinktime_ns = w.thinktime / ns(1);
  spec.thinktime_blocks = w.thinktime_blocks;
  spec.seed = w.seed;
  return spec;
}

void require_workload(const LoadedConfig& loaded, std::uint64_t exported_bytes) {
  try {
    make_workload(to_workload_spec(loaded.config, exported_bytes));
  } catch (const InputError& error) {
    const std::string text = with_key(error.what());
    const auto origin = loaded.origins.find(text.substr(0, text.find(':')));
    throw InputError((origin == loaded.origins.end() ? "" : origin->second + ": ") + text);
  }
}

} // namespace twinplane::platform
