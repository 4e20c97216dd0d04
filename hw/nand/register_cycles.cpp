#include "hw/nand/cycles.h"

#include <optional>

namespace twinplane::hw {

void RegisterCycles::address_target(Action action, const OnfiPhase& phase) {
  s_.output = Output::none;
  for (const Die& d : s_.target.dies) {
    if (!s_.timed() || !d.timeline().array_busy(s_.waiting.since)) continue;
    return s_.refuse(Rule::busy, "expected every LUN of the target ready", phase);
  }
  address_ = phase.address[0];
  lun_ = offset_ = 0;
  const bool feature = action == Action::get_features || action == Action::set_features;
  if (feature && s_.target.registers.feature(0, address_) == nullptr)
    return s_.refuse(Rule::bad_address, "expected a feature address of this part", phase);
  if (action == Action::set_features) {
    s_.input = Input::features;
    return;
  }
  s_.output = feature                            ? Output::features
              : action == Action::id             ? Output::id
              : action == Action::parameter_page ? Output::parameter_page
                                                 : Output::unique_id;
  if (action == Action::id || !s_.timed()) return;
  const TimePs busy = feature ? s_.array_timing().tFEAT : s_.array_timing().tR[0];
  for (Die& d : s_.target.dies) d.timeline().occupy(s_.array_start(phase.end), busy);
}

void RegisterCycles::address_lun_feature(Action action, const OnfiPhase& phase) {
  s_.output = Output::none;
  s_.operation.stage = Stage::refused; // until every check has passed
  const RowAddress at{phase.address[0], {}};
  if (!s_.exists(at, phase)) return;
  if (s_.array_busy(s_.waiting.since)) return s_.refuse(Rule::busy, "expected an idle LUN", phase);
  address_ = phase.address[1];
  offset_ = 0;
  if (!s_.target.registers.has_lun_feature(address_)) // the interface belongs to the target
    return s_.refuse(Rule::bad_address, "expected a feature address of a LUN of this part", phase);
  s_.operation.stage = Stage::closed;
  lun_ = s_.lun;
  if (action == Action::set_lun_features) {
    s_.input = Input::lun_features;
    return;
  }
  s_.output = Output::features;
  s_.occupy(phase, s_.array_timing().tFEAT);
}

void RegisterCycles::store_feature(const OnfiPhase& phase) {
  const bool of_lun = s_.input == Input::lun_features;
  s_.input = Input::none;
  TargetRegisters& registers = s_.target.registers;
  const std::uint32_t copies = s_.ddr() ? 2 : 1;
  TargetRegisters::Parameters values{};
  if (phase.data == nullptr || phase.bytes != values.size() * copies)
    return s_.refuse(Rule::protocol, "expected a feature address and four parameters", phase);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = phase.data[i * copies];
  const bool level = address_ == onfi::feature::read_retry;
  if (level && values[0] >= kReadLevels)
    return s_.refuse(Rule::bad_address, "expected a read level of this part", phase);
  if (address_ == onfi::feature::timing_mode && registers.has_timing_modes()) {
    const std::optional<BusTiming> timing = registers.timing_of(values[0]);
    if (!timing) return s_.refuse(Rule::bad_address, "expected a timing mode of this part", phase);
    if (s_.timed()) s_.switch_timing(*timing);
  }
  for (std::uint32_t lun = of_lun ? lun_ : 0; lun < (of_lun ? lun_ + 1 : s_.rows.luns()); ++lun) {
    *registers.feature(lun, address_) = values;
    Die& die = s_.target.dies[lun];
    if (level) die.cells().set_read_level(values[0]);
    if (s_.timed()) die.timeline().occupy(s_.array_start(phase.end), s_.array_timing().tFEAT);
  }
}

void RegisterCycles::answer(OnfiPhase& phase) {
  for (std::uint32_t i = 0; i < phase.bytes; ++i) phase.data[i] = answer_byte(offset_ + i);
  offset_ += phase.bytes;
}

std::uint8_t RegisterCycles::answer_byte(std::uint32_t offset) const {
  TargetRegisters& registers = s_.target.registers;
  const std::uint32_t single = s_.ddr() ? offset / 2 : offset;
  switch (s_.output) {
    case Output::id:
      return registers.id(address_, single);
    case Output::parameter_page: {
      const auto& page = registers.parameter_page();
      return offset < page.size() ? page[offset] : std::uint8_t{0};
    }
    case Output::unique_id:
      return registers.unique_id(offset);
    case Output::features: {
      const TargetRegisters::Parameters* p = registers.feature(lun_, address_);
      return p != nullptr && single < p->size() ? (*p)[single] : std::uint8_t{0};
    }
    default:
      return 0;
  }
}

} // namespace twinplane::hw
