// Array operations as a monitor follows them: what is queued, started, suspended or reset, what that does to the
// cells, and how long R/B# is low for it.
#pragma once

#include "hw/monitor/pass_rules.h"
#include "hw/monitor/target_state.h"

namespace twinplane::hw {

class ArrayWatch {
 public:
  explicit ArrayWatch(TargetState& state) : s_(state), pass_rules_(state.config) {}

  void queue_plane(const MonitorCommand& command, const OnfiPhase& phase);
  /// The operation's plane becomes one of the group, unless the LUN has no more planes: then nothing is left of
  /// it.
  bool join(PlaneGroup& group, TimePs at);
  void start(const MonitorCommand& command, const OnfiPhase& phase);
  /// 1Ah.
  void load(const MonitorCommand& command, const OnfiPhase& phase);
  void suspend(const MonitorCommand& command, const OnfiPhase& phase, const BusPlace& place);
  void resume(CellWork work, const OnfiPhase& phase);
  void reset(LunWatch& lun, const OnfiPhase& phase);

 private:
  bool closes_operation(const MonitorCommand& command, TimePs at);
  void forget_group(CellWork work);
  void continue_cache_read(const MonitorCommand& command, const OnfiPhase& phase);
  void start_pass(PlaneGroup& group, const MonitorCommand& command, const OnfiPhase& phase);
  bool goes_on(PlaneGroup& group, bool last, TimePs confirm_end);
  bool check_group(const PlaneGroup& group, TimePs at);
  bool array_is_free(const MonitorCommand& command, TimePs confirm_end);
  bool may_stand_beside_reads(const MonitorCommand& command, const PlaneGroup& group, TimePs confirm_end);
  bool allowed_while_suspended(const PlaneGroup& group, bool cached, TimePs at);
  void check_planes(PlaneGroup& group, bool pass, TimePs at);
  CellBook::RuleResult check_cells(const PlaneGroup& group, std::uint32_t i) const;
  void run(LunWatch& lun, const PlaneGroup& group, const MonitorCommand& command, TimePs confirm_end);
  void expect_plane_read(LunWatch& lun, const PlaneGroup& group, TimePs confirm_end);
  void note_senses(LunWatch& lun, const PlaneGroup& group, TimePs at);
  TimePs array_time(const LunWatch& lun, const PlaneGroup& group) const;

  TargetState& s_;
  PassRules pass_rules_;
};

} // namespace twinplane::hw
