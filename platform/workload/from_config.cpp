#include "platform/workload/from_config.h"

#include "platform/config/error.h"

namespace twinplane::platform {

namespace {

/// Puts the key in front of what a parser of words complains about.
template <typename Parse>
void with_key(const char* key, Parse parse) {
  try {
    parse();
  } catch (const InputError& error) {
    throw InputError(std::string(key) + ": " + error.what());
  }
}

} // namespace

WorkloadSpec to_workload_spec(const Config& config, std::uint64_t exported_bytes) {
  const WorkloadKeys& w = config.workload;
  WorkloadSpec spec;
  with_key("workload.rw", [&] { spec.rw = parse_access_pattern(w.rw); });
  with_key("workload.random_distribution",
           [&] { spec.random_distribution = parse_distribution(w.random_distribution); });
  with_key("workload.bssplit", [&] { parse_block_sizes(std::to_string(w.bs), w.bssplit, spec); });
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

} // namespace twinplane::platform
