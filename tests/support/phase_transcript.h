// What a transactor at the pins tells observers, as text.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "hw/core/observer.h"
#include "hw/core/onfi_tenure.h"

namespace twinplane::test {

/// Phases as text: "60h a3 D0h", data with their bytes.
struct PhaseTranscript final : hw::BusObserver {
  std::vector<std::string> tenures;
  std::vector<hw::OnfiPhase> last; // phases of the last tenure
  TimePs start = 0;
  TimePs end = 0;

  void on_tenure(std::uint32_t, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs from,
                 TimePs to) override {
    std::string text = "chip" + std::to_string(chip);
    for (std::uint32_t i = 0; i < tenure.phase_count; ++i) text += " " + phase_text(tenure.phases[i]);
    tenures.push_back(text);
    last.assign(tenure.phases.begin(), tenure.phases.begin() + tenure.phase_count);
    start = from;
    end = to;
  }
  static std::string phase_text(const hw::OnfiPhase& p) {
    char opcode[8];
    switch (p.kind) {
      case hw::PhaseKind::command:
        std::snprintf(opcode, sizeof opcode, "%02Xh", p.opcode);
        return opcode;
      case hw::PhaseKind::address:
        return "a" + std::to_string(p.address_cycles);
      case hw::PhaseKind::data_in:
        return "in" + std::to_string(p.bytes);
      case hw::PhaseKind::data_out:
        return "out" + std::to_string(p.bytes) + (p.data != nullptr ? ":" + std::to_string(*p.data) : "");
    }
    return "";
  }
};

} // namespace twinplane::test
