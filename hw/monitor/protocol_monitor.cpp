#include "hw/monitor/protocol_monitor.h"

#include <numeric>
#include <string>
#include <systemc>

namespace twinplane::hw {

namespace {

constexpr char kReportId[] = "twinplane.monitor";
/// Messages per rule; the counters go on.
constexpr std::uint64_t kMaxMessages = 10;

std::string text_of(TimePs at) {
  return std::to_string(at / 1000) + "." + std::to_string(1000 + at % 1000).substr(1) + " ns";
}

void append(std::string& text, const char* name, std::uint32_t value) {
  if (value != kUnknownPlace) text += std::string(" ") + name + " " + std::to_string(value);
}

std::vector<CellBook> make_books(const MonitorConfig& config) {
  std::vector<CellBook> books;
  books.reserve(config.geometry.dies_per_chip);
  for (std::uint32_t lun = 0; lun < config.geometry.dies_per_chip; ++lun) books.emplace_back(config);
  return books;
}

} // namespace

std::uint64_t MonitorStatistics::total() const {
  return std::accumulate(findings.begin(), findings.end(), std::uint64_t{0});
}

struct ProtocolMonitor::Target {
  Target(const MonitorConfig& config, std::uint32_t chip, FindingSink& sink)
      : books(make_books(config)),
        bus(config, chip, true, books, sink),
        functional(config, chip, false, books, sink) {}

  std::vector<CellBook> books; // by LUN
  TargetWatch bus;
  TargetWatch functional;
};

ProtocolMonitor::ProtocolMonitor(const MonitorConfig& config) : config_(config) {
  FindingSink& sink = *this;
  for (std::uint32_t chip = 0; chip < config_.geometry.chips_per_channel; ++chip) {
    targets_.push_back(std::make_unique<Target>(config_, chip, sink));
  }
}

ProtocolMonitor::~ProtocolMonitor() = default;

void ProtocolMonitor::set_write_protect(std::uint32_t chip, bool low, TimePs at) {
  targets_[chip]->bus.set_write_protect(low, at);
}

void ProtocolMonitor::announce_power_cut(TimePs at) {
  for (auto& target : targets_) target->bus.announce_power_cut(at);
}

void ProtocolMonitor::cut_power() {
  for (auto& target : targets_) {
    target->bus.cut_power();
    target->functional.cut_power();
  }
}

void ProtocolMonitor::serialise(StateVisitor& state) {
  for (auto& target : targets_) {
    for (CellBook& book : target->books) book.serialise(state);
  }
}

void ProtocolMonitor::finish(TimePs at) {
  for (auto& target : targets_) target->bus.finish(at);
}

// --- hooks ---

void ProtocolMonitor::on_tenure(std::uint32_t, std::uint32_t chip, const OnfiTenure& tenure, TimePs start,
                                TimePs) {
  ++statistics_.tenures;
  targets_[chip]->bus.on_tenure(tenure, start);
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    if (tenure.phases[i].kind != PhaseKind::data_out) continue;
    for (std::uint32_t other = 0; other < targets_.size(); ++other) {
      if (other != chip) targets_[other]->bus.timing().on_foreign_data_out(tenure.phases[i].end);
    }
  }
  compare(chip, start);
}

void ProtocolMonitor::on_functional(std::uint32_t, std::uint32_t chip, const OnfiTenure& tenure) {
  targets_[chip]->functional.on_tenure(tenure, 0);
  compare(chip, 0);
}

void ProtocolMonitor::on_timing(std::uint32_t, const BusTiming& bus, TimePs) {
  config_.bus = bus;
  for (auto& target : targets_) target->bus.timing().set_mode();
}

void ProtocolMonitor::on_array(std::uint32_t, const ArrayOperation& operation) {
  targets_[operation.chip]->bus.on_array_end(operation.lun, operation.end);
}

void ProtocolMonitor::on_ready_busy(std::uint32_t, std::uint32_t chip, std::uint32_t lun, bool ready,
                                    TimePs at) {
  targets_[chip]->bus.on_ready_busy(lun, ready, at);
}

void ProtocolMonitor::on_violation(std::uint32_t, const Violation& violation) {
  die_refused_ = violation.rule;
}

// --- findings ---

/// The die said what it thinks of the tenure while it executed it, the monitor has just done so.
void ProtocolMonitor::compare(std::uint32_t chip, TimePs at) {
  Finding finding;
  finding.rule = MonitorRule::disagreement;
  finding.time = at;
  finding.chip = chip;
  if (die_refused_ != nullptr && judgements_ == 0) {
    finding.detail = "the die refused what the monitor accepts";
    finding.name = die_refused_;
  } else if (die_refused_ == nullptr && refusals_expected_ != 0) {
    finding.detail = "the die accepted what the monitor refuses";
  }
  const bool differ = finding.detail[0] != '\0';
  if (differ && config_.sees_dies) on_finding(finding);
  judgements_ = refusals_expected_ = 0;
  die_refused_ = nullptr;
}

void ProtocolMonitor::on_finding(const Finding& finding) {
  const std::uint64_t count = ++statistics_.findings[static_cast<std::size_t>(finding.rule)];
  // R/B# and status bytes are what the die did, and dies do not measure times.
  if (finding.rule < MonitorRule::ready_busy && finding.rule != MonitorRule::timing) ++judgements_;
  if (row_of(finding.rule).die_refuses) ++refusals_expected_;
  if (config_.strict || count <= kMaxMessages) report(finding, count);
  if (forward_ != nullptr) forward_->on_finding(finding);
}

void ProtocolMonitor::report(const Finding& finding, std::uint64_t count) const {
  std::string text = std::string("rule '") + row_of(finding.rule).name + "'";
  if (finding.name[0] != '\0') text += std::string(" (") + finding.name + ")";
  text += " broken at " + text_of(finding.time) + ": channel " + std::to_string(config_.channel) + " chip " +
          std::to_string(finding.chip);
  append(text, "lun", finding.place.lun);
  append(text, "plane", finding.place.plane);
  append(text, "block", finding.place.block);
  append(text, "page", finding.place.page);
  text += std::string(": ") + finding.detail;
  if (config_.strict) {
    SC_REPORT_ERROR(kReportId, text.c_str());
    return;
  }
  if (count == kMaxMessages) text += " (further ones of this rule are only counted)";
  SC_REPORT_WARNING(kReportId, text.c_str());
}

} // namespace twinplane::hw
