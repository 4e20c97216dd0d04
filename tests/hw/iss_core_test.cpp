// Does the engine execute, count, and end as its contract says? Only where the engine is to be had.
#include <gtest/gtest.h>

#include "hw/iss/call_profile.h"
#include "hw/iss/instruction_core.h"
#include "tests/support/small_image.h"
#include "tests/support/temp_file.h"

namespace twinplane::hw::iss_core_test {
namespace {

constexpr CodeRange kCode{0x1000, 0x2000};
constexpr std::uint32_t kNever = 0xFFFFFFF0;

std::unique_ptr<InstructionCore> core_with(const std::vector<std::uint32_t>& code) {
  auto core = make_cortex_r5();
  core->map_memory(0x1000, 0x1000, InstructionCore::Access::code);
  EXPECT_TRUE(core->write(0x1000, code.data(), code.size() * 4));
  return core;
}

TEST(CortexR5, CostsOfAnImageAreThoseOfItsInstructions) {
  const testing::SmallImage small = testing::three_calls();
  const testing::TempFile file("executed.elf", elf_of(small));
  const ElfImage image(file.path());
  const auto core = core_with(small.code);
  CycleCounter counter(*core, {1000, 1000, 1000, 3000}, kCode);
  core->listen(static_cast<InstructionCore::BlockListener&>(counter));
  const std::uint8_t label = 0;
  CallProfile profile(image, kCode, label);
  counter.listen(&profile);
  EXPECT_EQ(core->run(0x1000, kNever), InstructionCore::Reason::waits);
  EXPECT_EQ(core->reg(0), 49u); // tip() squares
  EXPECT_EQ(counter.instructions(), 29u);
  EXPECT_EQ(counter.milli_cycles(), 29'000u + 3u * 2000u);
  const auto functions = profile.functions();
  ASSERT_EQ(functions.size(), 3u);
  EXPECT_EQ(functions[0].own[0].instructions, 11u);
  EXPECT_EQ(functions[1].own[0].instructions, 12u);
  EXPECT_EQ(functions[2].own[0].instructions, 6u);
  EXPECT_EQ(functions[2].calls, 3u);
}

/// A load in an IT block, to which a listener listens, must not make what follows conditional.
TEST(CortexR5, AccessesInItBlocksLeaveWhatFollowsAlone) {
  struct Count final : InstructionCore::AccessListener {
    void on_access(std::uint32_t, std::uint32_t, bool) override { ++accesses; }
    int accesses = 0;
  } count;
  // cmp r1, #0; it eq; ldreq r2, [r0]; movs r1, #1; b behind; movs r3, #7; wfi
  const auto core = core_with({0xBF082900, 0x21016802, 0x2307E7FF, 0xBF00BF30});
  core->map_memory(0x20000, 0x1000, InstructionCore::Access::data);
  core->listen(count, 0, 0);
  core->set_reg(0, 0x20000);
  EXPECT_EQ(core->run(0x1001, kNever), InstructionCore::Reason::waits);
  EXPECT_EQ(count.accesses, 1);
  EXPECT_EQ(core->reg(3), 7u);
}

/// ... and a listener that has been told before is not told any more, nor is the core slower for it.
TEST(CortexR5, TellsOfAccessesFromListenToForget) {
  struct Count final : InstructionCore::AccessListener {
    void on_access(std::uint32_t, std::uint32_t, bool) override { ++accesses; }
    int accesses = 0;
  } count;
  // ldr r2, [r0]; wfi; b back
  const auto core = core_with({0xE5902000, 0xE320F003, 0xEAFFFFFC});
  core->map_memory(0x20000, 0x1000, InstructionCore::Access::data);
  core->set_reg(0, 0x20000);
  const auto turn = [&core] { EXPECT_EQ(core->run(0x1000, kNever), InstructionCore::Reason::waits); };
  turn();
  EXPECT_EQ(count.accesses, 0);
  for (int round = 1; round <= 3; ++round) {
    core->listen(count, 0, 0);
    turn();
    EXPECT_EQ(count.accesses, round);
    core->forget(count);
    turn();
    EXPECT_EQ(count.accesses, round);
  }
}

/// Who listens to one instruction may run something else there; the piece of code goes on, as one.
TEST(CortexR5, RunsAFunctionInTheMiddleOfAPieceOfCode) {
  struct Pieces final : InstructionCore::BlockListener {
    void on_block(std::uint32_t address, std::uint32_t) override { begins.push_back(address); }
    std::vector<std::uint32_t> begins;
  } pieces;
  struct Caller final : InstructionCore::InstructionListener {
    explicit Caller(InstructionCore& core_to_run) : core(core_to_run) {}
    void on_instruction(std::uint32_t address) override {
      at.push_back(address);
      std::uint32_t saved[arm::registers];
      for (unsigned r = 0; r < arm::registers; ++r) saved[r] = core.reg(r);
      core.set_reg(arm::lr, 0x1020);
      EXPECT_EQ(core.run(0x1014, 0x1020), InstructionCore::Reason::reached);
      EXPECT_EQ(core.reg(1), saved[1] + 9);
      for (unsigned r = 0; r < arm::registers; ++r) {
        if (r != arm::pc) core.set_reg(r, saved[r]);
      }
    }
    InstructionCore& core;
    std::vector<std::uint32_t> at;
  };
  // cmp r1, #5; nop; addeq r0, r1, #1; wfi; nop;  at 0x1014: adds r1, r1, #9; bx lr
  const auto core =
      core_with({0xE3510005, 0xE320F000, 0x02810001, 0xE320F003, 0xE320F000, 0xE2911009, 0xE12FFF1E});
  Caller caller(*core);
  core->listen(static_cast<InstructionCore::BlockListener&>(pieces));
  core->listen(static_cast<InstructionCore::InstructionListener&>(caller), 0x1004);
  for (const std::uint32_t expected : {1u, 2u}) {
    core->set_reg(1, 5);
    core->set_reg(0, 0);
    EXPECT_EQ(core->run(0x1000, kNever), InstructionCore::Reason::waits);
    EXPECT_EQ(core->reg(0), 6u);
    EXPECT_EQ(core->reg(1), 5u);
    EXPECT_EQ(caller.at, std::vector<std::uint32_t>(expected, 0x1004u));
    EXPECT_EQ(pieces.begins.size(), 2 * expected);
  }
}

TEST(CortexR5, EndsWithTheCause) {
  const struct {
    std::uint32_t word;
    const char* what;
  } kFaults[] = {
      {0xE5901000, "read where nothing is"},             // ldr r1, [r0]
      {0xE5801000, "write where nothing is"},            // str r1, [r0]
      {0xE1A0F000, "jump to where nothing is"},          // mov pc, r0
      {0xE50F1008, "write to memory that is only read"}, // str r1, [pc, #-8]
      {0xE7F000F0, "undefined instruction"},             // udf #0
  };
  for (const auto& fault : kFaults) {
    SCOPED_TRACE(fault.what);
    const auto core = core_with({fault.word, 0xE320F003});
    core->set_reg(0, 0x70000000);
    EXPECT_EQ(core->run(0x1000, kNever), InstructionCore::Reason::fault);
    EXPECT_EQ(core->fault().what, fault.what);
  }
}

} // namespace
} // namespace twinplane::hw::iss_core_test
