#include "platform/report/power_cycles.h"

#include <nlohmann/json.hpp>

#include "platform/report/number_text.h"

namespace twinplane::platform {
namespace {

using Json = nlohmann::ordered_json;

Json ns_of(TimePs time) {
  return rounded(static_cast<double>(time) / 1e3);
}

Json recovery_json(const PowerCycleSummary& c) {
  if (!c.recovered) return nullptr;
  const fw::RecoveryCounters& r = c.recovery;
  Json steps = boot_steps_json(c.bring_up);
  steps["blocks"] = ns_of(r.blocks_ps);
  steps["scan"] = ns_of(r.scan_ps);
  steps["metadata"] = ns_of(r.metadata_ps);
  steps["rebuild"] = ns_of(r.rebuild_ps);
  steps["rescue"] = ns_of(r.rescue_ps);
  return Json{{"ready_ns", ns_of(c.ready_ps)},
              {"steps_ns", steps},
              {"pages_read", r.pages_read},
              {"pages_found", r.pages_found},
              {"pages_unreadable", r.pages_unreadable},
              {"pages_taken", r.pages_taken},
              {"blocks_known", r.blocks_known},
              {"metadata_pages", r.metadata_pages},
              {"metadata_gone", r.metadata_gone},
              {"sectors_untold", r.sectors_untold},
              {"pages_unmapped", r.lpns_unmapped},
              {"pages_rescued", r.pages_rescued},
              {"units_found", r.units_found},
              {"units_resumed", r.units_resumed},
              {"units_closed", r.units_closed},
              {"sectors_checked", c.sectors_checked},
              {"sectors_old_or_new", c.sectors_old_or_new},
              {"sectors_lost", c.sectors_lost},
              {"sectors_may_go_back", c.sectors_may_go_back},
              {"sectors_gone_back", c.sectors_gone_back},
              {"sectors_unreadable", c.sectors_unreadable}};
}

} // namespace

Json boot_steps_json(const fw::BringUpTimes& b) {
  return {{"reset", ns_of(b.reset_ps)},
          {"read_id", ns_of(b.read_id_ps)},
          {"parameter_page", ns_of(b.parameter_page_ps)},
          {"timing_mode", ns_of(b.timing_mode_ps)},
          {"marks", ns_of(b.marks_ps)}};
}

Json power_cycles_json(const std::vector<PowerCycleSummary>& cycles) {
  Json out = Json::array();
  for (const PowerCycleSummary& c : cycles) {
    out.push_back({{"recovery", recovery_json(c)},
                   {"requests", c.requests},
                   {"cut_ns", c.cut ? ns_of(c.cut_ps) : Json(nullptr)},
                   {"held_up_ns", c.cut ? ns_of(c.held_up_ps) : Json(nullptr)},
                   {"cells_failed", c.cells_failed},
                   {"blocks_failed", c.blocks_failed},
                   {"pages_kept", c.pages_kept},
                   {"trims_kept", c.trims_kept},
                   {"bad_blocks_kept", c.bad_blocks_kept},
                   {"health",
                    {{"power_cycles", c.health.power_cycles},
                     {"unsafe_shutdowns", c.health.unsafe_shutdowns},
                     {"media_errors", c.health.media_errors},
                     {"erases", c.erases},
                     {"retired_blocks", c.retired_blocks}}},
                   {"unanswered", c.unanswered},
                   {"flash_operations_cut", c.flash_operations_cut}});
  }
  return out;
}

} // namespace twinplane::platform
