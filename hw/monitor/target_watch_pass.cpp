// One-pass programming: 80h A5 data 1Ah for each page of a wordline but the last one, 10h behind that
// (hw/spec/onfi_commands.h; vendor practice). From the data sheets' command tables as well: page types ascend
// without a gap, in the same planes and blocks, and nothing that needs the array comes between.
#include <algorithm>

#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

void TargetWatch::load(const MonitorCommand& command, const OnfiPhase& phase) {
  group_open_ = false;
  const bool slc = slc_;
  slc_ = false;
  if (!closes_operation(command, phase.start)) return;
  operation_.stage = Stage::closed;
  output_ = Output::none;
  LunWatch& lun = this->lun();
  PlaneGroup group = lun.queue;
  lun.queue.count = 0;
  group.work = command.work;
  group.slc = slc;
  if (!goes_on(group, false, phase.end)) {
    lun.load_count = 0;
    return;
  }
  lun.loads[lun.load_count++] = group;
  expect_busy(lun, phase.end, config_.array.tDCBSYW);
}

/// 10h. What the pass has loaded is gone, whatever becomes of it.
void TargetWatch::start_pass(PlaneGroup& group, const MonitorCommand& command, const OnfiPhase& phase) {
  LunWatch& lun = this->lun();
  const bool cached = command.registers == Register::cache_next;
  if (cached) find(MonitorRule::wordline, "no 15h in a pass", phase.end, operation_.place);
  const bool good = !cached && goes_on(group, true, phase.end);
  if (good && allowed_while_suspended(group, false, phase.end)) {
    judge_wordlines(group, phase.end);
    for (std::uint32_t step = 0; step < lun.load_count; ++step) {
      PlaneGroup& part = lun.loads[step];
      for (std::uint32_t i = 0; i < part.count;) {
        group.find_plane(part.places[i].plane) == group.count ? part.remove(i) : static_cast<void>(++i);
      }
      write_cells(lun, part);
    }
    if (group.count != 0) run(lun, group, command, phase.end);
  }
  lun.load_count = 0;
}

/// Adds the last plane. Whether the pass may go on with these planes.
bool TargetWatch::goes_on(PlaneGroup& group, bool last, TimePs confirm_end) {
  LunWatch& lun = this->lun();
  lun.last_read.count = 0;
  lun.cached_program = lun.reading_ahead = false;
  if (!join(group, confirm_end)) return false;
  if (lun.array_busy(confirm_end + config_.bus.tWB)) {
    find(MonitorRule::busy, "expected an idle array", confirm_end, operation_.place);
    return false;
  }
  if (group.slc) {
    find(MonitorRule::wordline, "no SLC prefix in a pass", confirm_end, operation_.place);
    return false;
  }
  if (!judge_group(group, confirm_end)) return false;
  if (lun.load_count != 0 && lun.loads[lun.load_count - 1].count != group.count) {
    find(MonitorRule::wordline, "each step of a pass has the same planes", confirm_end, operation_.place);
    return false;
  }
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const BusPlace& place = group.places[i];
    if (place.page >= config_.geometry.pages_per_block) {
      find(MonitorRule::bad_address, "no such page", confirm_end, place);
      return false;
    }
    const char* const wrong = misfit(place, last);
    if (wrong == nullptr) continue;
    find(MonitorRule::wordline, wrong, confirm_end, place);
    return false;
  }
  return true;
}

/// Null when the page is the one that its plane needs next.
const char* TargetWatch::misfit(const BusPlace& place, bool last) const {
  const LunWatch& lun = luns_[lun_];
  const PageOrderTable& order = *config_.page_order;
  if (lun.load_count != 0) {
    const PlaneGroup& before = lun.loads[lun.load_count - 1];
    const std::uint32_t i = before.find_plane(place.plane);
    if (i == before.count || before.places[i].block != place.block)
      return "a pass stays in its planes and blocks";
    const std::uint32_t page = before.places[i].page;
    const bool next =
        order.wordline(place.page) == order.wordline(page) && order.type(place.page) == order.type(page) + 1u;
    if (!next) return "expected the next page of the wordline";
  }
  const bool is_last = order.type(place.page) + 1u == order.types();
  if (is_last == last) return nullptr;
  return last ? "expected 1Ah before the last page of the wordline"
              : "expected 10h behind the last page of the wordline";
}

/// Each plane for itself; those that may not be programmed are taken out.
void TargetWatch::judge_wordlines(PlaneGroup& group, TimePs at) {
  const LunWatch& lun = this->lun();
  for (std::uint32_t i = 0; i < group.count;) {
    const BusPlace place = group.places[i];
    BusPlace first = place;
    first.page -= lun.load_count;
    CellBook::Verdict verdict = lun.cells.judge_place(place, false, false);
    if (!verdict) verdict = lun.cells.judge_pass(first);
    bool copied_out = group.copies[i] > config_.copybacks;
    for (std::uint32_t step = 0; step < lun.load_count; ++step) {
      const PlaneGroup& part = lun.loads[step];
      copied_out = copied_out || part.copies[part.find_plane(place.plane)] > config_.copybacks;
    }
    if (!verdict && copied_out)
      verdict = {MonitorRule::sequence, "the page has had all its moves by copyback"};
    if (!verdict) {
      ++i;
      continue;
    }
    find(verdict.rule, verdict.detail, at, place);
    group.remove(i);
  }
}

} // namespace twinplane::hw
