// The only door between firmware and the world. The platform implements it over TLM-2.0; tests
// implement it with simulated flash in plain memory; a bare-metal port implements it with volatile
// pointers. Firmware never blocks once it has booted: it runs to completion and returns from
// Firmware::step().
#pragma once

#include <cstddef>
#include <cstdint>

#include "firmware/hal/alarm.h"
#include "firmware/hal/trace_event.h"
#include "hw/spec/flash_descriptor.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

class Hal {
 public:
  /// 32-bit register access; addresses as in hw/spec/registers.h. Reads answer for the CPU's local time.
  virtual std::uint32_t mmio_read(std::uint32_t address) = 0;
  virtual void mmio_write(std::uint32_t address, std::uint32_t value) = 0;

  /// Device DRAM for what hardware looks at: rings, and buffers of data. Valid for the life of the program.
  virtual std::uint8_t* dram() = 0;
  virtual std::uint32_t dram_size() const = 0;

  /// Memory for firmware tables, of the same DRAM where they lie there; handed out once at boot, zeroed,
  /// 16-byte aligned; nullptr when exhausted. Never called after boot.
  virtual void* boot_alloc(std::size_t bytes) = 0;

  /// The core has read or written part of a table whose accesses are worth counting: what a cache would miss
  /// takes time. On a real core nothing has to be done.
  virtual void touch(const void* /*table*/, std::uint32_t /*bytes*/, bool /*write*/) {}

  /// Advances the core's local time by that many clock cycles.
  virtual void charge(std::uint32_t cycles) = 0;

  /// The core's local time in picoseconds.
  virtual std::uint64_t now_ps() const = 0;

  /// Returns when an interrupt is pending, whose cause has not been read. For boot alone, which has nothing
  /// else to do; from then on the caller of Firmware::step() waits.
  virtual void wait_for_interrupt() = 0;

  /// The alarm's time is `at_ps`, instead of the one that it had: the firmware has a turn then.
  void wake_at(Alarm& alarm, std::uint64_t at_ps) {
    alarms_.set(alarm, at_ps);
    arm_timer();
  }
  /// The firmware boots: there is no alarm yet.
  void forget_alarms() { alarms_ = Alarms(); }
  /// The timer has rung, perhaps for one alarm of several: it is armed for the next one.
  void arm_timer() { mmio_write(reg::kTimerBase + reg::timer::arm_ns, alarms_.wait_ns(now_ps())); }

  /// Zero-time flash access for preconditioning: runs one descriptor through the channel's and die's
  /// own decoders by debug transport. `payload` is the page's sector payload (may be null in data
  /// mode none); words of flash_flag::oob_words lie in DRAM as ever. Obeys every rule of the die; the
  /// completion tells a refusal.
  virtual FlashCompletion flash_functional(std::uint32_t channel, const FlashDescriptor& descriptor,
                                           std::uint8_t* payload) = 0;

  // Pages of the firmware's own, whose bytes must not be lost, in data modes that keep less of a page than
  // its bytes: there what a sector holds stands for its data, and these are kept beside the cells. A page is
  // known by the out-of-band word that it is programmed with, so it can be had as long as that can be read.
  // With data mode full they lie in the buffers of their operations and none of this is called.
  /// The page `ppn` (of the firmware's numbers) is about to be programmed with this word.
  virtual void keep_page(std::uint32_t /*ppn*/, std::uint64_t /*word*/, const std::uint8_t* /*bytes*/,
                         std::uint32_t /*count*/) {}
  /// The page has been read, and its word. False: it is none of these, or of another size.
  virtual bool kept_page(std::uint32_t /*ppn*/, std::uint64_t /*word*/, std::uint8_t* /*bytes*/,
                         std::uint32_t /*count*/) {
    return false;
  }
  /// `count` pages have been erased.
  virtual void drop_pages(std::uint32_t /*first_ppn*/, std::uint32_t /*count*/) {}

  /// Something worth seeing beside what the hardware does (trace_event.h has the names). Takes no time of the
  /// core's, and changes nothing. Not for what happens with every request.
  virtual void trace_event(TraceEvent /*event*/, std::uint32_t /*a*/, std::uint32_t /*b*/) {}

  /// Last words: a broken invariant. Nothing of the firmware runs again; the platform reports the message and
  /// sets CSTS.CFS.
  [[noreturn]] virtual void panic(const char* what) = 0;

 protected:
  ~Hal() = default;

 private:
  Alarms alarms_;
};

} // namespace twinplane::fw
