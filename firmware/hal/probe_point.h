// A point of the code where an observer may look at what the firmware does, and the function that tells it.
//
// Code of the program calls the function where it is said that there is an observer. An image does not ask:
// there the point is an instruction without effect, and a line of a table that names point, function and the
// registers with its arguments. An executor of the image with an observer calls the function when the
// core comes by, outside of the image's time. So an image does the same in the same time, observed or not.
#pragma once

#include <cstdint>
#include <type_traits>

namespace twinplane::fw {

/// Who looks.
enum class Watch : std::uint8_t { commands, issues, planes };

#if defined(TWINPLANE_TARGET) && defined(__arm__)

constexpr bool kProbedFromOutside = true;

namespace probe {

inline std::uint32_t word_of(std::uint32_t value) {
  return value;
}
template <class T, class = std::enable_if_t<std::is_class_v<T>>>
std::uint32_t word_of(const T& object) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&object));
}

// One line of the table: ProbePoint of firmware/target/image.h. The assembler makes numbers of the names of
// registers; the section belongs to the code's group, which the linker takes or leaves as a whole.
#define TWINPLANE_PROBE(registers)                                                                         \
  ".irp n,0,1,2,3,4,5,6,7,8,9\n\t.set probe_r\\n,\\n\n\t.endr\n\t"                                         \
  ".set probe_r10,10\n\t.set probe_sl,10\n\t.set probe_r11,11\n\t.set probe_fp,11\n\t.set probe_ip,12\n\t" \
  ".set probe_lr,14\n"                                                                                     \
  "7:\tnop\n\t"                                                                                            \
  ".pushsection .probes,\"a?\",%%progbits\n\t"                                                             \
  ".word 7b, %c[tell], %c[who]\n\t.byte " registers "\n\t.popsection"

constexpr std::uint8_t kNoRegister = 0xFF;

template <auto kTell, Watch kWho>
[[gnu::always_inline]] inline void point(std::uint32_t a, std::uint32_t b) {
  __asm__ volatile(TWINPLANE_PROBE("probe_%[a], probe_%[b], 255, 255")::[tell] "i"(kTell),
                   [who] "i"(static_cast<int>(kWho)), [a] "r"(a), [b] "r"(b)
                   : "memory");
}
template <auto kTell, Watch kWho>
[[gnu::always_inline]] inline void point(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  __asm__ volatile(TWINPLANE_PROBE("probe_%[a], probe_%[b], probe_%[c], 255")::[tell] "i"(kTell),
                   [who] "i"(static_cast<int>(kWho)), [a] "r"(a), [b] "r"(b), [c] "r"(c)
                   : "memory");
}
template <auto kTell, Watch kWho>
[[gnu::always_inline]] inline void point(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  __asm__ volatile(TWINPLANE_PROBE("probe_%[a], probe_%[b], probe_%[c], probe_%[d]")::[tell] "i"(kTell),
                   [who] "i"(static_cast<int>(kWho)), [a] "r"(a), [b] "r"(b), [c] "r"(c), [d] "r"(d)
                   : "memory");
}

#undef TWINPLANE_PROBE

} // namespace probe

/// `arguments`: two to four objects or 32-bit numbers, which kTell takes by reference or by value.
template <Watch kWho, auto kTell, class... Arguments>
[[gnu::always_inline]] inline void probe_point(bool /*attached*/, Arguments&... arguments) {
  probe::point<kTell, kWho>(probe::word_of(arguments)...);
}

#else

constexpr bool kProbedFromOutside = false;

template <Watch kWho, auto kTell, class... Arguments>
[[gnu::always_inline]] inline void probe_point(bool attached, Arguments&... arguments) {
  if (attached) kTell(arguments...);
}

#endif

} // namespace twinplane::fw
