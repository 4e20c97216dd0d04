#include "platform/session/drive_state.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/config/export.h"
#include "platform/session/config_differences.h"
#include "platform/session/state_file.h"

namespace twinplane::platform {
namespace {

constexpr std::array<const char*, 5> kOthers = {"host", "workload", "energy", "waves", "report"};

bool concerns_drive(const std::string& section, const std::string& key) {
  for (const char* other : kOthers) {
    if (section == other) return false;
  }
  if (section == "cpu" && key == "run_ahead") return false; // how it is simulated
  return section != "run" || key == "seed";
}

void require_same_drive(StateLoader& loader, const Config& config) {
  const nlohmann::json saved = nlohmann::json::parse(loader.config(), nullptr, false);
  if (saved.is_discarded() || !saved.is_object()) loader.refuse("its configuration is damaged");
  const std::string different = config_differences(saved, to_json(config), "saved", concerns_drive);
  if (!different.empty()) loader.refuse(("it is the state of another drive:" + different).c_str());
}

constexpr const char* kGuest = "guest"; // in the place of what a host knows

} // namespace

void serialise(StateVisitor& state, PreconditionResult& r) {
  state.section("precondition");
  state.value(r.pages_filled);
  state.value(r.pages_overwritten);
  state.value(r.free_blocks);
  state.value(r.valid_pages);
  state.value(r.write_amplification);
  state.value(r.filled_sectors);
  std::uint64_t pages = r.filled_pages.size();
  state.value(pages);
  if (state.loading()) r.filled_pages.clear();
  for (std::uint64_t i = 0; i < pages; ++i) { // one by one: nothing says that the number is true
    std::uint8_t filled = !state.loading() && r.filled_pages[i] ? 1 : 0;
    state.value(filled);
    if (state.loading()) r.filled_pages.push_back(filled != 0);
  }
}

void serialise(StateVisitor& state, Ssd& ssd) {
  // Where tables lie, and so what is kept of them, is each form's own.
  state.section(ssd.config().cpu.firmware.empty() ? "firmware" : "firmware image");
  ssd.firmware().window().serialise(state);
  ssd.serialise(state);
}

void save_drive(const std::string& path, const Config& config, Ssd& ssd, NvmeHost& host,
                PreconditionResult result) {
  StateSaver saver(path, to_json(config).dump());
  serialise(saver, result);
  serialise(saver, ssd);
  host.serialise(saver);
  saver.complete();
}

PreconditionResult load_drive(const std::string& path, const Config& config, Ssd& ssd, NvmeHost& host) {
  StateLoader loader(path);
  require_same_drive(loader, config);
  PreconditionResult result;
  serialise(loader, result);
  serialise(loader, ssd);
  if (loader.next_section() == kGuest) {
    loader.section(kGuest);
    host.expect_foreign_data();
  } else {
    host.serialise(loader);
    const Shadow* const shadow = host.shadow();
    loader.require(shadow == nullptr || shadow->sectors() == ssd.firmware().window().exported_sectors(),
                   "it is damaged (a host of another capacity)");
  }
  loader.complete();
  return result;
}

void save_image(const std::string& path, const Config& config, Ssd& ssd, PreconditionResult result) {
  StateSaver saver(path, to_json(config).dump());
  serialise(saver, result);
  serialise(saver, ssd);
  saver.section(kGuest);
  saver.complete();
}

PreconditionResult load_image(const std::string& path, const Config& config, Ssd& ssd) {
  StateLoader loader(path, "--image");
  require_same_drive(loader, config);
  PreconditionResult result;
  serialise(loader, result);
  serialise(loader, ssd);
  loader.complete_unread(); // what its last host knows of the data is nothing to a guest
  return result;
}

} // namespace twinplane::platform
