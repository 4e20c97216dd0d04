// Configurations and the workloads in them. An input is TOML; first lines of the form "--set KEY=VALUE" are settings
// of the command line.
#include "platform/config/derived.h"
#include "platform/config/error.h"
#include "platform/config/export.h"
#include "platform/config/loader.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"
#include "tests/fuzz/drawing.h"

namespace {

using namespace twinplane;
using namespace twinplane::platform;

void as_configuration(std::string_view text) {
  ConfigLoader loader;
  while (text.substr(0, 6) == "--set ") loader.add_setting(fuzz::take_line(text).substr(6));
  loader.add_text(text, "fuzz");
  const LoadedConfig loaded = loader.finish();
  const Derived derived = derive(loaded.config);
  ConfigLoader again;
  again.add_text(dump_toml(loaded.config), "again");
  fuzz::claim(dump_toml(again.finish().config) == dump_toml(loaded.config), "what is exported is read again");
  if (derived.exported_bytes > fuzz::kMostBytes) return;
  fuzz::draw(*make_workload(to_workload_spec(loaded.config, derived.exported_bytes)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    as_configuration(fuzz::text_of(data, size));
  } catch (const InputError&) {
  }
  return 0;
}
