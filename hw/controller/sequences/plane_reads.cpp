// Independent reads: the parts take 00h-30h of one plane while others read, so the pages at the front of a
// die's FIFO go to their planes and overlap, each with its own tR and data out.
//
// Reads of one plane keep their order, everything that is no read of a single page waits until the planes
// are done, and reads behind it wait for it. Of what is due, commands go before data: they are short and put
// a plane to work. Reads between a suspended operation and its end run one at a time, as on other parts.
//
// R/B# is low until the last plane is ready. With poll_status 78h asks each plane; otherwise a plane's end is
// known at once, as the end of a die is.
#include <algorithm>
#include <cassert>
#include <vector>

#include "hw/controller/sequences/read.h"

namespace twinplane::hw {

namespace {

class PlaneReadSequence final : public OpSequence {
 public:
  PlaneReadSequence(const SequenceContext& context, std::unique_ptr<OpSequence> alone)
      : OpSequence(context),
        alone_(std::move(alone)),
        planes_per_die_(context.config.geometry.planes_per_die),
        planes_(context.config.geometry.dies_per_channel() * planes_per_die_) {}

  bool accept(FlashGroup& group) override { return alone_->accept(group); }

  void begin(DieQueue& die, TimePs at) override {
    if (die.suspended == nullptr) admit(die, at);
    die.reading != 0 ? want_planes(die) : alone_->begin(die, at);
  }

  void queued_behind(DieQueue& die, TimePs at) override {
    admit(die, at);
    want_planes(die);
  }

  TimePs tenure(DieQueue& die, TimePs at) override {
    Plane& plane = next_plane(die, at);
    FlashGroup& group = *plane.group;
    OnfiTenure& tenure = c_.bus.tenure();
    if (plane.step == command) {
      c_.builder.operation(tenure, group);
      plane.command_end = c_.bus.drive(die, group, at);
      plane.ready_at = std::max(tenure.plane_ready_at, plane.command_end);
      plane.step = c_.config.poll_status ? poll : data_out;
      plane.due = c_.config.poll_status ? plane.command_end : plane.ready_at;
    } else if (plane.step == poll) {
      c_.builder.status(tenure, group, true);
      const TimePs end = c_.bus.drive(die, group, at);
      const bool is_ready = (tenure.planes[0].status & onfi::status::rdy) != 0;
      if (is_ready) plane.step = data_out;
      plane.due = is_ready ? end : std::max(end, at + c_.config.poll_interval);
      if (!is_ready) c_.timeout.check(die.number, plane.command_end, end);
    } else if (const TimePs due = c_.pacing.buffer_free(); due > at) {
      plane.due = due;
    } else {
      c_.builder.data_out(tenure, group, false);
      const TimePs end = c_.bus.drive(die, group, at);
      c_.pages.deliver(die, group, plane.ready_at - plane.command_end);
      c_.pages.end(group, c_.groups);
      die.reading &= ~(1u << number_of(plane));
      admit(die, end);
      if (die.reading == 0) return end;
    }
    want_planes(die);
    return kNever;
  }

  /// R/B# is that of the LUN: all planes whose end was not known are ready.
  void ready(DieQueue& die, TimePs at) override {
    bool any = false;
    for (std::uint32_t planes = die.reading; planes != 0; planes &= planes - 1) {
      Plane& plane = plane_of(die, planes);
      if (plane.ready_at != kNever) continue;
      plane.ready_at = at;
      if (plane.due != kNever) continue;
      plane.due = at;
      any = true;
    }
    if (!any) return;
    want_planes(die);
    c_.bus.arm_when_free(at);
  }

  StepPower power(const DieQueue& die, TimePs at) override {
    const Plane& plane = next_plane(die, at);
    StepPower power;
    if (plane.step == command) power.demand.array = array_current(FlashOp::read, 1);
    if (plane.step == data_out) power.demand.transfer = c_.config.power.data_out;
    power.until = StepPower::Until::plane;
    power.plane = number_of(plane);
    return power;
  }

  void wait_for_power(DieQueue& die, std::uint32_t plane, TimePs until) override {
    planes_[die.number * planes_per_die_ + plane].due = until;
    want_planes(die);
  }

 private:
  enum Step : std::uint8_t { command, poll, data_out };
  struct Plane {
    FlashGroup* group = nullptr;
    Step step = command;
    TimePs due = 0;
    TimePs command_end = 0;
    TimePs ready_at = 0;
  };

  /// Gives the reads at the front of the FIFO to planes that have none; a read that the core has sent ahead of the die
  /// waits for its doorbell.
  void admit(DieQueue& die, TimePs at) {
    FlashGroup* front = nullptr;
    FlashGroup* group = die.head;
    while (group != nullptr && group->op() == FlashOp::read && group->count == 1 && group->retry == nullptr) {
      FlashGroup* const next = group->next;
      const std::uint32_t number = c_.addresses.plane(group->planes[0]);
      if (number >= planes_per_die_) break; // the die refuses it
      if ((die.reading >> number & 1u) != 0) {
        front = group;
      } else {
        die.remove_behind(front);
        if (die.reading != 0) ++c_.statistics.independent_reads;
        die.reading |= 1u << number;
        planes_[die.number * planes_per_die_ + number] = {group, command, std::max(at, group->accepted), 0,
                                                          0};
      }
      group = next;
    }
  }

  /// The plane that gets the bus at `at`: of those that are due commands come before data; when none is due,
  /// the one that is due first.
  Plane& next_plane(const DieQueue& die, TimePs at) {
    Plane* best = nullptr;
    const auto before = [at](const Plane& a, const Plane& b) {
      const bool commands_differ = (a.step == command) != (b.step == command);
      if (commands_differ && a.due <= at && b.due <= at) return a.step == command;
      return a.due < b.due;
    };
    for (std::uint32_t planes = die.reading; planes != 0; planes &= planes - 1) {
      Plane& plane = plane_of(die, planes);
      if (best == nullptr || before(plane, *best)) best = &plane;
    }
    assert(best != nullptr && "a plane of the die reads");
    return *best;
  }

  /// The die waits for the bus once, for the plane that is due first.
  void want_planes(DieQueue& die) {
    constexpr std::array<TenureKind, 3> kKinds{TenureKind::read_command, TenureKind::status,
                                               TenureKind::data_out};
    const Plane& first = next_plane(die, 0);
    die.command_end = first.command_end;
    want(die, 0, kKinds[first.step], first.due);
  }

  /// The lowest plane of a mask.
  Plane& plane_of(const DieQueue& die, std::uint32_t planes) {
    return planes_[die.number * planes_per_die_ + static_cast<std::uint32_t>(__builtin_ctz(planes))];
  }
  std::uint32_t number_of(const Plane& plane) const {
    return static_cast<std::uint32_t>(&plane - planes_.data()) % planes_per_die_;
  }

  const std::unique_ptr<OpSequence> alone_; // of reads that keep the die
  const std::uint32_t planes_per_die_;
  std::vector<Plane> planes_; // by die
};

} // namespace

std::unique_ptr<OpSequence> make_plane_reads(const SequenceContext& context,
                                             std::unique_ptr<OpSequence> alone) {
  return std::make_unique<PlaneReadSequence>(context, std::move(alone));
}

} // namespace twinplane::hw
