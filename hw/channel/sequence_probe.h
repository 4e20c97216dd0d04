// Every variant of every command sequence, expanded and timed: what constants of a sequence are measured on.
// The channel measures the times of planes (sequence_timing.h), the waves the phases that a bus shows
// (platform/observe/waves/phase_scripts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hw/channel/tenure_timing.h"
#include "hw/core/onfi_tenure.h"
#include "hw/nand/tenure_expansion.h"

namespace twinplane::hw {

constexpr std::size_t kSequenceVariants = 2 * kSequences * (sequence_form::mask + 1u);

/// Number of the variant of a sequence: its row cycles, its kind and its form.
inline std::size_t variant_of(const OnfiTenure& tenure) {
  const std::size_t long_rows = tenure.row_cycles == 3 ? 0 : 1;
  return (long_rows * kSequences + static_cast<std::size_t>(tenure.sequence)) * (sequence_form::mask + 1u) +
         tenure.form;
}

/// A tenure that begins at 0 and moves no page data.
struct SequenceProbe {
  OnfiTenure tenure;
  TimePs end = 0;
  BusUseTimes use{};

  /// Phases before those of the first plane: the SLC prefix.
  std::uint32_t prefix() const {
    return tenure.sequence < Sequence::data_out && tenure.has(sequence_form::slc) ? 1 : 0;
  }
  /// The first phase of a plane; of the number of planes: one behind the last phase.
  std::uint32_t first_phase(std::uint32_t plane) const {
    return prefix() + plane * ((tenure.phase_count - prefix()) / tenure.plane_count);
  }
};

/// Calls visit(const SequenceProbe&) for every variant.
template <typename Visit>
void visit_sequences(const TenureTiming& timing, std::uint32_t planes, Visit&& visit) {
  const auto probe = std::make_unique<SequenceProbe>();
  OnfiTenure& tenure = probe->tenure;
  tenure.plane_count = planes;
  for (const std::uint8_t row_cycles : {std::uint8_t{3}, std::uint8_t{4}}) {
    for (std::size_t sequence = 1; sequence < kSequences; ++sequence) {
      for (std::uint8_t form = 0; form <= sequence_form::mask; ++form) {
        tenure.row_cycles = row_cycles;
        tenure.sequence = static_cast<Sequence>(sequence);
        tenure.form = form;
        expand(tenure, timing.bus().ddr);
        probe->use = {};
        probe->end = timing.stamp(tenure, 0, probe->use);
        visit(static_cast<const SequenceProbe&>(*probe));
      }
    }
  }
}

} // namespace twinplane::hw
