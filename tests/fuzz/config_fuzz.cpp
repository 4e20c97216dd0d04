// Configurations, workload files and profiles. An input is TOML; first lines of the form "--set KEY=VALUE" are
// settings of the command line. Each is read as a configuration and as a profile of a workload.
#include "platform/config/derived.h"
#include "platform/config/error.h"
#include "platform/config/export.h"
#include "platform/config/loader.h"
#include "platform/workload/from_config.h"
#include "platform/workload/profile_loader.h"
#include "platform/workload/profile_source.h"
#include "platform/workload/workload.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace twinplane;
using namespace twinplane::platform;

constexpr int kRequests = 50;
constexpr std::uint64_t kMostRequests = 1000; // of a profile, which is scaled down to these
constexpr std::uint64_t kMostBytes = std::uint64_t{1}
                                     << 36; // models of larger spaces take too much memory here

void draw(IoSource& source) {
  IoRecord record;
  for (int i = 0; i < kRequests && source.next(record); ++i)
    fuzz::claim(record.offset + record.length >= record.offset, "a request ends in the address space");
}

void as_configuration(std::string_view text) {
  ConfigLoader loader;
  while (text.substr(0, 6) == "--set ") loader.add_setting(fuzz::take_line(text).substr(6));
  loader.add_text(text, "fuzz");
  const LoadedConfig loaded = loader.finish();
  const Derived derived = derive(loaded.config);
  ConfigLoader again;
  again.add_text(dump_toml(loaded.config), "again");
  fuzz::claim(dump_toml(again.finish().config) == dump_toml(loaded.config), "what is exported is read again");
  if (derived.exported_bytes > kMostBytes) return;
  draw(*make_workload(to_workload_spec(loaded.config, derived.exported_bytes)));
}

void as_profile(std::string_view text) {
  Profile profile = parse_profile(text, "fuzz");
  if (profile.requests > kMostRequests) profile = scale(std::move(profile), {kMostRequests, 0, 1.0});
  if (profile.footprint <= kMostBytes) draw(*make_profile_source(profile));
}

template <typename Reader>
void attempt(Reader reader, std::string_view text) {
  try {
    reader(text);
  } catch (const InputError&) {
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attempt(as_configuration, fuzz::text_of(data, size));
  attempt(as_profile, fuzz::text_of(data, size));
  return 0;
}
