// The plane-time account of one drive: every picosecond of every plane belongs to one cause
// (docs/plane_time.md). It listens to packages, channels, front end and firmware, which announce facts with
// times, some of them ahead of the kernel's; settle() shares out what is past. Facts are kept until then, so
// it settles by itself now and then.
//
// Blocks of other authors tell what they tell: without the firmware's word (WorkProbe) no work is known
// before it reaches the array or the bus.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "firmware/hal/work_probe.h"
#include "hw/core/observer.h"
#include "hw/core/power_grant.h"
#include "hw/spec/geometry.h"
#include "platform/observe/plane_time/bottleneck.h"
#include "platform/observe/plane_time/die_timeline.h"

namespace twinplane::platform {

class PlaneTimeAccount final : public hw::NandObserver,
                               public hw::BusObserver,
                               public hw::FrontEndObserver,
                               public hw::PowerGrant::Observer,
                               public fw::WorkProbe {
 public:
  /// `now` is the kernel's time, before which nothing is announced any more, though the firmware may be ahead
  /// of it; `polls`: dies are asked for their status instead of telling.
  PlaneTimeAccount(const Geometry& geometry, bool polls, std::function<TimePs()> now);

  /// By plane: the allocation class whose writes may go there (firmware/ftl/plane_allocation).
  void set_classes(const std::vector<std::uint32_t>& classes);
  /// How the firmware is asked to tell what waits in it (Ftl::tell_waiting), if it tells anything.
  void ask_what_waits(std::function<void(fw::WorkProbe&)> ask) { ask_what_waits_ = std::move(ask); }
  /// For how long the drive's resources have been in use: without it no time is given to what limits the
  /// drive.
  void look_at(BottleneckWatch::Uses uses) { bottleneck_.look_at(std::move(uses)); }
  /// Who waits for power; it must outlive this.
  void listen(hw::PowerGrant& grant);

  /// Shares out the time until `at`, which must not be ahead of the kernel's.
  void settle(TimePs at);
  /// What has been settled so far is forgotten: the measured window begins.
  void restart(TimePs at);
  TimePs begin() const { return begin_; }
  TimePs settled() const { return settled_; }
  /// By die, since begin().
  PlaneTimes of_die(std::uint32_t die) const { return dies_[die].times(); }
  std::uint32_t dies() const { return static_cast<std::uint32_t>(dies_.size()); }
  PlaneTimes all() const;
  /// Of the whole run so far.
  PlaneTimes ever() const;
  /// What is settled until then will be asked for: not to go on by itself.
  void settle_no_further_than(TimePs limit) { limit_ = limit; }

  void on_array(std::uint32_t channel, const hw::ArrayOperation& operation) override;
  void on_group(std::uint32_t channel, const hw::ArrayOperation& operation,
                const hw::PlaneAddress* places) override;
  void on_array_change(std::uint32_t channel, hw::ArrayChange change,
                       const hw::ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  bool wants_ready_busy() const override { return false; }
  void on_violation(std::uint32_t, const hw::Violation&) override {}
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  bool wants_phases() const override { return false; }
  void on_fetched(std::uint32_t slot, TimePs at) override;
  void on_completed(std::uint32_t slot, TimePs fetched, TimePs at) override;
  void on_power_wait(std::uint32_t channel, std::uint32_t who, TimePs since, TimePs until) override;
  void on_seen(std::uint32_t slot, std::uint64_t now_ps) override;
  void on_refused(std::uint32_t plane, fw::HeldReason why) override { refused_[plane] = why; }
  void on_issue(const fw::IssuedWork& work) override;
  void on_doorbells(std::uint64_t channels, std::uint64_t now_ps) override;
  void on_done(std::uint32_t index, std::uint32_t plane, std::uint64_t ecc_ps, std::uint64_t now_ps) override;
  void on_dependency(const fw::WaitingWork& work) override;
  void on_dependency_over(std::uint32_t index, std::uint64_t now_ps) override;
  void on_space(std::uint32_t die, bool short_of_it, std::uint64_t now_ps) override;
  void on_page_buffers(bool short_of_them, std::uint64_t now_ps) override;
  void on_waiting(const fw::WaitingWork& work) override;

 private:
  /// A host command that the front end has handed over.
  struct Open {
    TimePs fetched = kNever; // none
    bool seen = false;
  };
  struct Posted {
    fw::IssuedWork work;
    TimePs short_since; // its die had no space for host writes until this one; kNever: it had
  };
  struct Dependency {
    std::uint32_t index, plane_class;
    TimePs since;
  };

  DieTimeline& die(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun) {
    return dies_[geometry_.die_index(channel, chip, lun)];
  }
  Open& open(std::uint32_t slot);
  ClassTimeline& class_timeline(std::uint32_t c);
  void add_wait(const fw::WaitingWork& work, TimePs until);
  void judge_refusals(fw::IssuedWork& work);
  void settle(TimePs at, TimePs now);
  void add_what_waits(TimePs at);
  SpanSet work_until(TimePs at) const;

  Geometry geometry_;
  RowLayout rows_;
  bool polls_;
  std::function<TimePs()> now_;
  std::function<void(fw::WorkProbe&)> ask_what_waits_;
  const hw::PowerGrant* power_ = nullptr;
  std::vector<DieTimeline> dies_;
  std::vector<SpanSet> buses_; // in use, by channel
  std::vector<ClassTimeline> classes_;
  std::vector<std::uint32_t> class_of_; // by plane
  SpanSet unseen_;                      // host commands that the firmware has not split yet
  SharedClock clock_;
  BottleneckWatch bottleneck_;
  bool any_issued_ = false;
  SpanSet commands_; // host commands in the drive
  SpanSet buffers_;  // they wait for page buffers of the firmware
  TimePs short_of_buffers_since_ = kNever;
  std::vector<Open> open_; // by slot
  std::vector<Dependency> dependencies_;
  std::vector<TimePs> ready_since_;     // by transaction: when its dependency was over; 0: it had none
  std::vector<TimePs> space_since_;     // by die; kNever: it has space
  std::vector<fw::HeldReason> refused_; // by plane, since the die's last command
  std::vector<Posted> posted_;          // behind doorbells that have not rung
  TimePs waiting_until_ = 0;            // of on_waiting()
  TimePs begin_ = 0, settled_ = 0;
  TimePs limit_ = kNever;
  PlaneTimes before_{};         // begin()
  std::uint32_t unsettled_ = 0; // commands
  TimePs doorbells_at_ = 0;     // the last ones rang then
};

} // namespace twinplane::platform
