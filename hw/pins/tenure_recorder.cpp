#include "hw/pins/tenure_recorder.h"

#include <algorithm>

namespace twinplane::hw {

OnfiPhase* TenureRecorder::running_output(bool page) {
  if (tenure_.phase_count == 0) return nullptr;
  OnfiPhase& last = tenure_.phases[tenure_.phase_count - 1];
  return last.kind == PhaseKind::data_out && (last.data == nullptr) == page ? &last : nullptr;
}

OnfiPhase& TenureRecorder::append(const OnfiPhase& phase) {
  if (tenure_.phase_count == OnfiTenure::kMaxPhases) close(phase.start);
  return tenure_.phases[tenure_.phase_count++] = phase;
}

void TenureRecorder::add(const OnfiPhase& phase, TimePs start) {
  if (observers_.empty()) return;
  OnfiPhase* output = phase.kind == PhaseKind::data_out ? running_output(false) : nullptr;
  if (output != nullptr) {
    output->bytes += phase.bytes;
    output->end = phase.end;
  } else {
    OnfiPhase& own = append(phase);
    own.start = std::max(start, start_);
    own.sectors = nullptr; // the buffer will have changed when the tenure is told
    own.oob = own.words = nullptr;
  }
  if (phase.data != nullptr) small_.insert(small_.end(), phase.data, phase.data + phase.bytes);
}

void TenureRecorder::page_byte(std::uint32_t sector, TimePs start, TimePs end) {
  if (observers_.empty()) return;
  OnfiPhase* output = running_output(true);
  if (output == nullptr) {
    OnfiPhase page;
    page.kind = PhaseKind::data_out;
    page.start = start;
    output = &append(page);
  }
  ++output->bytes;
  output->end = end;
  if (sector < kMaxSectorsPerPage) output->sector_mask |= 1u << sector;
}

void TenureRecorder::close(TimePs at) {
  if (tenure_.phase_count != 0) {
    std::uint8_t* next = small_.data();
    for (std::uint32_t i = 0; i < tenure_.phase_count; ++i) {
      OnfiPhase& phase = tenure_.phases[i];
      if (phase.data == nullptr) continue;
      phase.data = next;
      next += phase.bytes;
    }
    for (BusObserver* observer : observers_) observer->on_tenure(channel_, chip_, tenure_, start_, at);
  }
  tenure_.phase_count = 0;
  small_.clear();
  start_ = at;
}

} // namespace twinplane::hw
