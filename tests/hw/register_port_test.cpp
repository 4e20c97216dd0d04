// Are registers of our own targets called, and does every other target get the transactions that it expects?
#include "hw/core/register_port.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "hw/core/register_access.h"
#include "hw/core/register_file.h"

namespace twinplane::hw::register_port_test {
namespace {

/// One register at address 8; reading it takes 5 ps.
class Registers final : public RegisterFile {
 public:
  bool read32(std::uint64_t address, std::uint32_t& word, TimePs& at) override {
    ++calls;
    if (address != 8) return false;
    seen_at = at;
    word = value;
    at += 5;
    return true;
  }
  bool write32(std::uint64_t address, std::uint32_t word, TimePs& at) override {
    ++calls;
    if (address != 8) return false;
    seen_at = at;
    value = word;
    return true;
  }

  std::uint32_t value = 0;
  TimePs seen_at = 0;
  int calls = 0;
};

/// Stands between the two.
class Between final : public BlockingTarget<> {
 public:
  explicit Between(tlm::tlm_blocking_transport_if<>& target) : target_(target) {}
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    ++transactions;
    target_.b_transport(payload, delay);
  }
  int transactions = 0;

 private:
  tlm::tlm_blocking_transport_if<>& target_;
};

/// Writes, reads, and asks for what is refused.
void use(tlm::tlm_blocking_transport_if<>& target, Registers& registers) {
  RegisterAccess access;
  const RegisterPort port(&target);
  TimePs at = 100;
  EXPECT_TRUE(port.write(access, 8, 42, at));
  EXPECT_EQ(registers.seen_at, 100u);
  EXPECT_EQ(at, 100u);
  std::uint32_t value = 0;
  EXPECT_TRUE(port.read(access, 8, value, at));
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(at, 105u) << "the target's time comes back";
  EXPECT_FALSE(port.write(access, 12, 1, at));
  EXPECT_FALSE(access.ok());
  EXPECT_FALSE(port.read(access, 12, value, at));
}

TEST(RegisterPort, CallsATargetOfOursWithoutTransactions) {
  require_picoseconds("test");
  Registers registers;
  use(registers, registers);
  EXPECT_EQ(registers.calls, 6) << "a refused access is repeated, for its error";
}

TEST(RegisterPort, SendsTransactionsToAnyOtherTarget) {
  require_picoseconds("test");
  Registers registers;
  Between between(registers);
  use(between, registers);
  EXPECT_EQ(between.transactions, 4);
}

} // namespace
} // namespace twinplane::hw::register_port_test
