// Draws the firmware's trace events into a Perfetto trace.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/hal/trace_event.h"
#include "hw/spec/sim_time.h"
#include "platform/observe/waves/perfetto_firmware.h"

namespace twinplane::platform {

class FirmwareTracer final : public fw::TraceListener {
 public:
  explicit FirmwareTracer(PerfettoFirmware& trace) : trace_(trace) {}

  void on_trace_event(fw::TraceEvent event, std::uint32_t a, std::uint32_t b, std::uint64_t now_ps) override;
  /// What is still open ends with the run.
  void finish(TimePs end);

 private:
  struct Open {
    fw::TraceEvent event;
    std::uint32_t a;
    std::uint32_t b;
    TimePs begin;
  };
  void close(const Open& open, TimePs end);
  template <typename Wanted>
  void close_those(TimePs end, Wanted wanted);

  PerfettoFirmware& trace_;
  std::vector<Open> open_;
};

} // namespace twinplane::platform
