// Is a saved drive that says it has more than there is refused, instead of believed?
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "hw/nand/cell_log.h"
#include "platform/config/error.h"
#include "platform/session/drive_state.h"

namespace twinplane::test::damaged_state_test {
namespace {

/// Numbers of 64 bits, and then nothing.
class Numbers final : public StateVisitor {
 public:
  explicit Numbers(std::vector<std::uint64_t> numbers) : bytes_(numbers.size() * 8) {
    std::memcpy(bytes_.data(), numbers.data(), bytes_.size());
  }
  bool loading() const override { return true; }
  void section(const char*) override {}
  void refuse(const char* why) override { throw platform::InputError(why); }
  void bytes(void* data, std::size_t size) override {
    if (size > bytes_.size() - at_) refuse("it ends");
    std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

constexpr std::uint64_t kFarTooMany = std::uint64_t{1} << 60;

TEST(DamagedState, ANumberOfFilledPagesThatTheFileDoesNotHoldTakesNoMemory) {
  Numbers file({1, 2, 3, 4, 5, 6, kFarTooMany});
  platform::PreconditionResult result;
  EXPECT_THROW(platform::serialise(file, result), platform::InputError);
}

TEST(DamagedState, ATableOfASizeThatNoBlockHasIsRefused) {
  hw::NandConfig part;
  const PageOrderTable order(part.geometry.cell, part.geometry.pages_per_block, part.page_table);
  for (const std::uint64_t size : {kFarTooMany, std::uint64_t{3}}) {
    hw::CellLog log(part, order);
    Numbers file({0, size});
    try {
      log.serialise(file, 0);
      FAIL() << "expected an error";
    } catch (const platform::InputError& error) {
      EXPECT_STREQ(error.what(), "it is damaged (a table of a size that no die has)");
    }
  }
}

TEST(DamagedState, AHostOfMoreSectorsThanAnyDriveHasIsRefused) {
  platform::NvmeHost host("host", platform::NvmeHostConfig());
  Numbers file({kFarTooMany, 1, 0, 0, 0});
  EXPECT_THROW(host.serialise(file), platform::InputError);
}

} // namespace
} // namespace twinplane::test::damaged_state_test
