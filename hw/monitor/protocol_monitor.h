// Protocol monitor of one channel: passive, attached to the channel and its packages by their observer
// hooks. Checks every cycle against the data sheet (command sequences, address cycles, timing rows, busy,
// multi-plane rules, cell state) and compares its judgement with the die's: a tenure that one refuses and
// the other accepts is a finding, too.
//
// Findings are counted by rule, reported as SC_WARNING "twinplane.monitor" (the first ten of each rule;
// SC_ERROR when strict), and passed on to an own sink. A monitor that is not attached costs nothing.
// It follows functional accesses (debug transport) to know what the cells hold, so it must be attached
// before the first one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/core/observer.h"
#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

struct MonitorStatistics {
  std::array<std::uint64_t, kMonitorRules> findings{}; // by MonitorRule
  std::uint64_t tenures = 0;                           // looked at

  std::uint64_t of(MonitorRule rule) const { return findings[static_cast<std::size_t>(rule)]; }
  std::uint64_t total() const;
};

class ProtocolMonitor final : public BusObserver, public NandObserver, private FindingSink {
 public:
  /// One of config.channel; `config.page_order` must be set. Everything is copied.
  explicit ProtocolMonitor(const MonitorConfig& config);
  ~ProtocolMonitor();

  /// Called with each finding, after it has been counted. May be null; must outlive the simulation.
  void forward_to(FindingSink* sink) { forward_ = sink; }
  /// WP# of a target changed.
  void set_write_protect(std::uint32_t chip, bool low, TimePs at);
  /// The supply of all targets will fail at `at`: cycles whose effect would come then or later do nothing.
  void announce_power_cut(TimePs at);
  /// That time has come: of what the monitor knows the cells are left, with the erases that were interrupted.
  void cut_power();
  /// What it knows of the cells.
  void serialise(StateVisitor& state);
  /// End of simulation: what is still open now stays open.
  void finish(TimePs at);

  const MonitorStatistics& statistics() const { return statistics_; }

  // --- hooks ---
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  void on_functional(std::uint32_t channel, std::uint32_t chip, const OnfiTenure& tenure) override;
  void on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) override;
  void on_array(std::uint32_t channel, const ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                     TimePs at) override;
  void on_violation(std::uint32_t channel, const Violation& violation) override;

 private:
  /// One CE#: the bus view, the functional view, the cells behind both.
  struct Target;

  void on_finding(const Finding& finding) override;
  void compare(std::uint32_t chip, TimePs at);
  void report(const Finding& finding, std::uint64_t count) const;

  MonitorConfig config_;
  std::vector<std::unique_ptr<Target>> targets_;
  MonitorStatistics statistics_;
  FindingSink* forward_ = nullptr;
  // of the tenure that is being looked at
  std::uint64_t judgements_ = 0;        // findings that a die may share
  std::uint64_t refusals_expected_ = 0; // ... that it must share
  const char* die_refused_ = nullptr;   // the rule it named
};

} // namespace twinplane::hw
