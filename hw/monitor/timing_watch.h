// Times on the bus of one CE#: every cycle against the rows of hw/spec/timing_rules.h, and bursts against the rate
// of the mode. Cycles without times (debug transport) are not looked at.
#pragma once

#include <cstdint>

#include "hw/core/onfi_tenure.h"
#include "hw/monitor/monitor_config.h"
#include "hw/monitor/monitor_rules.h"
#include "hw/monitor/timing_gate.h"

namespace twinplane::hw {

class TimingWatch {
 public:
  TimingWatch(const MonitorConfig& config, std::uint32_t chip, bool timed, FindingSink& sink)
      : config_(config),
        chip_(chip),
        timed_(timed),
        sink_(sink),
        gate_(config.bus, config.array),
        foreign_(config.bus, config.array) {}

  void insert(timing::EventMask events, TimePs at) { gate_.insert(events, at); }
  /// `lun` is for the message, as everywhere here.
  void check(timing::Event following, TimePs at, std::uint32_t lun);
  /// A burst must not be faster than the rate of the mode.
  void check_burst(const OnfiPhase& phase, const ByteTime& rate, std::uint32_t lun);
  /// The configuration has another mode.
  void set_mode() {
    gate_.set(config_.bus, config_.array);
    foreign_retimed_ = true;
  }
  /// Another target drove data out until `at`: the bus turns round for every target, in the time of that one's
  /// mode.
  void on_foreign_data_out(TimePs at);

 private:
  static constexpr TimePs kLongestTurn = us(1); // no mode takes longer

  const MonitorConfig& config_;
  std::uint32_t chip_;
  bool timed_;
  FindingSink& sink_;
  TimingGate gate_;
  TimingGate foreign_; // data out of other targets, in the mode that these had
  bool foreign_retimed_ = false;
  TimePs foreign_until_ = 0;
};

} // namespace twinplane::hw
