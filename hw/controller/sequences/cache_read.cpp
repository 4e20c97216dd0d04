// Cache reads: 31h moves the pages that were read to the cache registers and starts tR of the next ones,
// 3Fh ends the run. Used when the group behind the head of a die's FIFO reads the next page of each
// block.
#include <algorithm>
#include <vector>

#include "hw/controller/sequences/read.h"

namespace twinplane::hw {

namespace {

class CacheReadSequence final : public ReadSequence {
 public:
  explicit CacheReadSequence(const SequenceContext& context)
      : ReadSequence(context), array_(context.config.geometry.dies_per_channel()) {}

  void begin(DieQueue& die, TimePs at) override {
    if (!die.head->promised) return ReadSequence::begin(die, at);
    die.command_end = array_[die.number].begin;
    die.ready_at = array_[die.number].end;
    want(die, turn, TenureKind::read_command, at);
  }

  TimePs tenure(DieQueue& die, TimePs at) override {
    if (!turns(die, at)) return ReadSequence::tenure(die, at);
    FlashGroup& group = *die.head;
    const bool further = goes_on(die);
    compose(group, further);
    const TimePs end = c_.bus.drive(die, group, at);
    const OnfiTenure& tenure = c_.bus.tenure();
    group.in_cache_registers = true;
    die.status_mode = false;
    if (further) {
      group.next->promised = true;
      ++c_.statistics.cache_reads;
      ArrayTime& array = array_[die.number];
      array.begin = std::max(end, array.end); // not before the pages before are read
      array.end = std::max(tenure.array_ready_at, end);
    }
    if (c_.config.poll_status) {
      want(die, poll, TenureKind::status, end);
    } else {
      want(die, data_out, TenureKind::data_out, std::max(tenure.ready_at, end));
    }
    return kNever;
  }

  /// 31h starts the array, 3Fh does not.
  StepPower power(const DieQueue& die, TimePs at) override {
    if (!turns(die, at)) return ReadSequence::power(die, at);
    StepPower power;
    power.until = StepPower::Until::array;
    if (!goes_on(die)) return power;
    const TimePs busy = die.head->promised ? array_[die.number].end : 0;
    power.demand = {0, array_current(FlashOp::read, die.head->count), 0, busy == kNever ? 0 : busy};
    return power;
  }

 private:
  enum : std::uint8_t { turn = kSteps };
  /// Of the group that was promised to the die last.
  struct ArrayTime {
    TimePs begin = 0, end = 0;
  };

  /// The next tenure is 31h or 3Fh.
  bool turns(const DieQueue& die, TimePs at) const {
    if (die.step == turn) return true;
    const FlashGroup& now = *die.head;
    const bool given = now.next != nullptr && now.next->accepted <= at;
    return die.step == data_out && given && !now.in_cache_registers && goes_on(die);
  }

  bool goes_on(const DieQueue& die) const {
    const FlashGroup& now = *die.head;
    if (now.next == nullptr || die.suspended != nullptr) return false;
    const FlashGroup& next = *now.next;
    if (now.retry != nullptr || next.retry != nullptr) return false;
    for (std::uint32_t i = 0; i < now.count; ++i) {
      if (next.planes[i].row != now.planes[i].row + 1) return false;
    }
    return c_.addresses.goes_on(now, next);
  }

  void compose(const FlashGroup& group, bool further) {
    OnfiTenure& tenure = c_.bus.tenure();
    c_.builder.raw(tenure, TenureKind::read_command);
    c_.builder.select_lun(tenure, group.planes[0].row);
    tenure.command(further ? onfi::opcode::read_cache : onfi::opcode::read_cache_end);
  }

  std::vector<ArrayTime> array_; // by die
};

} // namespace

std::unique_ptr<OpSequence> make_cache_reads(const SequenceContext& context) {
  return std::make_unique<CacheReadSequence>(context);
}

} // namespace twinplane::hw
