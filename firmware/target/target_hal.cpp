#include "firmware/target/target_hal.h"

#include <cstring>

#include "hw/spec/registers.h"

namespace twinplane::fw::target {

namespace {

constexpr std::uint64_t kAlignment = 64;

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

volatile std::uint32_t& word_at(std::uint32_t address) {
  return *reinterpret_cast<volatile std::uint32_t*>(std::uintptr_t{address});
}

/// What was written to memory is there for the device, and nothing of it is read earlier than the program
/// says.
void barrier() {
#if defined(__arm__)
  __asm__ volatile("dmb" ::: "memory");
#else
  __asm__ volatile("" ::: "memory");
#endif
}

std::uint32_t address_of(const volatile void* p) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p));
}

} // namespace

__attribute__((section(".window"), noinline)) void tell(std::uint32_t debug_register,
                                                        const volatile void* message) {
  barrier();
  word_at(kDebug + debug_register) = address_of(message);
  barrier();
}

TargetHal::TargetHal(const BootBlock& boot) : boot_(boot), next_(aligned(boot.dram_for_hardware)) {}

std::uint32_t TargetHal::mmio_read(std::uint32_t address) {
  const std::uint32_t value = word_at(kRegisters + address);
  barrier();
  return value;
}

void TargetHal::mmio_write(std::uint32_t address, std::uint32_t value) {
  barrier();
  word_at(kRegisters + address) = value;
}

void* TargetHal::boot_alloc(std::size_t bytes) {
  const std::uint64_t begin = next_;
  if (begin + bytes > boot_.dram_bytes) return nullptr;
  next_ += aligned(bytes);
  return std::memset(dram() + begin, 0, bytes); // DRAM comes up with anything in it
}

std::uint64_t TargetHal::now_ps() const {
  const std::uint32_t low = word_at(kRegisters + reg::kTimerBase + reg::timer::time_lo);
  return std::uint64_t{word_at(kRegisters + reg::kTimerBase + reg::timer::time_hi)} << 32 | low;
}

/// Interrupts are masked: a pending one ends the wait, nothing else.
void TargetHal::wait_for_interrupt() {
#if defined(__arm__)
  __asm__ volatile("dsb\n\twfi" ::: "memory");
#endif
}

FlashCompletion TargetHal::flash_functional(std::uint32_t channel, const FlashDescriptor& descriptor,
                                            std::uint8_t* payload) {
  FlashMessage message{channel, address_of(payload), descriptor, FlashCompletion()};
  tell(debug::flash, &message);
  return message.completion;
}

void TargetHal::keep_page(std::uint32_t ppn, std::uint64_t word, const std::uint8_t* bytes,
                          std::uint32_t count) {
  const PageMessage message{word, ppn, address_of(bytes), count, 0};
  tell(debug::keep_page, &message);
}

bool TargetHal::kept_page(std::uint32_t ppn, std::uint64_t word, std::uint8_t* bytes, std::uint32_t count) {
  const PageMessage message{word, ppn, address_of(bytes), count, 0};
  tell(debug::kept_page, &message);
  return static_cast<const volatile PageMessage&>(message).found != 0;
}

void TargetHal::drop_pages(std::uint32_t first_ppn, std::uint32_t count) {
  const PageMessage message{0, first_ppn, 0, count, 0};
  tell(debug::drop_pages, &message);
}

/// In the window's section: whether there is a listener changes no time. On silicon there is none, and it
/// costs a load and a branch.
__attribute__((section(".window"), noinline)) void TargetHal::trace_event(TraceEvent event, std::uint32_t a,
                                                                          std::uint32_t b) {
  if (boot_.traced == 0) return;
  const EventMessage message{static_cast<std::uint32_t>(event), a, b};
  tell(debug::event, &message);
}

void TargetHal::panic(const char* what) {
  for (;;) tell(debug::panic, what);
}

} // namespace twinplane::fw::target
