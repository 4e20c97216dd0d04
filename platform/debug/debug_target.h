// What a debugger looks at: one core with 32-bit registers, memory, and points at which it stands still.
// Called while it stands still. Nothing here takes time of the target's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace twinplane::platform {

/// What a debugger wants to be told of.
enum class PointKind : std::uint8_t { code, write, read, access };

struct DebugPoint {
  PointKind kind = PointKind::code;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0; // of a watchpoint
};

class DebugTarget {
 public:
  static constexpr unsigned kRegisters = 17; // r0 to r15, cpsr

  [[nodiscard]] virtual std::uint32_t reg(unsigned number) const = 0;
  virtual void set_reg(unsigned number, std::uint32_t value) = 0;
  /// All of the bytes, or false: nothing is there that can be read without a trace.
  [[nodiscard]] virtual bool read(std::uint32_t address, void* to, std::size_t bytes) = 0;
  [[nodiscard]] virtual bool write(std::uint32_t address, const void* from, std::size_t bytes) = 0;

  /// False where no such point can be.
  [[nodiscard]] virtual bool insert(const DebugPoint& point) = 0;
  virtual void remove(const DebugPoint& point) = 0;
  /// The client is gone: so are its points.
  virtual void remove_all() = 0;

  /// Answer to a command that is not gdb's but the target's, in lines.
  virtual std::string monitor(const std::string& command) = 0;

 protected:
  ~DebugTarget() = default;
};

/// Why the target stands still.
struct DebugStop {
  static constexpr unsigned kInterrupt = 2, kIllegal = 4, kTrap = 5, kAbort = 6, kSegment = 11,
                            kTimeLimit = 24; // signals, by gdb's numbers
  unsigned signal = kTrap;
  bool watched = false; // at an access, which has not been carried out yet
  DebugPoint point;     // ... of this point
};

/// How it goes on.
struct DebugResume {
  enum class How : std::uint8_t { run, step, detached, killed };
  How how = How::run;
  std::uint32_t begin = 0; // a step ends with the first instruction outside [begin, end)
  std::uint32_t end = 0;
};

} // namespace twinplane::platform
