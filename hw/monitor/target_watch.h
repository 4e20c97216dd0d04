// The monitor's view of one CE#: follows the cycles of its tenures and says which of them break a rule.
//
// An implementation of its own, from the standard's command descriptions; it shares nothing with the die
// but hw/spec. After a finding inside an operation the rest of the operation's cycles is passed over,
// because a part ignores it.
#pragma once

#include <vector>

#include "hw/monitor/address_watch.h"
#include "hw/monitor/array_watch.h"
#include "hw/monitor/data_watch.h"
#include "hw/monitor/target_state.h"

namespace twinplane::hw {

class TargetWatch {
 public:
  /// `timed`: a bus. Otherwise cycles without times (debug transport): no timing, nothing ever busy.
  /// `books` has one entry per LUN; both kinds of view share it.
  TargetWatch(const MonitorConfig& config, std::uint32_t chip, bool timed, std::vector<CellBook>& books,
              FindingSink& sink)
      : s_(config, chip, timed, books, sink) {}
  TargetWatch(const TargetWatch&) = delete; // its parts share the state
  TargetWatch& operator=(const TargetWatch&) = delete;

  /// A tenure with times on its phases; R/B# reports of its LUNs have been given before.
  void on_tenure(const OnfiTenure& tenure, TimePs start);
  void on_ready_busy(std::uint32_t lun, bool ready, TimePs at);
  void on_array_end(std::uint32_t lun, TimePs at) { s_.luns[lun].array_reported = at; }
  void set_write_protect(bool low, TimePs at);
  void announce_power_cut(TimePs at) { s_.power_cut_at = at; }
  /// Everything but the cells is as after power-on.
  void cut_power();
  TimingWatch& timing() { return s_.timing; }
  /// The simulation ends: planes that wait for a start will wait for ever.
  void finish(TimePs at);

 private:
  void on_command(const OnfiPhase& phase);
  void begin(const MonitorCommand& command, const OnfiPhase& phase);
  void open(CellWork work, TimePs at);
  void join_group(CellWork work, TimePs at);
  void check_70h(TimePs at);
  void take_prefix(bool slc, TimePs at);

  TargetState s_;
  ArrayWatch array_{s_};
  AddressWatch addresses_{s_, array_};
  DataWatch data_{s_};
};

} // namespace twinplane::hw
