// What an image has executed while it is measured, how long interrupts waited for it, and, if asked for,
// where its time went.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/iss/call_profile.h"
#include "hw/iss/cycle_counter.h"
#include "hw/spec/sim_time.h"
#include "platform/report/firmware.h"

namespace twinplane::platform {

class ImageMeter {
 public:
  explicit ImageMeter(hw::CycleCounter& counter) : counter_(counter) {}

  /// Before begin(): keeps a profile, too. `work_mark` is the byte that the image keeps for whom it works.
  void profile(const hw::ElfImage& image, const hw::CodeRange& code, const std::uint8_t& work_mark);

  /// Measures from here, to end() or for ever.
  void begin();
  void end();

  /// The firmware has seen interrupts, the first of which it could have seen so long ago.
  void served(TimePs latency) {
    if (measures_) interrupts_.record(latency);
  }
  /// Around calls from outside, which are no work of the drive.
  void pause() { counter_.listen(nullptr); }
  void go_on() {
    if (measures_) counter_.listen(profile_.get());
  }

  FirmwareSummary summary() const;

 private:
  struct Count {
    std::uint64_t instructions = 0;
    std::uint64_t milli_cycles = 0;
  };
  Count now() const { return {counter_.instructions(), counter_.milli_cycles()}; }

  hw::CycleCounter& counter_;
  std::unique_ptr<hw::CallProfile> profile_;
  bool measures_ = false;
  Count begin_;
  Count end_;
  LatencyHistogram interrupts_;
};

} // namespace twinplane::platform
