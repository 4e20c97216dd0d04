// What a straight piece of Arm code costs: its instructions by class, A32 or T32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace twinplane::hw {

enum class InstructionClass : std::uint8_t { base, load_store, branch, multiply };
constexpr std::size_t kInstructionClasses = 4;

struct CodeShape {
  std::uint32_t instructions = 0;
  /// By class; a load or store of several registers counts once for every two of them.
  std::array<std::uint32_t, kInstructionClasses> of{};
  bool calls = false; // the last one is a call
};

/// `code` holds `bytes` of instructions.
CodeShape shape_of_arm(const std::uint8_t* code, std::size_t bytes);
CodeShape shape_of_thumb(const std::uint8_t* code, std::size_t bytes);

} // namespace twinplane::hw
