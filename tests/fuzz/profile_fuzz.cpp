// Profiles of workloads, and the requests that they make. An input is TOML.
#include "platform/config/error.h"
#include "platform/workload/profile_loader.h"
#include "platform/workload/profile_source.h"
#include "tests/fuzz/drawing.h"

namespace {

using namespace twinplane;
using namespace twinplane::platform;

constexpr std::uint64_t kMostRequests = 1000; // a profile of more is scaled down to these

void as_profile(std::string_view text) {
  Profile profile = parse_profile(text, "fuzz");
  if (profile.requests > kMostRequests) profile = scale(std::move(profile), {kMostRequests, 0, 1.0});
  if (profile.footprint <= fuzz::kMostBytes) fuzz::draw(*make_profile_source(profile));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    as_profile(fuzz::text_of(data, size));
  } catch (const InputError&) {
  }
  return 0;
}
