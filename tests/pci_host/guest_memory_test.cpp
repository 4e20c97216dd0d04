// Is memory of a guest whose file is cut short refused, and nothing else?
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "platform/pci_host/guest_memory.h"

namespace twinplane::test::guest_memory_test {
namespace {

using platform::Descriptor;
using platform::MappedMemory;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kThere = 0x10'0000;

class CutShort : public testing::Test {
 protected:
  CutShort() : file_(::memfd_create("guest", MFD_CLOEXEC)) {
    cut(16 * kPage);
    EXPECT_EQ(memory_.map({kThere, 16 * kPage, 0, true}, file_), 0);
  }
  void cut(std::uint64_t bytes) { ASSERT_EQ(::ftruncate(file_.get(), static_cast<off_t>(bytes)), 0); }

  Descriptor file_;
  MappedMemory memory_;
  std::vector<char> data_ = std::vector<char>(2 * kPage, 'x');
};

TEST_F(CutShort, WhatIsGoneIsNeitherReadNorWritten) {
  ASSERT_TRUE(memory_.write(kThere, data_.data(), kPage));
  cut(kPage);
  EXPECT_FALSE(memory_.read(kThere + kPage, data_.data(), 8));
  EXPECT_FALSE(memory_.write(kThere + 15 * kPage, data_.data(), 8));
  EXPECT_FALSE(memory_.read(kThere, data_.data(), 2 * kPage)); // of which half is there
}

TEST_F(CutShort, WhatIsLeftWorksOn) {
  cut(kPage);
  EXPECT_FALSE(memory_.read(kThere + kPage, data_.data(), 8));
  std::memcpy(data_.data(), "still here", 10);
  ASSERT_TRUE(memory_.write(kThere + 100, data_.data(), 10));
  char back[10] = {};
  ASSERT_TRUE(memory_.read(kThere + 100, back, 10));
  EXPECT_EQ(std::memcmp(back, "still here", 10), 0);
}

TEST_F(CutShort, WhatComesBackWorksAgain) {
  cut(0);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(memory_.write(kThere, data_.data(), 8));
  cut(16 * kPage);
  EXPECT_TRUE(memory_.write(kThere, data_.data(), 8));
}

TEST_F(CutShort, OtherBusErrorsEndTheProcessAsEver) {
  cut(0);
  EXPECT_FALSE(memory_.write(kThere, data_.data(), 8));
  EXPECT_EXIT(std::raise(SIGBUS), testing::KilledBySignal(SIGBUS), "");
}

} // namespace
} // namespace twinplane::test::guest_memory_test
