// Looks for accesses of an image that are not aligned to their size, which a core whose SCTLR.A is 1 refuses.
// The engine does not know that bit, and a look at each access takes four times the processor time. So it is
// the first turns that are looked at, in which boot and the paths of requests lie, or on demand all of them.
#pragma once

#include <cstdint>
#include <functional>

#include "hw/iss/instruction_core.h"

namespace twinplane::platform {

class AlignmentCheck final : public hw::InstructionCore::AccessListener {
 public:
  static constexpr std::uint32_t kTurns = 500;
  /// Ends the run: throws.
  using Refuse = std::function<void(std::uint32_t address, std::uint32_t bytes, bool write)>;

  AlignmentCheck(hw::InstructionCore& core, Refuse refuse) : core_(core), refuse_(std::move(refuse)) {}
  /// Before the first turn: of all turns and calls.
  void look_always() { always_ = true; }

  /// The core is about to run on, or to do what a caller outside wants of it.
  void before_turn();
  void before_call();

  void on_access(std::uint32_t address, std::uint32_t bytes, bool write) override {
    if (address % bytes != 0) refuse_(address, bytes, write);
  }

 private:
  static constexpr std::uint32_t kCalls = 1000; // in a row: the drive is being preconditioned
  void look(bool looks);

  hw::InstructionCore& core_;
  const Refuse refuse_;
  bool always_ = false;
  bool looks_ = false;
  std::uint32_t turns_ = 0;
  std::uint32_t calls_ = 0; // since the last turn
};

} // namespace twinplane::platform
