// The monitor's view of one CE#: follows the cycles of its tenures and says which of them break a rule.
//
// An implementation of its own, from the standard's command descriptions; it shares nothing with the die
// but hw/spec. After a finding inside an operation the rest of the operation's cycles is passed over,
// because a part ignores it.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/monitor/lun_watch.h"
#include "hw/monitor/timing_gate.h"

namespace twinplane::hw {

class TargetWatch {
 public:
  /// `timed`: a bus. Otherwise cycles without times (debug transport): no timing, nothing ever busy.
  /// `books` has one entry per LUN; both kinds of view share it.
  TargetWatch(const MonitorConfig& config, std::uint32_t chip, bool timed, std::vector<CellBook>& books,
              FindingSink& sink);

  /// A tenure with times on its phases; R/B# reports of its LUNs have been given before.
  void on_tenure(const OnfiTenure& tenure, TimePs start);
  void on_ready_busy(std::uint32_t lun, bool ready, TimePs at);
  void on_array_end(std::uint32_t lun, TimePs at) { luns_[lun].array_reported = at; }
  void set_write_protect(bool low, TimePs at);
  void announce_power_cut(TimePs at) { power_cut_at_ = at; }
  /// Everything but the cells is as after power-on.
  void cut_power();
  void set_timing(const BusTiming& bus, const ArrayTiming& array) {
    gate_.set(bus, array);
    foreign_retimed_ = true;
  }
  /// Another target drove data out until `at`: the bus turns round for everybody, in the time of that one's
  /// mode.
  void on_foreign_data_out(TimePs at) {
    if (foreign_retimed_) foreign_.set(config_.bus, config_.array);
    foreign_retimed_ = false;
    foreign_.insert(timing::mask(timing::Event::data_out), at);
    foreign_until_ = at + kLongestTurn;
  }
  /// The simulation ends: planes that wait for a start will wait for ever.
  void finish(TimePs at);

 private:
  enum class Stage : std::uint8_t { closed, opened, addressed, loaded, passed_over };
  enum class Output : std::uint8_t { none, status, page, registers };
  struct Operation {
    CellWork work = CellWork::none;
    Stage stage = Stage::closed;
    bool cancel = false; // 60h and a row of ones: D1h takes the queued planes back
    BusPlace place;
    std::uint32_t sectors = 0;
    std::uint32_t copies = 0; // copyback: moves in a row, this one among them
  };

  // cycles (target_watch.cpp)
  void on_command(const OnfiPhase& phase);
  void on_address(const OnfiPhase& phase);
  void on_data_in(const OnfiPhase& phase);
  void on_data_out(const OnfiPhase& phase);
  void check_status_byte(const OnfiPhase& phase);
  void check_page_out(const OnfiPhase& phase);
  void take_feature(const OnfiPhase& phase);
  void status_read(LunWatch& lun, std::uint32_t planes, TimePs at);
  void open(CellWork work, TimePs at);
  void check_70h(TimePs at);

  // addresses (target_watch_address.cpp)
  std::uint32_t cycles(AddressShape shape) const;
  BusPlace decode(const OnfiPhase& phase, std::uint32_t first) const;
  bool exists(const BusPlace& place, TimePs at);
  bool column_fits(const OnfiPhase& phase);
  void address_operation(const OnfiPhase& phase);
  void check_fresh_operation(LunWatch& lun, const BusPlace& place, TimePs at);
  bool joins_queue(const BusPlace& place, TimePs at);
  void address_load(const OnfiPhase& phase);
  void change_row(const BusPlace& place, const OnfiPhase& phase);
  void reopen_or_copy(const BusPlace& place, const OnfiPhase& phase);
  bool takes_copyback(const BusPlace& place);
  void address_column(const OnfiPhase& phase);
  void address_target(const OnfiPhase& phase);
  void address_lun_feature(const OnfiPhase& phase);

  // array operations (target_watch_array.cpp)
  void queue_plane(const MonitorCommand& command, const OnfiPhase& phase);
  bool join(PlaneGroup& group, TimePs at);
  void forget_group(CellWork work);
  void start(const MonitorCommand& command, const OnfiPhase& phase);
  void continue_cache_read(const MonitorCommand& command, const OnfiPhase& phase);
  bool closes_operation(const MonitorCommand& command, TimePs at);
  bool judge_group(PlaneGroup& group, TimePs at);
  bool array_is_free(const MonitorCommand& command, TimePs confirm_end);
  void judge_planes(PlaneGroup& group, TimePs at);
  bool allowed_while_suspended(const PlaneGroup& group, bool cached, TimePs at);
  bool may_stand_beside_reads(const MonitorCommand& command, const PlaneGroup& group, TimePs confirm_end);
  void expect_plane_read(LunWatch& lun, const PlaneGroup& group, TimePs confirm_end);
  void run(LunWatch& lun, const PlaneGroup& group, const MonitorCommand& command, TimePs confirm_end);
  void write_cells(LunWatch& lun, const PlaneGroup& group);
  void suspend(const MonitorCommand& command, const OnfiPhase& phase, const BusPlace* place);
  void resume(CellWork work, const OnfiPhase& phase);
  /// R/B# falls after a cycle that ended at `end`; `low` is kNever when the table does not say how long.
  void expect_busy(LunWatch& lun, TimePs end, TimePs low);

  // one-pass programming (target_watch_pass.cpp)
  void load(const MonitorCommand& command, const OnfiPhase& phase);
  void start_pass(PlaneGroup& group, const MonitorCommand& command, const OnfiPhase& phase);
  bool goes_on(PlaneGroup& group, bool last, TimePs confirm_end);
  const char* misfit(const BusPlace& place, bool last) const;
  void judge_wordlines(PlaneGroup& group, TimePs at);

  // resets and power cuts (target_watch_reset.cpp)
  void reset(LunWatch& lun, const OnfiPhase& phase);
  static void forget_operations(LunWatch& lun);

  // modes of blocks and levels of reads (target_watch_modes.cpp)
  void take_prefix(bool slc, TimePs at);
  void note_senses(LunWatch& lun, const PlaneGroup& group, TimePs at);
  TimePs array_time(const LunWatch& lun, const PlaneGroup& group) const;

  // shared
  LunWatch& lun() { return luns_[lun_]; }
  bool busy(const LunWatch& lun, TimePs at) const { return timed_ && lun.busy(at); }
  /// The same for the plane that is selected for data out.
  bool output_busy(const LunWatch& lun, TimePs at) const {
    return timed_ && lun.planes_busy(1u << lun.plane, at);
  }
  void find(MonitorRule rule, const char* detail, TimePs at, const BusPlace& place = {});
  void check_timing(timing::Event following, TimePs at);
  void check_burst(const OnfiPhase& phase, const ByteTime& rate);

  const MonitorConfig& config_;
  RowLayout layout_;
  std::uint32_t row_cycles_;
  std::uint32_t chip_;
  bool timed_;
  FindingSink& sink_;
  TimingGate gate_;
  TimingGate foreign_; // data out of other targets, in the mode that these had
  bool foreign_retimed_ = false;
  static constexpr TimePs kLongestTurn = us(1); // no mode takes longer
  TimePs foreign_until_ = 0;
  std::vector<LunWatch> luns_;

  Operation operation_;
  MonitorCommand command_;     // the last one
  bool wants_address_ = false; // it has not come yet
  TimePs command_at_ = 0;
  bool column_addressed_ = false; // 05h or 06h has its address
  bool group_open_ = false;       // the last plane ended with 32h, 11h or D1h
  bool slc_ = false;
  bool feature_addressed_ = false;
  std::uint8_t feature_ = 0;
  bool feature_of_lun_ = false; // D5h
  bool write_protected_ = false;
  TimePs power_cut_at_ = kNever; // announced
  Output output_ = Output::none;
  bool registers_wait_ = false; // behind a status: 00h leads back to them
  std::uint32_t lun_ = 0;       // last addressed
  bool lun_selected_ = false;   // ... by 78h or 06h
  std::uint32_t status_planes_ = 0;
};

} // namespace twinplane::hw
