// Programs: 80h, data in of all planes, 10h. They begin when the host's data are in DRAM (fences), and when DRAM
// can give them in time (services/dram_pacing.h).
#pragma once

#include "hw/controller/sequences/status_sequence.h"

namespace twinplane::hw {

class ProgramSequence : public StatusSequence {
 public:
  explicit ProgramSequence(const SequenceContext& context) : StatusSequence(context) {}

  bool accept(FlashGroup& group) override;
  void begin(DieQueue& die, TimePs at) override {
    want(die, command, TenureKind::program, data_time(*die.head, at));
  }
  TimePs tenure(DieQueue& die, TimePs at) override;
  StepPower power(const DieQueue& die, TimePs at) override;

 protected:
  /// When the data of the group are there, not before `at`; when that is not known, when to ask again.
  TimePs data_time(FlashGroup& group, TimePs at) const {
    const TimePs due = std::max(at, group.data_at);
    return c_.fence == nullptr ? due : std::max(due, fence_time(group, at));
  }
  /// The next tenure is the program. False: its data are not there yet, and it is to begin once more.
  bool compose(DieQueue& die, TimePs at) {
    FlashGroup& group = *die.head;
    OnfiTenure& tenure = c_.bus.tenure();
    if (group.fence_open || c_.pacing.keeps_waiting(group, tenure, at)) return false;
    c_.builder.operation(tenure, group);
    c_.statistics.page_bytes_in += tenure.page_bytes();
    return true;
  }

 private:
  TimePs fence_time(FlashGroup& group, TimePs at) const;
  TimePs least_time_in(const FlashGroup& group) const;
};

/// With 15h.
std::unique_ptr<OpSequence> make_cache_programs(const SequenceContext& context);

} // namespace twinplane::hw
