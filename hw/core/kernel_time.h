// The kernel's time and the models' time. The models count picoseconds (hw/spec/sim_time.h); the kernel
// counts in units of its time resolution, which belongs to the platform around the drive. Here, and nowhere
// else, one becomes the other.
//
// Exact for 1 ps and finer. At 1 fs the kernel's 64 bits last for 5.1 hours of simulated time instead of 213
// days; the part of a kernel time below a picosecond, which only a foreign process can bring in, is cut off
// on the way into the models and stays in the delays that they hand back. A coarser resolution cannot carry
// the models' times, and every module that uses this header refuses it in its constructor.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <systemc>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

namespace detail {
/// The kernel's property, not a model's: one value for the process, known once its resolution is fixed.
inline std::uint64_t ticks_per_ps = 1;

/// Out of the way: a division costs as much as a register access, and the compiler would take it for 1, too.
[[gnu::cold, gnu::noinline]] inline TimePs divided(std::uint64_t ticks) {
  return ticks / ticks_per_ps;
}
} // namespace detail

/// Fixes the kernel's time resolution and learns it; an SC_ERROR when it is coarser than 1 ps.
inline void require_picoseconds(const char* module) {
  const std::uint64_t ticks = sc_core::sc_time(1, sc_core::SC_PS).value();
  detail::ticks_per_ps = ticks == 0 ? 1 : ticks;
  if (ticks != 0) return;
  const std::string text =
      std::string(module) + " counts picoseconds, but the kernel's time resolution is " +
      sc_core::sc_get_time_resolution().to_string() +
      ": call sc_core::sc_set_time_resolution(1, sc_core::SC_PS), or a finer one, before "
      "anything else in sc_main";
  SC_REPORT_ERROR("twinplane.time", text.c_str());
}

/// sc_time::from_value() without the library call, which is a tenth of a bus tenure's cost. An sc_time is its
/// value (IEEE 1666 leaves that open; SystemC 2.3 and 3.0 have one 64-bit member).
inline sc_core::sc_time of_ticks(std::uint64_t ticks) {
  sc_core::sc_time result;
  static_assert(sizeof result == sizeof ticks, "sc_time holds its value and nothing else");
  std::memcpy(static_cast<void*>(&result), &ticks, sizeof ticks);
  return result;
}

inline sc_core::sc_time to_sc_time(TimePs time) {
  return of_ticks(time * detail::ticks_per_ps);
}

inline TimePs to_ps(const sc_core::sc_time& time) {
  const std::uint64_t ticks = time.value();
  return __builtin_expect(detail::ticks_per_ps == 1, 1) ? ticks : detail::divided(ticks);
}

/// sc_time_stamp() without the library call: asked for several times per register access. There is a context:
/// the caller is a module of it.
inline TimePs kernel_now() {
  return to_ps(sc_core::sc_curr_simcontext->time_stamp());
}

/// When a transaction with this annotated delay takes place.
inline TimePs time_at(const sc_core::sc_time& delay) {
  return to_ps(sc_core::sc_curr_simcontext->time_stamp() + delay);
}

} // namespace twinplane::hw
