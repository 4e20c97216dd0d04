// What the conformance rules need of a way to a drive: registers, memory that the drive reaches, and
// progress.
//
// A test in SystemC implements it over sockets in its own simulation, a user-space client over vfio-user; the
// rules know neither.
#pragma once

#include <cstdint>

namespace twinplane::test::conformance {

class Transport {
 public:
  virtual ~Transport() = default;

  /// Registers of BAR0, 4 bytes each, in the order of the calls. A drive that does not answer any more is an
  /// exception derived from std::exception.
  virtual std::uint32_t read(std::uint32_t offset) = 0;
  virtual void write(std::uint32_t offset, std::uint32_t value) = 0;

  /// The host's memory, at least kMemoryBytes, which the drive reads and writes at addresses from 0 on;
  /// accesses behind it fail. It stays where it is.
  virtual std::uint8_t* memory() = 0;
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{32} << 20;

  /// Lets the drive work for about so long. Nothing that the drive has been asked to do needs more calls than
  /// kPatience of 100 us each.
  virtual void wait(std::uint32_t microseconds) = 0;
  static constexpr std::uint32_t kPatience = 200'000;

  /// Two register accesses, one behind the other, come at nearly the same time of the drive's: then it can be
  /// judged what it does first.
  [[nodiscard]] virtual bool in_step() const = 0;

  /// MSI-X messages of the vector since the drive was connected. The transport sets MSI-X up; the first call
  /// is made before the controller is enabled for the first time.
  [[nodiscard]] virtual std::uint64_t messages(std::uint16_t vector) = 0;
};

} // namespace twinplane::test::conformance
