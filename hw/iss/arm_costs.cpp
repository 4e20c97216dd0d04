// Encodings: Arm Architecture Reference Manual ARMv7-A and ARMv7-R, chapters A5 and A6.
#include "hw/iss/arm_costs.h"

#include <cstring>

namespace twinplane::hw {
namespace {

struct Decoded {
  InstructionClass kind = InstructionClass::base;
  std::uint32_t transfers = 1; // of a load or store
  bool calls = false;
};

constexpr Decoded kBase;
constexpr Decoded kBranch{InstructionClass::branch, 1, false};
constexpr Decoded kCall{InstructionClass::branch, 1, true};
constexpr Decoded kLoadStore{InstructionClass::load_store, 1, false};
constexpr Decoded kMultiply{InstructionClass::multiply, 1, false};

Decoded of_list(std::uint32_t registers) {
  const auto count = static_cast<std::uint32_t>(__builtin_popcount(registers & 0xFFFFu));
  return {InstructionClass::load_store, count < 2 ? 1 : (count + 1) / 2, false};
}

constexpr bool matches(std::uint32_t word, std::uint32_t mask, std::uint32_t value) {
  return (word & mask) == value;
}

/// Data processing with registers, multiplies, loads and stores of halves and doubles.
Decoded arm_registers(std::uint32_t w) {
  if (matches(w, 0x0FF000D0, 0x01200010)) return matches(w, 0x20, 0x20) ? kCall : kBranch; // BX, BLX
  if (matches(w, 0x0F0000F0, 0x00000090)) return kMultiply;
  if (matches(w, 0x0F900090, 0x01000080)) return kMultiply; // of halves
  if (matches(w, 0x00000090, 0x00000090)) return kLoadStore;
  return matches(w, 0x0000F000, 0x0000F000) && !matches(w, 0x01800000, 0x01000000) ? kBranch : kBase;
}

Decoded arm_media(std::uint32_t w) {
  return matches(w, 0x0F800010, 0x07000010) ? kMultiply : kBase; // divides, too
}

Decoded decode_arm(std::uint32_t w) {
  if (w >> 28 == 15) return matches(w, 0x0E000000, 0x0A000000) ? kCall : kBase; // BLX; barriers, CPS
  switch ((w >> 25) & 7) {
    case 0:
      return arm_registers(w);
    case 1:
      return matches(w, 0x0000F000, 0x0000F000) && !matches(w, 0x01800000, 0x01000000) ? kBranch : kBase;
    case 2:
      return kLoadStore;
    case 3:
      return (w & 0x10) == 0 ? kLoadStore : arm_media(w);
    case 4:
      return of_list(w);
    case 5:
      return (w & 0x01000000) != 0 ? kCall : kBranch;
    case 6:
      return kLoadStore;
    default:
      return kBase;
  }
}

Decoded decode_thumb(std::uint32_t h) {
  if (matches(h, 0xFFC0, 0x4340)) return kMultiply;
  if (matches(h, 0xFF00, 0x4700)) return (h & 0x80) != 0 ? kCall : kBranch;
  if (matches(h, 0xF500, 0xB100)) return kBranch; // CBZ, CBNZ
  if (matches(h, 0xF600, 0xB400)) return of_list(h & 0x1FF);
  if (matches(h, 0xF800, 0xE000)) return kBranch;
  if (matches(h, 0xF000, 0xD000)) return matches(h, 0x0E00, 0x0E00) ? kBase : kBranch; // SVC, UDF
  if (matches(h, 0xF000, 0xC000)) return of_list(h & 0xFF);
  if (matches(h, 0xF800, 0x4800)) return kLoadStore; // from a literal
  const std::uint32_t top = h >> 12;
  return top >= 5 && top <= 9 ? kLoadStore : kBase;
}

Decoded decode_wide_thumb(std::uint32_t first, std::uint32_t second) {
  switch ((first >> 11) & 3) {
    case 1:
      if (matches(first, 0xFE40, 0xE800)) return of_list(second);
      if (matches(first, 0xFFF0, 0xE8D0) && matches(second, 0xFFE0, 0xF000)) return kBranch; // TBB, TBH
      return matches(first, 0xFE40, 0xE840) ? kLoadStore : kBase;
    case 2:
      if ((second & 0x8000) == 0) return kBase;
      if ((second & 0x4000) != 0) return kCall;
      if ((second & 0x1000) != 0) return kBranch;
      return matches(first, 0x0380, 0x0380) ? kBase : kBranch; // barriers, hints
    default:
      if (matches(first, 0xFE00, 0xF800)) return kLoadStore;
      return matches(first, 0xFF00, 0xFB00) ? kMultiply : kBase;
  }
}

void add(CodeShape& shape, const Decoded& d) {
  ++shape.instructions;
  shape.of[static_cast<std::size_t>(d.kind)] += d.transfers;
  shape.calls = d.calls;
}

} // namespace

CodeShape shape_of_arm(const std::uint8_t* code, std::size_t bytes) {
  CodeShape shape;
  for (std::size_t at = 0; at + 4 <= bytes; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, code + at, sizeof word);
    add(shape, decode_arm(word));
  }
  return shape;
}

CodeShape shape_of_thumb(const std::uint8_t* code, std::size_t bytes) {
  CodeShape shape;
  for (std::size_t at = 0; at + 2 <= bytes;) {
    std::uint16_t half[2] = {};
    std::memcpy(half, code + at, at + 4 <= bytes ? 4 : 2);
    const bool wide = half[0] >> 11 >= 0x1D;
    add(shape, wide ? decode_wide_thumb(half[0], half[1]) : decode_thumb(half[0]));
    at += wide ? 4 : 2;
  }
  return shape;
}

} // namespace twinplane::hw
