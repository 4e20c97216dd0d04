// Decision: how large the next request of a kind is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/workload/profile.h"
#include "platform/workload/random.h"

namespace twinplane::platform {

class SizeModel {
 public:
  virtual ~SizeModel() = default;
  /// Bytes, at least 1.
  virtual std::uint32_t draw(Random& random) = 0;
};

/// `requests` is how many will be drawn; a model may use it to meet its shares exactly.
using MakeSizeModel = std::unique_ptr<SizeModel> (*)(const SizeSpec& spec, std::uint64_t requests);

struct SizeModelRow {
  const char* name;
  const char* summary;
  MakeSizeModel make;
};

/// mix: sizes with weights, in exact numbers. uniform: any whole number of sectors between two sizes.
const std::vector<SizeModelRow>& size_models();

std::unique_ptr<SizeModel> make_mix_size(const SizeSpec& spec, std::uint64_t requests);
std::unique_ptr<SizeModel> make_uniform_size(const SizeSpec& spec, std::uint64_t requests);

/// Requires a name of the table.
std::unique_ptr<SizeModel> make_size_model(const SizeSpec& spec, std::uint64_t requests);

/// The largest request that the specification can give.
std::uint32_t largest_bytes(const SizeSpec& spec);

} // namespace twinplane::platform
