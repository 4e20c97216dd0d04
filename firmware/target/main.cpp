// The image: boots the firmware with what the boot block says, and serves interrupts for ever.
#include <cstdint>
#include <new>

#include "firmware/boot/firmware.h"
#include "firmware/target/image.h"
#include "firmware/target/target_hal.h"
#include "firmware/target/window.h"
#include "hw/spec/registers.h"

namespace twinplane::fw::target {

namespace {

alignas(TargetHal) unsigned char hal_memory[sizeof(TargetHal)];
alignas(Firmware) unsigned char firmware_memory[sizeof(Firmware)];

[[noreturn]] void stand_still(TargetHal& hal) {
  for (;;) hal.wait_for_interrupt();
}

[[noreturn]] void run(TargetHal& hal, Firmware& firmware, const BootBlock& boot) {
  open_window(firmware);
  const Firmware::BootError error = firmware.boot(hal, boot.config);
  if (error.text != nullptr) {
    hal.mmio_write(reg::kHostBase + reg::host::control, reg::host_control::halted);
    tell(debug::boot_error, &error);
    stand_still(hal);
  }
  window_for_work(firmware);
  tell(debug::booted, &boot);
  for (;;) {
    hal.wait_for_interrupt();
    if (firmware.step()) hal.mmio_write(reg::kIntcBase + reg::intc::trigger, reg::irq::software);
  }
}

/// Placed and never destroyed.
TargetHal& the_hal() {
  return *reinterpret_cast<TargetHal*>(hal_memory);
}

} // namespace

extern "C" {

int main() {
  const BootBlock& boot = *reinterpret_cast<const BootBlock*>(std::uintptr_t{kBoot});
  TargetHal& hal = *new (hal_memory) TargetHal(boot);
  if (boot.magic != kBootMagic || boot.layout != layout()) hal.panic("the boot block is not for this image");
  run(hal, *new (firmware_memory) Firmware, boot);
}

/// From the vectors of start.S.
[[noreturn]] void image_exception(const char* what) {
  the_hal().panic(what);
}

/// What the compiler and the C library may ask for.
[[noreturn]] void __cxa_pure_virtual() {
  image_exception("a pure virtual function was called");
}
[[noreturn]] void __assert_func(const char* /*file*/, int /*line*/, const char* /*function*/,
                                const char* what) {
  image_exception(what);
}
[[noreturn]] void abort() {
  image_exception("abort() was called");
}

} // extern "C"

} // namespace twinplane::fw::target
