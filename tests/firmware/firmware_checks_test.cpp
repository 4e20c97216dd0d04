// Do the checks that are compiled into the firmware's calls (TWINPLANE_FIRMWARE_CHECKS) find what is released
// twice or used after its release, and do they lead to the line? Compiled with them, whatever the build has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firmware/ftl/lpn_locks.h"
#include "firmware/ftl/transaction_pool.h"

namespace twinplane::test::firmware_checks_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Panic {
  std::string what;
};

/// Memory, and last words as an exception.
class MemoryHal final : public fw::Hal {
 public:
  std::uint32_t mmio_read(std::uint32_t) override { return 0; }
  void mmio_write(std::uint32_t, std::uint32_t) override {}
  std::uint8_t* dram() override { return dram_.data(); }
  std::uint32_t dram_size() const override { return static_cast<std::uint32_t>(dram_.size()); }
  void* boot_alloc(std::size_t bytes) override {
    tables_.emplace_back(bytes / sizeof(std::uint64_t) + 1);
    return tables_.back().data();
  }
  void charge(std::uint32_t) override {}
  std::uint64_t now_ps() const override { return 0; }
  void wait_for_interrupt() override {}
  FlashCompletion flash_functional(std::uint32_t, const FlashDescriptor&, std::uint8_t*) override {
    return {};
  }
  [[noreturn]] void panic(const char* what) override { throw Panic{what}; }

 private:
  std::vector<std::uint8_t> dram_ = std::vector<std::uint8_t>(4096);
  std::vector<std::vector<std::uint64_t>> tables_;
};

class FirmwareChecks : public testing::Test {
 protected:
  FirmwareChecks() {
    host_.boot(hal_, 0, 8);
    fw::TransactionPool::Shape shape;
    shape.count = 4;
    pool_.boot(memory_, host_, shape);
    locks_.boot(memory_, {64, 4});
  }

  /// What the firmware says when `act` breaks a rule; empty when it does not.
  template <typename Act>
  static std::string words_of(const Act& act) {
    try {
      act();
    } catch (const Panic& panic) {
      return panic.what;
    }
    return "";
  }

  MemoryHal hal_;
  fw::BootMemory memory_{hal_};
  fw::HostPort host_;
  fw::TransactionPool pool_;
  fw::LpnLocks locks_;
};

TEST_F(FirmwareChecks, SayNothingOfATransactionThatIsTakenAndReleasedInTurns) {
  EXPECT_EQ(words_of([&] {
              for (int i = 0; i < 20; ++i) {
                fw::Transaction* const t = pool_.take(fw::PoolUser::firmware);
                pool_.expect_used(*t);
                pool_.release(*t);
              }
            }),
            "");
}

TEST_F(FirmwareChecks, NameBothLinesOfADoubleRelease) {
  fw::Transaction* const t = pool_.take(fw::PoolUser::firmware);
  t->lpn = 42;
  pool_.release(*t);
  const int first = __LINE__ - 1;
  int second = 0;
  const std::string words = words_of([&] {
    second = __LINE__ + 1;
    pool_.release(*t);
  });
  EXPECT_THAT(words,
              AllOf(HasSubstr("transaction 0"), HasSubstr("LPN 42"), HasSubstr("is released a second time"),
                    HasSubstr("firmware_checks_test.cpp:" + std::to_string(first)),
                    HasSubstr("firmware_checks_test.cpp:" + std::to_string(second))));
}

TEST_F(FirmwareChecks, FindATransactionThatIsReleasedWhileItsDmaRuns) {
  fw::Transaction* const t = pool_.take(fw::PoolUser::firmware);
  pool_.release_after(*t, 1);
  EXPECT_THAT(words_of([&] { pool_.release(*t); }), HasSubstr("is released a second time"));
  EXPECT_THAT(words_of([&] { pool_.release_after(*t, 1); }), HasSubstr("is released a second time"));
}

TEST_F(FirmwareChecks, FindATransactionThatIsUsedAfterItsRelease) {
  fw::Transaction* const t = pool_.take(fw::PoolUser::firmware);
  pool_.release(*t);
  EXPECT_THAT(words_of([&] { pool_.expect_used(*t); }), HasSubstr("is used after its release"));
}

TEST_F(FirmwareChecks, FindALockThatIsReleasedWithoutBeingHeld) {
  fw::Transaction* const t = pool_.take(fw::PoolUser::firmware);
  t->lpn = 7;
  locks_.acquire(*t);
  locks_.release(*t);
  EXPECT_THAT(words_of([&] { locks_.release(*t); }),
              AllOf(HasSubstr("LPN 7 is unlocked at"), HasSubstr("firmware_checks_test.cpp")));
}

} // namespace
} // namespace twinplane::test::firmware_checks_test
