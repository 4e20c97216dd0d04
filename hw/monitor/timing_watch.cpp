#include "hw/monitor/timing_watch.h"

namespace twinplane::hw {

void TimingWatch::check(timing::Event following, TimePs at, std::uint32_t lun) {
  if (!timed_) return;
  const auto broken = [&](const timing::Rule& row) {
    sink_.on_finding({MonitorRule::timing, "came too early", row.name, at, chip_, {lun}});
  };
  gate_.check(following, at, broken);
  if (at < foreign_until_) foreign_.check(following, at, broken);
}

void TimingWatch::check_burst(const OnfiPhase& phase, const ByteTime& rate, std::uint32_t lun) {
  if (!timed_ || phase.end - phase.start >= rate.of(phase.bytes)) return;
  const char* name = config_.bus.ddr ? "tDSC" : phase.kind == PhaseKind::data_in ? "tWC" : "tRC";
  sink_.on_finding({MonitorRule::timing, "burst is too fast", name, phase.start, chip_, {lun}});
}

void TimingWatch::on_foreign_data_out(TimePs at) {
  if (foreign_retimed_) foreign_.set(config_.bus, config_.array);
  foreign_retimed_ = false;
  foreign_.insert(timing::mask(timing::Event::data_out), at);
  foreign_until_ = at + kLongestTurn;
}

} // namespace twinplane::hw
