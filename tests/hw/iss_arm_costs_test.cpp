// Is each kind of instruction counted as its kind? Words as arm-none-eabi-as gives them.
#include <gtest/gtest.h>

#include "hw/iss/arm_costs.h"

namespace twinplane::hw::iss_arm_costs_test {
namespace {

using Class = InstructionClass;

struct Known {
  const char* text;
  std::uint32_t word; // Thumb: the first half is the lower one
  std::uint32_t bytes;
  Class kind;
  std::uint32_t transfers;
  bool calls;
};

void expect_shape(const Known& k, const CodeShape& shape) {
  SCOPED_TRACE(k.text);
  EXPECT_EQ(shape.instructions, 1u);
  EXPECT_EQ(shape.calls, k.calls);
  for (std::size_t c = 0; c < kInstructionClasses; ++c)
    EXPECT_EQ(shape.of[c], static_cast<std::size_t>(k.kind) == c ? k.transfers : 0u) << "class " << c;
}

TEST(ArmCosts, KnowsA32) {
  const Known kAll[] = {
      {"add r0, r1, r2", 0xE0810002, 4, Class::base, 1, false},
      {"mov r0, #1", 0xE3A00001, 4, Class::base, 1, false},
      {"cmp r0, #3", 0xE3500003, 4, Class::base, 1, false},
      {"movw r0, #0x1234", 0xE3010234, 4, Class::base, 1, false},
      {"clz r0, r1", 0xE16F0F11, 4, Class::base, 1, false},
      {"ubfx r0, r1, #3, #4", 0xE7E301D1, 4, Class::base, 1, false},
      {"wfi", 0xE320F003, 4, Class::base, 1, false},
      {"dmb", 0xF57FF05F, 4, Class::base, 1, false},
      {"ldr r0, [r1, #4]", 0xE5910004, 4, Class::load_store, 1, false},
      {"strb r0, [r1]", 0xE5C10000, 4, Class::load_store, 1, false},
      {"ldr r0, [r1, r2, lsl #2]", 0xE7910102, 4, Class::load_store, 1, false},
      {"ldrh r0, [r1]", 0xE1D100B0, 4, Class::load_store, 1, false},
      {"ldrd r0, r1, [r2]", 0xE1C200D0, 4, Class::load_store, 1, false},
      {"push {r4, lr}", 0xE92D4010, 4, Class::load_store, 1, false},
      {"push {r4, r5, r6, r7, lr}", 0xE92D40F0, 4, Class::load_store, 3, false},
      {"ldm r0, {r1-r8}", 0xE89001FE, 4, Class::load_store, 4, false},
      {"b .", 0xEAFFFFFE, 4, Class::branch, 1, false},
      {"bne .", 0x1AFFFFFE, 4, Class::branch, 1, false},
      {"bl .", 0xEBFFFFFE, 4, Class::branch, 1, true},
      {"blx (to Thumb)", 0xFAFFFFFE, 4, Class::branch, 1, true},
      {"bx lr", 0xE12FFF1E, 4, Class::branch, 1, false},
      {"blx r3", 0xE12FFF33, 4, Class::branch, 1, true},
      {"mov pc, r0", 0xE1A0F000, 4, Class::branch, 1, false},
      {"mul r0, r1, r2", 0xE0000291, 4, Class::multiply, 1, false},
      {"umull r0, r1, r2, r3", 0xE0810392, 4, Class::multiply, 1, false},
      {"smulbb r0, r1, r2", 0xE1600281, 4, Class::multiply, 1, false},
      {"udiv r0, r1, r2", 0xE730F211, 4, Class::multiply, 1, false},
  };
  for (const Known& k : kAll)
    expect_shape(k, shape_of_arm(reinterpret_cast<const std::uint8_t*>(&k.word), k.bytes));
}

TEST(ArmCosts, KnowsT32) {
  const Known kAll[] = {
      {"adds r0, r0, r1", 0x1840, 2, Class::base, 1, false},
      {"movs r0, #1", 0x2001, 2, Class::base, 1, false},
      {"add sp, #8", 0xB002, 2, Class::base, 1, false},
      {"wfi", 0xBF30, 2, Class::base, 1, false},
      {"ldr r0, [r1, #4]", 0x6848, 2, Class::load_store, 1, false},
      {"ldr r0, [pc, #4]", 0x4801, 2, Class::load_store, 1, false},
      {"push {r4, r5, lr}", 0xB530, 2, Class::load_store, 2, false},
      {"stmia r0!, {r1, r2}", 0xC006, 2, Class::load_store, 1, false},
      {"b .", 0xE7FE, 2, Class::branch, 1, false},
      {"bne .", 0xD1FE, 2, Class::branch, 1, false},
      {"cbz r0, .+4", 0xB100, 2, Class::branch, 1, false},
      {"bx lr", 0x4770, 2, Class::branch, 1, false},
      {"blx r3", 0x4798, 2, Class::branch, 1, true},
      {"muls r0, r1", 0x4348, 2, Class::multiply, 1, false},
      {"bl .", 0xFFFEF7FF, 4, Class::branch, 1, true},
      {"b.w .", 0xBFFEF7FF, 4, Class::branch, 1, false},
      {"ldr.w r0, [r1, #4]", 0x0004F8D1, 4, Class::load_store, 1, false},
      {"ldrd r0, r1, [r2]", 0x0100E9D2, 4, Class::load_store, 1, false},
      {"stmdb sp!, {r4-r8, lr}", 0x41F0E92D, 4, Class::load_store, 3, false},
      {"tbb [pc, r0]", 0xF000E8DF, 4, Class::branch, 1, false},
      {"dmb", 0x8F5FF3BF, 4, Class::base, 1, false},
      {"movw r0, #0x1234", 0x2034F241, 4, Class::base, 1, false},
      {"umull r0, r1, r2, r3", 0x0103FBA2, 4, Class::multiply, 1, false},
      {"udiv r0, r1, r2", 0xF0F2FBB1, 4, Class::multiply, 1, false},
  };
  for (const Known& k : kAll)
    expect_shape(k, shape_of_thumb(reinterpret_cast<const std::uint8_t*>(&k.word), k.bytes));
}

TEST(ArmCosts, AddUpOverAPiece) {
  const std::uint32_t code[] = {0xE92D40F0, 0xE5910004, 0xE0000291, 0xEBFFFFFE}; // push 5, ldr, mul, bl
  const CodeShape shape = shape_of_arm(reinterpret_cast<const std::uint8_t*>(code), sizeof code);
  EXPECT_EQ(shape.instructions, 4u);
  EXPECT_EQ(shape.of, (std::array<std::uint32_t, kInstructionClasses>{0, 4, 1, 1}));
  EXPECT_TRUE(shape.calls);
}

} // namespace
} // namespace twinplane::hw::iss_arm_costs_test
