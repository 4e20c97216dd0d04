#include <algorithm>
#include <stdexcept>

#include "platform/workload/size/size_model.h"

namespace twinplane::platform {

const std::vector<SizeModelRow>& size_models() {
  static const std::vector<SizeModelRow> kRows = {
      {"mix", "`sizes`: sizes and weights; each comes in its exact share", make_mix_size},
      {"uniform", "any whole number of sectors from `smallest` to `largest`", make_uniform_size},
  };
  return kRows;
}

std::unique_ptr<SizeModel> make_size_model(const SizeSpec& spec, std::uint64_t requests) {
  for (const SizeModelRow& row : size_models()) {
    if (spec.model == row.name) return row.make(spec, requests);
  }
  throw std::logic_error("size model " + spec.model + " is in no table");
}

std::uint32_t largest_bytes(const SizeSpec& spec) {
  if (spec.model != "mix") return spec.largest;
  const auto smaller = [](const SizeWeight& a, const SizeWeight& b) { return a.bytes < b.bytes; };
  return std::max_element(spec.mix.begin(), spec.mix.end(), smaller)->bytes;
}

} // namespace twinplane::platform
