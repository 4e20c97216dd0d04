// Waiting for the flash controllers at boot, when nothing else is there to be done.
//
// A caller that waits polls all channels afterwards. Causes that are not of flash controllers (a host that
// has enabled the controller meanwhile) are not for boot: they are raised again when it has ended, so that
// the first turn finds them.
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

class BootWait {
 public:
  BootWait(Hal& hal, std::uint32_t channels)
      : hal_(hal), words_((reg::irq::flash0 + channels - 1) / 32 + 1) {}
  ~BootWait() {
    for (std::uint32_t source = 0; source < reg::irq::flash0; ++source) {
      if ((others_ >> source & 1u) != 0) hal_.mmio_write(reg::kIntcBase + reg::intc::trigger, source);
    }
  }
  BootWait(const BootWait&) = delete;
  BootWait& operator=(const BootWait&) = delete;

  void wait() {
    constexpr std::uint32_t kOffsets[] = {reg::intc::cause_lo, reg::intc::cause_hi, reg::intc::cause_top};
    constexpr std::uint32_t kOthers = (1u << reg::irq::flash0) - 1;
    hal_.wait_for_interrupt();
    for (std::uint32_t word = 0; word < words_; ++word) {
      const std::uint32_t causes = hal_.mmio_read(reg::kIntcBase + kOffsets[word]);
      if (word == 0) others_ |= causes & kOthers;
    }
  }

 private:
  Hal& hal_;
  std::uint32_t words_;
  std::uint32_t others_ = 0;
};

} // namespace twinplane::fw
