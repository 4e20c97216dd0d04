// Modes of blocks and levels of reads: the SLC prefix, soft reads, and how long the array takes.
#include <algorithm>

#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

/// The prefix stands before an operation, and all planes of one are used in the same mode.
void TargetWatch::take_prefix(bool slc, TimePs at) {
  const bool inside = operation_.stage == Stage::addressed || operation_.stage == Stage::loaded;
  if (!inside && (!group_open_ || slc == slc_)) {
    slc_ = slc;
    return;
  }
  find(MonitorRule::slc_mode, "expected the SLC prefix before the first plane", at, {lun_});
  for (LunWatch& lun : luns_) lun.queue.count = 0;
  operation_.stage = Stage::passed_over;
  group_open_ = slc_ = false;
}

/// A soft read is several senses of one page that are decoded together: one level after the other, and the
/// data of each have been moved out before the next one overwrites the register.
void TargetWatch::note_senses(LunWatch& lun, const PlaneGroup& group, TimePs at) {
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const BusPlace& place = group.places[i];
    Sense& last = lun.senses[place.plane];
    const bool same = last.known && last.block == place.block && last.page == place.page;
    if (lun.read_level > config_.first_soft_level && (!same || last.level + 1 != lun.read_level)) {
      find(MonitorRule::soft_read, "expected the senses of a soft read one after the other", at, place);
    } else if (lun.read_level > config_.first_soft_level && !last.moved) {
      find(MonitorRule::soft_read, "expected the data of the sense before to be moved out", at, place);
    }
    last = {true, false, lun.read_level, place.block, place.page};
  }
}

TimePs TargetWatch::array_time(const LunWatch& lun, const PlaneGroup& group) const {
  const ArrayTiming& t = config_.array;
  if (group.work == CellWork::read && lun.read_level != 0) return t.tR_level[lun.read_level - 1];
  if (group.work == CellWork::erase) return group.slc ? t.slc_tBERS : t.tBERS;
  if (group.work == CellWork::program && config_.programs_read) return kNever;
  if (group.work == CellWork::program && !group.slc && config_.one_pass) return t.tPROG_wordline;
  TimePs longest = 0;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const PageType type = group.slc ? PageType{0} : config_.page_order->type(group.places[i].page);
    const TimePs read = group.slc ? t.slc_tR : t.tR[type];
    const TimePs program = group.slc ? t.slc_tPROG : t.tPROG[type];
    longest = std::max(longest, group.work == CellWork::read ? read : program);
  }
  return longest;
}

} // namespace twinplane::hw
