// A 32-bit core that executes instructions, whichever engine does it. It knows memory, devices, registers and
// instructions; times, interrupts and what the software is are the business of the block that runs it.
//
// Interrupts are not taken: the core returns from run() when it waits for one, and is run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace twinplane::hw {

/// Numbers of registers.
namespace arm {
constexpr unsigned sp = 13, lr = 14, pc = 15, cpsr = 16;
constexpr unsigned registers = 17;
constexpr std::uint32_t thumb = 1u << 5; // in cpsr
} // namespace arm

/// What has ended a run against the software's will.
struct CoreFault {
  std::string what; // "write where nothing is", "undefined instruction", ...
  std::uint32_t pc = 0;
  bool has_address = false;
  std::uint32_t address = 0; // of the access
};

class InstructionCore {
 public:
  enum class Access : std::uint8_t { data, code, constant };
  enum class Reason : std::uint8_t { waits, reached, stopped, fault };

  /// Registers: 32-bit words. Offsets from where the device was mapped.
  class Device {
   public:
    virtual std::uint32_t read(std::uint32_t offset) = 0;
    virtual void write(std::uint32_t offset, std::uint32_t value) = 0;

   protected:
    ~Device() = default;
  };
  /// Told before each straight piece of code is executed: from `address` to a branch or so, all of it.
  class BlockListener {
   public:
    virtual void on_block(std::uint32_t address, std::uint32_t bytes) = 0;

   protected:
    ~BlockListener() = default;
  };
  /// Told before each instruction; registers can be read then, and written: the core goes on as they say.
  class InstructionListener {
   public:
    virtual void on_instruction(std::uint32_t address) = 0;

   protected:
    ~InstructionListener() = default;
  };
  /// Told of each load and store in the ranges it was given, before it is carried out. There may be several.
  class AccessListener {
   public:
    virtual void on_access(std::uint32_t address, std::uint32_t bytes, bool write) = 0;

   protected:
    ~AccessListener() = default;
  };

  virtual ~InstructionCore() = default;

  // --- before the first run; all that is listened to, too, but accesses: between two runs ---
  /// Zeroed memory of the core's own, a multiple of 4 KiB.
  virtual void map_memory(std::uint32_t base, std::uint32_t bytes, Access access) = 0;
  /// Memory of another owner, which outlives the core.
  virtual void map_shared(std::uint32_t base, std::uint64_t bytes, void* memory) = 0;
  virtual void map_device(std::uint32_t base, std::uint32_t bytes, Device& device) = 0;
  virtual void listen(BlockListener& listener) = 0;
  virtual void listen(InstructionListener& listener) = 0;
  /// ... of the one at this address alone. It may run() the core on something else, if it leaves registers
  /// but the program counter as they were.
  virtual void listen(InstructionListener& listener, std::uint32_t address) = 0;
  /// `end` 0: to the end of the address space.
  virtual void listen(AccessListener& listener, std::uint32_t begin, std::uint32_t end) = 0;
  /// Between two runs: it is told no more. Nor must the core have become slower for having told.
  virtual void forget(AccessListener& listener) = 0;

  /// Executes from `pc` (bit 0: Thumb) until the core waits for an interrupt, `until` is reached, stop()
  /// is called, or it cannot go on. May be called from inside a device or a listener. An exception that a
  /// device or listener throws ends it and is thrown on.
  virtual Reason run(std::uint32_t pc, std::uint32_t until) = 0;
  /// From inside a device or listener: run() returns soon; the core must not be run on.
  virtual void stop() = 0;
  [[nodiscard]] virtual const CoreFault& fault() const = 0;

  [[nodiscard]] virtual std::uint32_t reg(unsigned number) const = 0;
  virtual void set_reg(unsigned number, std::uint32_t value) = 0;
  /// Memory, whatever its access; false where none is.
  [[nodiscard]] virtual bool read(std::uint32_t address, void* to, std::size_t bytes) const = 0;
  [[nodiscard]] virtual bool write(std::uint32_t address, const void* from, std::size_t bytes) = 0;
};

/// A Cortex-R5 on Unicorn; throws std::runtime_error, which says why, where Unicorn is not to be had.
std::unique_ptr<InstructionCore> make_cortex_r5();

} // namespace twinplane::hw
