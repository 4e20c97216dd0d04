// Cache programs: 15h lets the next page's data enter the die while the array programs. Used while the
// group behind the head of a die's FIFO programs pages of the same blocks; the last one goes with 10h.
//
// R/B# rises when the cache register is free, and no pin tells of the array. The result of a group is FAILC
// in the status behind the next one, or FAIL, when that comes after its own array time: the controller
// asks for it once the array time has passed. Behind 10h R/B# rises with the end of both.
//
// A cache program cannot be suspended. With suspension a read that waits therefore ends the run.
#include <algorithm>
#include <utility>
#include <vector>

#include "hw/controller/sequences/program.h"
#include "hw/controller/sequences/suspension.h"

namespace twinplane::hw {

namespace {

class CacheProgramSequence final : public ProgramSequence {
 public:
  explicit CacheProgramSequence(const SequenceContext& context)
      : ProgramSequence(context), arrays_(context.config.geometry.dies_per_channel()) {}

  /// Sends the head to the die while the group before it is programmed. When its data comes too late for that,
  /// or a read waits, the status of the group before it is asked for first.
  void begin(DieQueue& die, TimePs at) override {
    if (die.before == nullptr) return ProgramSequence::begin(die, at);
    const TimePs due = data_time(*die.head, at);
    const TimePs before_end = arrays_[die.number].before.end;
    if (c_.suspension->read_waits(*die.head) || due > before_end) {
      want(die, late_status, TenureKind::status, std::max(at, before_end));
    } else {
      want(die, command, TenureKind::program, due);
    }
  }

  TimePs tenure(DieQueue& die, TimePs at) override {
    if (die.step == late_status) return read_late_status(die, at);
    if (die.step != command) return has_result(die, at) ? conclude_run(die) : kNever;
    if (!compose(die, at)) return at;
    send_program(die, at);
    return kNever;
  }

  StepPower power(const DieQueue& die, TimePs at) override {
    StepPower power = ProgramSequence::power(die, at);
    const TimePs before_end = arrays_[die.number].before.end;
    if (power.demand.array != 0 && die.before != nullptr && before_end != kNever)
      power.demand.not_before = before_end;
    return power;
  }

  bool can_be_suspended(const DieQueue& die) const override {
    return !die.head->cached && die.before == nullptr;
  }

 private:
  enum : std::uint8_t { late_status = kSteps };
  struct ArrayTime {
    TimePs begin = 0, end = 0;
  };
  struct Arrays {
    ArrayTime before, head;
  };

  void send_program(DieQueue& die, TimePs at) {
    FlashGroup& group = *die.head;
    if (goes_on(die)) {
      group.cached = group.next->promised = true;
      c_.bus.tenure().form |= sequence_form::cache;
      ++c_.statistics.cache_programs;
    }
    launch(die, at);
    const TimePs idle_at = c_.bus.tenure().array_ready_at; // else its status is asked for until it is idle
    Arrays& arrays = arrays_[die.number];
    arrays.head.begin =
        die.before == nullptr ? die.command_end : std::max(die.command_end, arrays.before.end);
    arrays.head.end = idle_at != kNever ? std::max(idle_at, die.command_end) : die.command_end;
  }

  /// R/B# has risen behind 15h, or behind the 10h that ends a run.
  TimePs conclude_run(DieQueue& die) {
    FlashGroup& group = *die.head;
    if (!group.cached && die.before == nullptr) return conclude(die);
    const TimePs free = c_.bus.free();
    Arrays& arrays = arrays_[die.number];
    const bool idle = (c_.bus.tenure().planes[0].status & onfi::status::ardy) != 0;
    if (!idle && !group.cached) { // it was refused: FAIL is valid when the array has done the one before
      die.ready_at = arrays.head.end;
      await_result(die, std::max(free, arrays.head.end));
      return kNever;
    }
    if (die.before != nullptr) end_before(die, die.before->bus, onfi::status::fail_previous);
    group.cached = false;
    if (idle) {
      complete(group, arrays.head, c_.bus.on_bus(group, known_at()), onfi::status::fail);
      return end(die, free);
    }
    die.before = &die.pop();
    arrays.before = arrays.head;
    return free; // the one that 15h was sent for begins
  }

  bool goes_on(const DieQueue& die) const {
    const FlashGroup& now = *die.head;
    if (now.next == nullptr) return false;
    const FlashGroup& next = *now.next;
    if (next.loads != nullptr) return false; // a pass goes with 10h, when the die is idle
    return c_.addresses.goes_on(now, next) && !c_.suspension->read_waits(*die.head);
  }

  /// No group followed in time whose status would have told the result (FAILC): asks for the status of the one
  /// before.
  TimePs read_late_status(DieQueue& die, TimePs at) {
    FlashGroup& group = *die.before;
    c_.builder.status(c_.bus.tenure(), group);
    const TimePs free = c_.bus.drive(die, group, at);
    if ((c_.bus.tenure().planes[group.count - 1].status & onfi::status::ardy) == 0) {
      c_.timeout.check(die.number, arrays_[die.number].before.begin, free);
      want(die, late_status, TenureKind::status, std::max(free, at + c_.config.poll_interval));
      return kNever;
    }
    end_before(die, c_.bus.on_bus(group, known_at()), onfi::status::fail);
    return free;
  }

  void end_before(DieQueue& die, TimePs on_bus, std::uint8_t fail) {
    FlashGroup& group = *std::exchange(die.before, nullptr);
    complete(group, arrays_[die.number].before, on_bus, fail);
    c_.groups.release(group);
  }

  void complete(const FlashGroup& group, const ArrayTime& array, TimePs on_bus, std::uint8_t fail) {
    report(group, group.completion(on_bus, array.end - array.begin, known_at()), fail);
    c_.rings.interrupt();
  }

  std::vector<Arrays> arrays_; // by die
};

} // namespace

std::unique_ptr<OpSequence> make_cache_programs(const SequenceContext& context) {
  return std::make_unique<CacheProgramSequence>(context);
}

} // namespace twinplane::hw
