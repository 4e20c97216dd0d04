#include "hw/nand/package.h"

#include <string>

#include "hw/nand/tenure_expansion.h"

namespace twinplane::hw {

namespace {

constexpr char kReportId[] = "twinplane.nand";
/// Messages per rule and package; the counters go on.
constexpr std::uint64_t kMaxMessages = 10;

NandConfig checked(const NandConfig& config) {
  const std::string problem = check(config);
  if (!problem.empty()) SC_REPORT_FATAL(kReportId, problem.c_str());
  NandConfig complete = config;
  if (!complete.page_order) {
    const Geometry& g = config.geometry;
    complete.page_order =
        std::make_shared<const PageOrderTable>(g.cell, g.pages_per_block, config.page_table);
  }
  return complete;
}

std::vector<Die> make_dies(PackageContext& context) {
  std::vector<Die> dies;
  dies.reserve(context.config.geometry.dies_per_chip);
  for (std::uint32_t lun = 0; lun < context.config.geometry.dies_per_chip; ++lun)
    dies.emplace_back(context, lun);
  return dies;
}

void append(std::string& text, const char* name, std::uint32_t value) {
  if (value != kNotAddressed) text += std::string(" ") + name + " " + std::to_string(value);
}

} // namespace

Package::Package(const sc_core::sc_module_name& name, const NandConfig& config)
    : PackageBlock(name),
      config_(checked(config)),
      context_{config_, *config_.page_order, RowLayout(config_.geometry), *this, {}, {}, {}, 0, config_.bus},
      dies_(make_dies(context_)),
      registers_(config_),
      commands_(config_.slc_enter, config_.slc_leave, config_.one_pass),
      decoders_{Decoder(Face::bus, {context_, dies_, registers_, commands_}),
                Decoder(Face::debug, {context_, dies_, registers_, commands_})} {
  reset_statistics();
  bus.bind(*this);
}

void Package::reset_statistics() {
  context_.statistics = {};
  context_.statistics.dies.resize(config_.geometry.dies_per_chip);
}

std::uint64_t Package::allocated_bytes() const {
  std::uint64_t bytes = 0;
  for (const Die& die : dies_) bytes += die.store().allocated_bytes();
  return bytes;
}

OnfiTenure* Package::execute(Face face, tlm::tlm_generic_payload& payload) {
  auto* tenure = payload.get_extension<OnfiTenure>();
  if (tenure == nullptr) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return nullptr;
  }
  Decoder& decoder = decoders_[static_cast<std::size_t>(face)];
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (tenure->sequence != Sequence::raw && decoder.run_sequence(*tenure)) {
    if (tenure->phase_count != 0) show_in_phases(*tenure);
    return tenure;
  }
  if (tenure->sequence != Sequence::raw && tenure->phase_count == 0) {
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  } else {
    decoder.run(*tenure);
    collect(*tenure);
  }
  return tenure;
}

void Package::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  if (context_.power_cut_at != kNever) return execute_before_cut(payload);
  execute(Face::bus, payload);
}

unsigned Package::transport_dbg(tlm::tlm_generic_payload& payload) {
  const OnfiTenure* tenure = execute(Face::debug, payload);
  if (tenure == nullptr) return 0;
  return tenure->sequence == Sequence::raw ? tenure->phase_count : tenure->plane_count;
}

void Package::on_refusal(const Refusal& refusal) {
  const std::uint64_t count = ++context_.statistics.violations[static_cast<std::size_t>(refusal.rule)];
  Violation violation;
  violation.rule = rule_name(refusal.rule);
  violation.chip = config_.chip;
  violation.lun = refusal.lun;
  violation.time = refusal.time;
  for (NandObserver* observer : context_.observers) observer->on_violation(config_.channel, violation);
  if (config_.strict || count <= kMaxMessages) report(refusal, count);
}

void Package::report(const Refusal& refusal, std::uint64_t count) const {
  const TimePs ns_part = refusal.time / 1000;
  const TimePs ps_part = refusal.time % 1000;
  std::string text = std::string("rule '") + rule_name(refusal.rule) + "' broken at " +
                     std::to_string(ns_part) + "." + std::to_string(1000 + ps_part).substr(1) +
                     " ns: channel " + std::to_string(config_.channel) + " chip " +
                     std::to_string(config_.chip);
  append(text, "lun", refusal.lun);
  append(text, "plane", refusal.plane);
  append(text, "block", refusal.block);
  append(text, "page", refusal.page);
  text += std::string(": ") + refusal.detail;
  if (config_.strict) {
    SC_REPORT_ERROR(kReportId, text.c_str());
    return;
  }
  if (count == kMaxMessages) text += " (further ones of this rule are only counted)";
  SC_REPORT_WARNING(kReportId, text.c_str());
}

} // namespace twinplane::hw
