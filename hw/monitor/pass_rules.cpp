#include "hw/monitor/pass_rules.h"

namespace twinplane::hw {

CellBook::RuleResult PassRules::check_page(const LunWatch& lun, const BusPlace& place, bool last) const {
  const PageOrderTable& order = *config_.page_order;
  if (place.page >= config_.geometry.pages_per_block) return {MonitorRule::bad_address, "no such page"};
  if (lun.load_count != 0) {
    const PlaneGroup& before = lun.loads[lun.load_count - 1];
    const std::uint32_t i = before.find_plane(place.plane);
    if (i == before.count || before.places[i].block != place.block)
      return {MonitorRule::wordline, "a pass stays in its planes and blocks"};
    const std::uint32_t page = before.places[i].page;
    const bool next =
        order.wordline(place.page) == order.wordline(page) && order.type(place.page) == order.type(page) + 1u;
    if (!next) return {MonitorRule::wordline, "expected the next page of the wordline"};
  }
  const bool is_last = order.type(place.page) + 1u == order.types();
  if (is_last == last) return {};
  return {MonitorRule::wordline, last ? "expected 1Ah before the last page of the wordline"
                                      : "expected 10h behind the last page of the wordline"};
}

CellBook::RuleResult PassRules::check_cells(const LunWatch& lun, const PlaneGroup& group,
                                            std::uint32_t i) const {
  const BusPlace& place = group.places[i];
  BusPlace first = place;
  first.page -= lun.load_count;
  if (const auto fault = lun.cells.check_place(place, false, false)) return fault;
  if (const auto fault = lun.cells.check_pass(first)) return fault;
  bool copied_out = group.copies[i] > config_.copybacks;
  for (std::uint32_t step = 0; step < lun.load_count; ++step) {
    const PlaneGroup& part = lun.loads[step];
    copied_out = copied_out || part.copies[part.find_plane(place.plane)] > config_.copybacks;
  }
  if (copied_out) return {MonitorRule::sequence, "the page has had all its moves by copyback"};
  return {};
}

} // namespace twinplane::hw
