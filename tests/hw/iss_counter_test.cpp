// Are instructions, cycles and calls what the code's pieces say? The core is a stand-in that tells of pieces.
#include <gtest/gtest.h>

#include <cstring>

#include "hw/iss/call_profile.h"
#include "hw/iss/cycle_counter.h"
#include "tests/support/small_image.h"
#include "tests/support/temp_file.h"

namespace twinplane::hw::iss_counter_test {
namespace {

using testing::SmallImage;
using testing::TempFile;

/// Has the code and nothing else.
class CodeOnly final : public InstructionCore {
 public:
  explicit CodeOnly(const SmallImage& image) : image_(image) {}
  void map_memory(std::uint32_t, std::uint32_t, Access) override {}
  void map_shared(std::uint32_t, std::uint64_t, void*) override {}
  void map_device(std::uint32_t, std::uint32_t, Device&) override {}
  void listen(BlockListener&) override {}
  void listen(InstructionListener&) override {}
  void listen(InstructionListener&, std::uint32_t) override {}
  void listen(AccessListener&, std::uint32_t, std::uint32_t) override {}
  void forget(AccessListener&) override {}
  Reason run(std::uint32_t, std::uint32_t) override { return Reason::waits; }
  void stop() override { stopped = true; }
  const CoreFault& fault() const override { return fault_; }
  std::uint32_t reg(unsigned) const override { return 0; }
  void set_reg(unsigned, std::uint32_t) override {}
  bool read(std::uint32_t address, void* to, std::size_t bytes) const override {
    const auto* const code = reinterpret_cast<const std::uint8_t*>(image_.code.data());
    std::memcpy(to, code + (address - image_.address), bytes);
    return true;
  }
  bool write(std::uint32_t, const void*, std::size_t) override { return false; }

  bool stopped = false;

 private:
  const SmallImage image_;
  CoreFault fault_;
};

/// What three_calls() executes, piece by piece.
struct Piece {
  std::uint32_t address, bytes;
};
constexpr Piece kOnce[] = {{0x1018, 12}, {0x102C, 8}, {0x1024, 4}, {0x1008, 8}};

constexpr CycleCounter::Cpi kOne = {1000, 1000, 1000, 1000};
constexpr CodeRange kCode{0x1000, 0x2000};

void execute(CycleCounter& counter) {
  counter.on_block(0x1000, 8);
  for (int i = 0; i < 3; ++i) {
    if (i != 0) counter.on_block(0x1004, 4);
    for (const Piece& p : kOnce) counter.on_block(p.address, p.bytes);
  }
  counter.on_block(0x1010, 4);
}

TEST(CycleCounter, CountsWhatIsExecuted) {
  CodeOnly core(testing::three_calls());
  CycleCounter counter(core, kOne, kCode);
  execute(counter);
  EXPECT_EQ(counter.instructions(), 11u + 12u + 6u);
  EXPECT_EQ(counter.milli_cycles(), 29'000u);
}

TEST(CycleCounter, WeighsByClass) {
  CodeOnly core(testing::three_calls());
  CycleCounter counter(core, {1000, 2000, 1500, 4250}, kCode);
  execute(counter);
  // base: mov + 3 subs + wfi in main, 2 x 3 in leaf; branches: 3 x (bl, bne), 3 x (bl, bx), 3 x bx; 3
  // multiplies
  EXPECT_EQ(counter.milli_cycles(), 11u * 1000 + 15u * 1500 + 3u * 4250);
}

TEST(CycleCounter, KnowsItsCallers) {
  CodeOnly core(testing::three_calls());
  CycleCounter counter(core, kOne, kCode);
  counter.on_block(0x1000, 8);
  counter.on_block(0x1018, 12);
  counter.on_block(0x102C, 8);
  EXPECT_EQ(counter.backtrace(), (std::vector<std::uint32_t>{0x102C, 0x1024, 0x1008}));
  counter.on_block(0x1024, 4);
  EXPECT_EQ(counter.backtrace(), (std::vector<std::uint32_t>{0x1024, 0x1008}));
  counter.on_block(0x1008, 8);
  EXPECT_EQ(counter.backtrace(), (std::vector<std::uint32_t>{0x1008}));
}

TEST(CycleCounter, FreeCodeCountsNothing) {
  CodeOnly core(testing::three_calls());
  CycleCounter counter(core, kOne, kCode);
  counter.set_free({0x102C, 0x1034});
  execute(counter);
  EXPECT_EQ(counter.instructions(), 11u + 12u);
}

TEST(CycleCounter, StopsAtItsLimit) {
  CodeOnly core(testing::three_calls());
  CycleCounter counter(core, kOne, kCode);
  counter.set_limit(2'000);
  counter.on_block(0x1000, 8);
  EXPECT_FALSE(core.stopped);
  counter.on_block(0x1018, 12);
  EXPECT_TRUE(core.stopped);
}

TEST(CycleCounter, ForgetsWhatLiesBetweenMarks) {
  CodeOnly core(testing::three_calls());
  CycleCounter counter(core, kOne, kCode);
  counter.on_block(0x1000, 8);
  const CycleCounter::Mark mark = counter.mark();
  counter.on_block(0x1018, 12);
  counter.on_block(0x102C, 8);
  counter.return_to(mark);
  EXPECT_EQ(counter.instructions(), 2u);
  counter.on_block(0x1018, 12); // the call that it was about to make
  EXPECT_EQ(counter.backtrace(), (std::vector<std::uint32_t>{0x1018, 0x1008}));
}

class CallProfileTest : public ::testing::Test {
 protected:
  CallProfileTest() { counter_.listen(&profile_); }

  static const CallProfile::Function& named(const std::vector<CallProfile::Function>& all,
                                            const std::string& name) {
    for (const auto& f : all)
      if (f.name == name) return f;
    throw std::runtime_error("no " + name);
  }

  std::uint8_t label_ = 0;
  const TempFile file_{"profiled.elf", elf_of(testing::three_calls())};
  CodeOnly core_{testing::three_calls()};
  ElfImage image_{file_.path()};
  CycleCounter counter_{core_, {1000, 1000, 1000, 3000}, kCode};
  CallProfile profile_{image_, kCode, label_};
};

TEST_F(CallProfileTest, SharesOutWhatTheCounterCounts) {
  execute(counter_);
  const auto all = profile_.functions();
  ASSERT_EQ(all.size(), 3u);
  const auto& main = named(all, "main");
  const auto& leaf = named(all, "deep::leaf(unsigned int)");
  const auto& tip = named(all, "tip");
  EXPECT_EQ(main.own[0].instructions, 11u);
  EXPECT_EQ(leaf.own[0].instructions, 12u);
  EXPECT_EQ(tip.own[0].instructions, 6u);
  EXPECT_EQ(tip.own[0].milli_cycles, 3u * (3000 + 1000));
  EXPECT_EQ(main.calls, 1u);
  EXPECT_EQ(leaf.calls, 3u);
  EXPECT_EQ(tip.calls, 3u);
  EXPECT_EQ(leaf.milli_cycles, leaf.own[0].milli_cycles + tip.own[0].milli_cycles);
  EXPECT_EQ(main.milli_cycles, counter_.milli_cycles());
  EXPECT_EQ(profile_.total()[0].milli_cycles, counter_.milli_cycles());
}

TEST_F(CallProfileTest, TellsTheWays) {
  execute(counter_);
  std::vector<std::string> ways;
  profile_.for_each_way([&](const std::vector<std::string>& names, const CallProfile::CostByLabel& own) {
    std::string way;
    for (const std::string& name : names) way += name + " ";
    ways.push_back(way + std::to_string(own[0].milli_cycles));
  });
  EXPECT_EQ(ways, (std::vector<std::string>{"main 11000", "main deep::leaf(unsigned int) 12000",
                                            "main deep::leaf(unsigned int) tip 12000"}));
}

TEST_F(CallProfileTest, PutsCostsToTheLabelOfTheirTime) {
  counter_.on_block(0x1000, 8);
  label_ = 2;
  counter_.on_block(0x1018, 12);
  counter_.add_milli_cycles(500);
  label_ = 200; // beyond all
  counter_.on_block(0x102C, 8);
  const auto total = profile_.total();
  EXPECT_EQ(total[0].milli_cycles, 2000u);
  EXPECT_EQ(total[2].milli_cycles, 3500u);
  EXPECT_EQ(total[2].instructions, 3u);
  EXPECT_EQ(total[CallProfile::kLabels - 1].milli_cycles, 4000u);
}

TEST_F(CallProfileTest, BeginsAnewInTheMiddleOfCalls) {
  counter_.on_block(0x1000, 8);
  counter_.listen(nullptr);
  counter_.on_block(0x1018, 12);
  profile_.clear();
  counter_.listen(&profile_);
  counter_.on_block(0x102C, 8);
  std::vector<std::string> ways;
  profile_.for_each_way([&](const std::vector<std::string>& names, const CallProfile::CostByLabel&) {
    ways.push_back(names.back());
  });
  EXPECT_EQ(ways, (std::vector<std::string>{"main", "deep::leaf(unsigned int)", "tip"}));
  EXPECT_EQ(profile_.total()[0].instructions, 2u);
}

} // namespace
} // namespace twinplane::hw::iss_counter_test
