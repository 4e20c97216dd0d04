// A command sequence: what the controller does on the bus for one kind of command, step by step.
//
// There is one object per sequence and controller, which works for all dies; a die remembers its step
// (die_queue.h), and what a sequence keeps of its dies beyond that it keeps itself. A sequence is a file of this
// folder and a row of table.h.
//
// The controller accepts a group once it has come together, calls begin() when it is the group's turn, and
// tenure() when the bus is the die's. In both a sequence asks for its next tenure by want().
#pragma once

#include <cstdint>
#include <memory>

#include "hw/controller/addressing.h"
#include "hw/controller/bus_scheduler.h"
#include "hw/controller/group_pool.h"
#include "hw/controller/services/page_delivery.h"

namespace twinplane::hw {

class SuspendSequence;

/// What the sequences of a controller work with.
struct SequenceContext {
  const FlashControllerConfig& config;
  const Addressing& addresses;
  const TenureBuilder& builder;
  BusScheduler& bus;
  Rings& rings;
  GroupPool& groups;
  PageDelivery& pages;
  DramPacing& pacing;
  ReadyTimeout& timeout;
  FlashControllerStatistics& statistics;
  const DmaFence* fence = nullptr; // null: fences are ignored
  std::uint8_t* dram = nullptr;
  SuspendSequence* suspension = nullptr; // of programs and erases
};

/// What a tenure, and the array that it starts, would draw.
struct StepPower {
  /// What tells that the array is idle: R/B#, SR5, or the plane's own time.
  enum class Until : std::uint8_t { ready, array, plane };
  static constexpr std::uint32_t kDie = ~0u;

  PowerDemand demand;
  Until until = Until::ready;
  bool suspends = false;      // what the die draws ends instead
  std::uint32_t plane = kDie; // that draws it, where planes read independently
};

class OpSequence {
 public:
  virtual ~OpSequence() = default;
  OpSequence(const OpSequence&) = delete;
  OpSequence& operator=(const OpSequence&) = delete;

  /// False: the group is not what the part or the channel has, and is rejected. Its planes do the same, in one chip.
  /// What breaks a rule of the part goes to the bus: the die checks that.
  [[nodiscard]] virtual bool accept(FlashGroup& /*group*/) { return false; }
  /// The head of the die, a group of this sequence, is next.
  virtual void begin(DieQueue& die, TimePs at) = 0;
  /// The bus is the die's. Returns from when on the die's head may begin, because the command has ended or has to
  /// begin once more; kNever: this sequence goes on.
  [[nodiscard]] virtual TimePs tenure(DieQueue& die, TimePs at) = 0;
  /// A group has come behind what the sequence is at.
  virtual void queued_behind(DieQueue& /*die*/, TimePs /*at*/) {}
  /// R/B# has risen, of a die that may not have been able to tell when.
  virtual void ready(DieQueue& die, TimePs at);
  /// What the die's next tenure needs.
  virtual StepPower power(const DieQueue& die, TimePs at) = 0;
  /// There is power for that tenure not before `until`. `plane`: as in StepPower.
  virtual void wait_for_power(DieQueue& die, std::uint32_t plane, TimePs until);

 protected:
  explicit OpSequence(const SequenceContext& context) : c_(context) {}

  void want(DieQueue& die, std::uint8_t step, TenureKind kind, TimePs due) {
    die.sequence = this;
    die.step = step;
    c_.bus.want(die, kind, due);
  }
  /// Step `next` once the die is ready; where R/B# is not looked at, its status is asked for first, in step `poll`.
  void want_when_ready(DieQueue& die, std::uint8_t poll, std::uint8_t next, TenureKind kind) {
    if (c_.config.poll_status) {
      want(die, poll, TenureKind::status, die.command_end);
    } else {
      want(die, next, kind, die.ready_at);
    }
  }
  /// Sends the composed tenure of the head, which makes the die busy.
  TimePs send(DieQueue& die, TimePs at) {
    die.command_end = c_.bus.drive(die, *die.head, at);
    die.ready_at = std::max(c_.bus.tenure().ready_at, die.command_end);
    die.status_mode = false;
    return die.command_end;
  }
  /// Asks for the status of the head. When the die is not ready, the step is repeated a little later.
  bool is_ready(DieQueue& die, TimePs at);
  /// The last tenure has told that the die is not ready: the step is repeated.
  void poll_again(DieQueue& die, TimePs at);
  /// The head has ended.
  TimePs end(DieQueue& die, TimePs at) {
    c_.groups.release(die.pop());
    return at;
  }

  std::int64_t array_current(FlashOp op, std::uint32_t planes) const;
  StepPower array_power(FlashOp op, std::uint32_t planes) const {
    return {{0, array_current(op, planes), 0, 0}};
  }
  StepPower transfer_power(std::int64_t current) const { return {{current, 0, 0, 0}}; }

  const SequenceContext c_;
};

} // namespace twinplane::hw
