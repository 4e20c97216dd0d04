// Are registers of our own targets called, and does every other target get the transactions that it expects?
#include "hw/core/register_port.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "hw/core/register_access.h"
#include "hw/core/target_socket.h"

namespace twinplane::hw {
namespace {

/// One register at address 8; reading it takes 5 ps.
class Registers {
 public:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++transactions;
    if (!is_word_access(payload)) return;
    if (payload.get_address() != 8) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    seen_at = time_at(delay);
    if (payload.is_read()) {
      set_word(payload, value);
      delay += to_sc_time(5);
    } else {
      value = word_of(payload);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload&) { return 0; }
  bool read(std::uint64_t address, std::uint32_t& word, TimePs& at) {
    if (address != 8) return false;
    seen_at = at;
    word = value;
    at += 5;
    return true;
  }
  bool write(std::uint64_t address, std::uint32_t word, TimePs& at) {
    if (address != 8) return false;
    seen_at = at;
    value = word;
    return true;
  }

  std::uint32_t value = 0;
  TimePs seen_at = 0;
  int transactions = 0;
};

/// Writes, reads, and asks for what is refused. Says how many transactions that took.
int use(tlm::tlm_blocking_transport_if<>& target, Registers& registers) {
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
  const int usual = registers.transactions;
  EXPECT_FALSE(port.write(access, 12, 1, at));
  EXPECT_FALSE(access.ok());
  EXPECT_FALSE(port.read(access, 12, value, at));
  EXPECT_EQ(registers.transactions, usual + 2) << "a refused access is repeated, for its error";
  return registers.transactions - 2;
}

TEST(RegisterPort, CallsATargetOfOursWithoutTransactions) {
  require_picoseconds("test");
  Registers registers;
  RegisterCalls<Registers> target(registers, &Registers::transport, &Registers::debug, &Registers::read,
                                  &Registers::write);
  EXPECT_EQ(use(target, registers), 0);
}

TEST(RegisterPort, SendsTransactionsToAnyOtherTarget) {
  require_picoseconds("test");
  Registers registers;
  TargetCalls<Registers> target(registers, &Registers::transport, &Registers::debug);
  EXPECT_EQ(use(target, registers), 2);
}

} // namespace
} // namespace twinplane::hw
