#include "hw/nand/package.h"

#include <string>

#include "hw/core/block_error.h"
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
      decoders_{Decoder(AccessMode::bus, {context_, dies_, registers_, commands_}),
                Decoder(AccessMode::debug, {context_, dies_, registers_, commands_})} {
  reset_statistics();
  bus.bind(*this);
}

void Package::reset_statistics() {
  context_.statistics = {};
  context_.statistics.dies.resize(config_.geometry.dies_per_chip);
}

std::uint64_t Package::allocated_bytes() const {
  std::uint64_t bytes = 0;
  for (const Die& die : dies_) bytes += die.cells().store().allocated_bytes();
  return bytes;
}

namespace {

/// Null, and answered, when there is no tenure that makes sense.
OnfiTenure* tenure_of(tlm::tlm_generic_payload& payload) {
  auto* const tenure = payload.get_extension<OnfiTenure>();
  if (tenure != nullptr && tenure->well_formed()) return tenure;
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  return nullptr;
}

void answer(tlm::tlm_generic_payload& payload, bool done) {
  payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_INCOMPLETE_RESPONSE);
}

} // namespace

/// False, with nothing done: it takes the sequence's phases.
inline bool Package::execute(AccessMode mode, OnfiTenure& tenure) {
  Decoder& decoder = decoders_[static_cast<std::size_t>(mode)];
  if (tenure.sequence != Sequence::raw) {
    if (decoder.run_sequence(tenure)) {
      if (tenure.phase_count != 0) show_in_phases(tenure);
      return true;
    }
    if (tenure.phase_count == 0) return false;
  }
  decoder.run(tenure);
  collect(tenure);
  return true;
}

bool Package::take_tenure(std::uint32_t /*chip*/, OnfiTenure& tenure, TimePs /*start*/, TimePs& /*end*/) {
  if (context_.power_cut_at != kNever) return execute_before_cut(tenure);
  return execute(AccessMode::bus, tenure);
}

void Package::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  TimePs end = 0;
  if (OnfiTenure* const tenure = tenure_of(payload)) answer(payload, take_tenure(0, *tenure, 0, end));
}

unsigned Package::transport_dbg(tlm::tlm_generic_payload& payload) {
  OnfiTenure* const tenure = tenure_of(payload);
  if (tenure == nullptr) return 0;
  answer(payload, execute(AccessMode::debug, *tenure));
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

// --- power cuts and saved drives ---

/// The phases that come before the cut. A cycle counts when its effect, tWB behind its end, does: what begins
/// at the cut has not begun. Data out and status need no such care, for they leave nothing in the cells.
bool Package::execute_before_cut(OnfiTenure& tenure) {
  const TimePs tWB = context_.bus.tWB;
  const auto before = [&](TimePs end) { return end + tWB < context_.power_cut_at; };
  if (tenure.sequence != Sequence::raw && tenure.phase_count == 0) {
    const bool outputs = tenure.sequence == Sequence::data_out || tenure.sequence == Sequence::status;
    if (!outputs && !before(tenure.planes[tenure.plane_count - 1].end)) return false;
    return execute(AccessMode::bus, tenure);
  }
  const std::uint32_t all = tenure.phase_count;
  std::uint32_t count = 0;
  while (count < all && before(tenure.phases[count].end)) ++count;
  if (count == all) return execute(AccessMode::bus, tenure);
  tenure.phase_count = count;
  decoders_[static_cast<std::size_t>(AccessMode::bus)].run(tenure);
  tenure.phase_count = all;
  collect(tenure);
  return true;
}

void Package::cut_power() {
  if (context_.power_cut_at == kNever) {
    report_unable(name(), "a power cut that has not been announced");
    return;
  }
  for (Die& die : dies_) die.cut_power(context_.power_cut_at);
  registers_.power_on(config_);
  context_.bus = config_.bus;
  for (Decoder& decoder : decoders_) decoder.power_on();
  context_.power_cut_at = kNever;
}

void Package::serialise(StateVisitor& state) {
  for (Die& die : dies_) die.cells().serialise(state);
}

} // namespace twinplane::hw
