// Does the example's DRAM with banks take the times that its parts take: rows, banks, bus, refresh?
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/banked_dram/blocks.h"

namespace twinplane::test::bank_model_test {
namespace {

using examples::BankModel;
using examples::BankTiming;

const hw::Rate kBus = hw::Rate::bytes_per_second(12'800'000'000); // 5 ns per burst of 64 bytes
constexpr TimePs kBurst = ns(5);

/// Two banks with rows of 1 KiB, no refresh, and times that can be told from each other.
BankTiming timing() {
  BankTiming t;
  t.banks = 2;
  t.row = 1024;
  t.tRCD = ns(10);
  t.tRP = ns(20);
  t.tCL = ns(40);
  t.tRAS = ns(32);
  t.tREFI = 0;
  return t;
}

TEST(BankModel, OpensARowAndReadsIt) {
  BankModel banks(timing(), kBus);
  EXPECT_EQ(banks.access(us(1), 0, 64), us(1) + ns(10 + 40) + kBurst);
}

TEST(BankModel, FindsARowOpen) {
  BankModel banks(timing(), kBus);
  banks.access(us(1), 0, 64);
  EXPECT_EQ(banks.access(us(2), 512, 64), us(2) + ns(40) + kBurst);
  EXPECT_EQ(banks.statistics().hits, 1u);
  EXPECT_EQ(banks.statistics().misses, 1u);
}

TEST(BankModel, ClosesTheRowOfABankForAnotherOne) {
  BankModel banks(timing(), kBus);
  banks.access(us(1), 0, 64);
  EXPECT_EQ(banks.access(us(2), 2048, 64), us(2) + ns(20 + 10 + 40) + kBurst) << "row 1 of bank 0";
  EXPECT_EQ(banks.access(us(3), 1024, 64), us(3) + ns(10 + 40) + kBurst) << "row 0 of bank 1";
}

// 1000 + 10 open, + 22 until tRAS has passed.
TEST(BankModel, LeavesARowOpenForTRas) {
  BankModel banks(timing(), kBus);
  banks.access(us(1), 0, 64);
  EXPECT_EQ(banks.access(us(1), 2048, 64), us(1) + ns(32 + 20 + 10 + 40) + kBurst);
}

TEST(BankModel, MovesWholeBursts) {
  BankModel banks(timing(), kBus);
  EXPECT_EQ(banks.access(0, 60, 8), ns(10 + 40) + 2 * kBurst);
}

TEST(BankModel, OpensARowWhileAnotherBankMoves) {
  BankModel banks(timing(), kBus);
  EXPECT_EQ(banks.access(0, 0, 16 * 1024), ns(10 + 40) + 256 * kBurst) << "16 rows, one opening to be seen";
}

// One bank: a row each tRP + max(tRAS, tRCD + data).
TEST(BankModel, WithOneBankTakesARowCycleForEachRow) {
  for (const std::uint32_t row : {64u, 1024u}) {
    BankTiming t = timing();
    t.banks = 1;
    t.row = row;
    BankModel banks(t, kBus);
    const TimePs data = row / 64 * kBurst;
    const TimePs cycle = t.tRP + std::max(t.tRAS, t.tRCD + data);
    EXPECT_EQ(banks.access(0, 0, 100ull * row), 99 * cycle + t.tRCD + t.tCL + data);
    EXPECT_EQ(banks.access(us(100), 50ull * row, row), us(100) + t.tRP + t.tRCD + t.tCL + data);
    EXPECT_EQ(banks.busy(), 100 * cycle - t.tRP + cycle);
    EXPECT_EQ(banks.statistics().hit_rate(), 0);
  }
}

TEST(BankModel, DoesNothingWhileItRefreshes) {
  BankTiming t = timing();
  t.tREFI = ns(1000);
  t.tRFC = ns(200);
  BankModel banks(t, kBus);
  EXPECT_EQ(banks.access(us(5) + ns(50), 0, 64), us(5) + ns(200 + 10 + 40) + kBurst);
  EXPECT_EQ(banks.access(us(5) + ns(500), 0, 64), us(5) + ns(500 + 40) + kBurst) << "open";
  EXPECT_EQ(banks.access(us(6) + ns(500), 0, 64), us(6) + ns(500 + 10 + 40) + kBurst) << "closed";
  EXPECT_EQ(banks.access(us(7) + ns(980), 0, 64), us(8) + ns(200 + 35)) << "20 of 55 ns before it";
}

// 80 % of the time are left.
TEST(BankModel, LosesTheTimeOfRefreshesAndNoMore) {
  BankTiming t = timing();
  t.tREFI = ns(1000);
  t.tRFC = ns(200);
  BankModel banks(t, kBus);
  const std::uint64_t bytes = 1 << 20;
  const double alone = static_cast<double>(bytes) / 64 * 5;
  EXPECT_NEAR(static_cast<double>(banks.access(0, 0, bytes)) / 1000, alone / 0.8, 0.01 * alone);
  EXPECT_NEAR(static_cast<double>(banks.busy()) / 1000, alone / 0.8, 0.01 * alone);
}

// What the link announces for later leaves the time before it to others, and the row that was open then.
TEST(BankModel, ServesWhatComesEarlierThoughItIsAskedLater) {
  BankModel banks(timing(), kBus);
  banks.access(us(1), 0, 64);
  banks.access(us(100), 2048, 4096);
  EXPECT_EQ(banks.access(us(2), 64, 64), us(2) + ns(40) + kBurst);
  EXPECT_EQ(banks.access(us(200), 4096, 64), us(200) + ns(40) + kBurst) << "the row opened at 100 us";
}

/// One access after the other, by the book.
struct OneByOne {
  BankTiming t;
  std::vector<std::int64_t> open; // row by bank; -1: none
  std::vector<TimePs> opened;

  explicit OneByOne(const BankTiming& timing) : t(timing), open(t.banks, -1), opened(t.banks, 0) {}
  TimePs access(TimePs at, std::uint64_t address) {
    const std::size_t bank = address / t.row % t.banks;
    const auto row = static_cast<std::int64_t>(address / t.row / t.banks);
    if (open[bank] == row) return at + t.tCL + kBurst;
    TimePs from = at;
    if (open[bank] >= 0) from = std::max(at, opened[bank] + t.tRAS) + t.tRP;
    open[bank] = row;
    opened[bank] = from;
    return from + t.tRCD + t.tCL + kBurst;
  }
};

TEST(BankModel, AgreesWithASimplerOneWhileNoTwoTransfersMeet) {
  BankTiming t = timing();
  t.banks = 4;
  BankModel banks(t, kBus);
  OneByOne book(t);
  std::mt19937 random(1);
  TimePs at = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t address = random() % 512 * 64;
    const TimePs expected = book.access(at, address);
    ASSERT_EQ(banks.access(at, address, 64), expected) << "access " << i;
    at = expected + ns(random() % 40);
  }
  EXPECT_GT(banks.statistics().hits, 1000u);
  EXPECT_GT(banks.statistics().misses, 1000u);
}

// --- its options ---

std::string refusal(const char* options) {
  try {
    examples::to_bank_timing(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(BankOptions, SetWhatTheyName) {
  const BankTiming t = examples::to_bank_timing("banks=4,row=2048,tRP=21,tREFI=0");
  EXPECT_EQ(t.banks, 4u);
  EXPECT_EQ(t.row, 2048u);
  EXPECT_EQ(t.tRP, ns(21));
  EXPECT_EQ(t.tREFI, 0u);
  EXPECT_EQ(t.tRCD, BankTiming().tRCD);
}

TEST(BankOptions, SayWhatCannotBeUsed) {
  EXPECT_EQ(refusal(""), "");
  EXPECT_EQ(refusal("bank=4"),
            "bank=4: expected one of banks, row, burst, tRCD, tRP, tCL, tRAS, tREFI, tRFC");
  EXPECT_EQ(refusal("banks"), "banks: expected banks=NUMBER");
  EXPECT_EQ(refusal("tRP=-1"), "tRP=-1: expected tRP=NUMBER");
  EXPECT_EQ(refusal("tRP=12345678901"), "tRP=12345678901: expected tRP=NUMBER");
  EXPECT_EQ(refusal("banks=0"), "banks=0: expected 1 or more");
  EXPECT_EQ(refusal("row=100"), "row=100: expected a multiple of the burst, 64");
  EXPECT_EQ(refusal("tRFC=4000"), "tRFC: expected less than tREFI");
}

} // namespace
} // namespace twinplane::test::bank_model_test
