// What the plane-time account knows of one die: commands that the firmware has given it, what its planes and
// its bus did, what waited for its planes. Facts come in any order, but none about a time that has been
// settled. settle() says which cause has each picosecond (docs/plane_time.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firmware/hal/work_probe.h"
#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/observe/plane_time/bottleneck.h"
#include "platform/observe/plane_time/shared_clock.h"
#include "platform/observe/plane_time/spans.h"
#include "platform/report/plane_time.h"

namespace twinplane::platform {

/// Of the writes that may go to any plane of an allocation class.
struct ClassTimeline {
  SpanSet waiting;
  SpanSet dependency; // they cannot be queued yet
};

class DieTimeline {
 public:
  explicit DieTimeline(std::uint32_t planes) : planes_(planes) {}

  /// A command has been issued whose doorbell rings at `at`.
  void issued(const fw::IssuedWork& work, TimePs at);
  void waited(std::uint32_t plane, TimePs since, TimePs until) { planes_[plane].waiting.add(since, until); }
  /// Its commands waited for power; `plane`: one that reads independently, or as many as there are for the
  /// die.
  void short_of_power(std::uint32_t plane, TimePs since, TimePs until);
  void short_of_space(TimePs since, TimePs until) { space_.add(since, until); }
  /// The firmware has seen a completion, of the operation with this cookie.
  void done(std::uint32_t cookie, std::uint32_t plane, TimePs ecc, TimePs seen);

  void array(const hw::ArrayOperation& operation, std::uint32_t plane);
  void array_changed(hw::ArrayChange change, const hw::ArrayOperation& operation);
  void tenure(const hw::OnfiTenure& tenure, const RowLayout& rows, TimePs start, TimePs end);

  struct DriveContext {
    const SpanSet* bus = nullptr;           // of the channel: in use
    const SharedClock* clock = nullptr;     // of the drive
    const Bottleneck* bottleneck = nullptr; // ... what limits it
    /// By plane; null where the clock knows of the class.
    std::array<const ClassTimeline*, kMaxPlanesPerDie> by_plane{};
    bool polls = false; // the status is asked for from time to time
  };
  /// Gives [from, to) of each plane to its causes.
  void settle(TimePs from, TimePs to, const DriveContext& around);
  /// Appends the time before `until` in which the planes have work; `arrays`: that of commands of which the
  /// firmware has not told, too. What is known of later times costs nothing.
  void add_work(std::vector<Span>& work, TimePs until, bool arrays) const;
  /// What lies before `time` has been settled.
  void drop_before(TimePs time);

  /// So far, all planes together.
  PlaneTimes& times() { return times_; }
  const PlaneTimes& times() const { return times_; }

 private:
  struct Command {
    TimePs issue = 0;
    TimePs begin = kNever;    // of the first tenure
    TimePs end = 0;           // of the last one so far
    std::uint32_t planes = 0; // as bits
    std::uint32_t unseen = 0; // pages whose completion the firmware has not seen, as bits
    std::uint32_t in_die = 0; // read: planes whose data are still in the die
    FlashOp op = FlashOp::read;
    fw::WorkOrigin origin = fw::WorkOrigin::host;
    bool ended = false; // as far as the tenures tell
    /// By page: of a plane each, or of their wordlines.
    std::array<std::uint32_t, kMaxPagesPerCommand> cookie{};
    std::array<fw::HeldReason, kMaxPlanesPerDie> held{}; // by plane
    std::uint32_t tag = 0;                               // of its tenures
    TimePs reach = 0; // settle(): the latest stop() of this command and those before it
    TimePs stop() const { return ended ? end : kNever; }
    bool has(std::uint32_t plane) const { return (planes >> plane & 1) != 0; }
    /// The page of this transaction; kMaxPagesPerCommand when it is none of those that are unseen.
    std::uint32_t unseen_page(std::uint32_t index) const {
      for (std::uint32_t left = unseen; left != 0; left &= left - 1) {
        const auto i = static_cast<std::uint32_t>(__builtin_ctz(left));
        if (cookie[i] == index) return i;
      }
      return kMaxPagesPerCommand;
    }
  };
  /// Time in which a plane's own command is given to the die and not done.
  struct OwnSpan {
    TimePs begin = 0, end = 0;
    const Command* command = nullptr;
    bool sent = false;
  };
  /// Time in which the die is at a command that leaves the plane out.
  struct HeldSpan {
    TimePs begin = 0, end = 0;
    PlaneCause cause = PlaneCause::held_late;
  };
  struct ArraySpan {
    TimePs begin = 0, end = 0;
    PlaneCause cause = PlaneCause::read_other;
  };
  struct PlaneTimeline {
    FrontVector<ArraySpan> array;
    FrontVector<Span> suspended; // the last one may be open
    SpanSet transfers;
    SpanSet waiting; // work for this plane in particular, not issued
    SpanSet decoding;
    SpanSet power; // its command waits for it
  };

  /// Null when the firmware has not told of it.
  Command* of_tag(std::uint32_t tag);
  static PlaneCause cause_of(hw::PlaneState state, const Command* command);
  void add_array(PlaneTimeline& plane, TimePs begin, TimePs end, PlaneCause cause);
  std::uint32_t raw_planes(const hw::OnfiTenure& tenure, const RowLayout& rows) const;
  void note_progress(Command& command, const hw::OnfiTenure& tenure, const RowLayout& rows);

  void give(PlaneCause cause, TimePs begin, TimePs end) {
    times_[static_cast<std::size_t>(cause)] += end - begin;
  }
  void settle_commands(std::uint32_t plane, const DriveContext& around);
  void settle_waits(std::uint32_t plane, const SpanSet& waiting, bool for_class);
  void settle_shared(std::uint32_t plane, const DriveContext& around);
  void share(TimePs begin, TimePs end, PlaneCause waiting, const DriveContext& around);
  void give_idle(PlaneCause cause, TimePs time, const Bottleneck& bottleneck);
  /// Takes from `part` what the commands before `last` that leave the plane out hold it for.
  void settle_held(std::uint32_t plane, Rest& part, const Command* last);

  std::vector<PlaneTimeline> planes_;
  FrontVector<Command> commands_; // in the order of their issue
  std::size_t issued_ = 0;        // settle(): of these, before its end
  SpanSet space_;                 // host writes found none
  Rest rest_;                     // scratch: of the plane in hand
  std::vector<HeldSpan> held_;    // scratch
  std::vector<OwnSpan> own_;      // scratch
  Rest part_;                     // scratch
  PlaneTimes times_{};
};

} // namespace twinplane::platform
