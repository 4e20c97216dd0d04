// Where one CE# is, as a monitor sees it: the LUNs, the operation that its cycles describe, and what an answer
// would come from. What the parts of a TargetWatch share.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/monitor/lun_watch.h"
#include "hw/monitor/timing_watch.h"

namespace twinplane::hw {

enum class WatchStage : std::uint8_t { closed, opened, addressed, loaded, passed_over };
enum class WatchOutput : std::uint8_t { none, status, page, registers };

struct TargetState {
  using Stage = WatchStage;
  using Output = WatchOutput;
  struct Operation {
    CellWork work = CellWork::none;
    Stage stage = Stage::closed;
    bool cancel = false; // 60h and a row of ones: D1h takes the queued planes back
    BusPlace place;
    std::uint32_t sectors = 0;
    std::uint32_t copies = 0; // copyback: moves in a row, this one among them
  };

  TargetState(const MonitorConfig& data_sheet, std::uint32_t chip_of_channel, bool of_bus,
              std::vector<CellBook>& books, FindingSink& finding_sink);

  const MonitorConfig& config;
  RowLayout layout;
  std::uint32_t row_cycles;
  std::uint32_t chip;
  bool timed; // a bus; otherwise nothing is ever busy
  FindingSink& sink;
  TimingWatch timing;
  std::vector<LunWatch> luns;

  Operation operation;
  MonitorCommand command;     // the last one
  bool wants_address = false; // it has not come yet
  TimePs command_at = 0;
  bool column_addressed = false; // 05h or 06h has its address
  bool group_open = false;       // the last plane ended with 32h, 11h or D1h
  bool slc = false;
  bool feature_addressed = false;
  std::uint8_t feature = 0;
  bool feature_of_lun = false; // D5h
  bool write_protected = false;
  TimePs power_cut_at = kNever; // announced
  Output output = Output::none;
  bool registers_wait = false;  // behind a status: 00h leads back to them
  std::uint32_t lun_number = 0; // last addressed, or the operation's
  bool lun_selected = false;    // ... by 78h or 06h
  std::uint32_t status_planes = 0;

  LunWatch& lun() { return luns[lun_number]; }
  const LunWatch& lun() const { return luns[lun_number]; }
  /// The cycles to come are the operation's, whichever LUN was named since its address.
  void select_operation() { lun_number = operation.place.lun; }
  /// The LUN with planes of this kind in its queue; the last addressed one when there is none.
  LunWatch& lun_of_queue(CellWork work);
  std::uint32_t number(const LunWatch& of) const { return static_cast<std::uint32_t>(&of - luns.data()); }
  bool busy(const LunWatch& of, TimePs at) const { return timed && of.busy(at); }
  /// Its LUN is busy, or of a read beside those of other planes its plane.
  bool operation_busy(TimePs at) const {
    const LunWatch& of = lun();
    if (operation.work != CellWork::read || !of.planes_read(at)) return busy(of, at);
    return timed && of.planes_busy(1u << operation.place.plane, at);
  }
  /// The same for the plane that is selected for data out.
  bool output_busy(const LunWatch& of, TimePs at) const {
    return timed && of.planes_busy(1u << of.plane, at);
  }
  bool inside_operation() const {
    return operation.stage == Stage::addressed || operation.stage == Stage::loaded;
  }

  BusPlace decode(const OnfiPhase& phase, std::uint32_t first) const;
  /// LUN and plane exist; selects the LUN.
  bool exists(const BusPlace& place, TimePs at);
  bool column_fits(const OnfiPhase& phase);
  void find(MonitorRule rule, const char* detail, TimePs at, const BusPlace& place = {});
  /// R/B# falls after a cycle that ended at `end`; `low` is kNever when the table does not say how long.
  void expect_busy(LunWatch& of, TimePs end, TimePs low);
  /// Everything but the cells is as after power-on.
  void power_on();
};

} // namespace twinplane::hw
