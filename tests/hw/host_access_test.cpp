// In what order do posted writes reach a host that waits, when it grants its memory meanwhile?
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <functional>
#include <systemc>
#include <vector>

#include "hw/host_if/host_access.h"

namespace twinplane::test::host_access_test {
namespace {

using hw::HostAccess;

/// Memory that takes 1 us for each access, and grants itself from its first answer on if `grants`.
class SlowMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<SlowMemory> in{"in"};
  std::array<std::uint8_t, 4096> bytes{};
  std::vector<std::uint8_t> taken; // the first byte of each transaction, in order
  bool grants = true;
  std::function<void()> meanwhile; // called when a transaction has begun, before it is answered

  explicit SlowMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &SlowMemory::access);
    in.register_get_direct_mem_ptr(this, &SlowMemory::grant);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (meanwhile) meanwhile();
    sc_core::wait(delay + sc_core::sc_time(1, sc_core::SC_US));
    delay = sc_core::SC_ZERO_TIME;
    std::copy_n(payload.get_data_ptr(), payload.get_data_length(), &bytes.at(payload.get_address()));
    taken.push_back(*payload.get_data_ptr());
    payload.set_dmi_allowed(grants);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool grant(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(0);
    dmi.set_end_address(bytes.size() - 1);
    dmi.allow_read_write();
    return true;
  }
};

/// A front end reduced to its posted writes: one thread sends them.
class Sender : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  HostAccess::Socket out{"out"};
  HostAccess access{out, true};
  SlowMemory memory{"memory"};

  SC_HAS_PROCESS(Sender);
  explicit Sender(const sc_core::sc_module_name& name) : sc_module(name) {
    out.bind(*static_cast<tlm::tlm_bw_transport_if<>*>(this));
    out.bind(memory.in);
    SC_THREAD(send);
  }

  void post(std::uint64_t address, std::uint8_t value) {
    hw::PostedWrite write;
    write.address = address;
    write.length = 16;
    write.data[0] = value;
    access.post(write);
  }
  bool write_at_once(std::uint64_t address, std::uint8_t value) {
    const std::array<std::uint8_t, 16> entry{value};
    return access.write_at_once(address, entry.data(), 16, 0);
  }

 private:
  void send() {
    for (;;) {
      while (access.posted_writes() == 0) sc_core::wait(access.posted());
      access.send_posted();
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

TEST(PostedWrites, AGrantedEntryDoesNotOvertakeOnesThatWait) {
  Sender sender("sender");
  sender.post(0, 1); // its answer brings the grant
  sender.post(16, 2);
  bool overtook = true;
  sender.memory.meanwhile = [&] {
    // The second write is on its way to memory that is granted by now: 3 could be there at once.
    if (!sender.memory.taken.empty()) overtook = sender.write_at_once(32, 3);
  };
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  ASSERT_EQ(sender.memory.taken, (std::vector<std::uint8_t>{1, 2}));
  EXPECT_NE(sender.access.direct(32, 16), nullptr);
  EXPECT_FALSE(overtook);
  EXPECT_EQ(sender.memory.bytes[32], 0) << "what was not written at once must be posted by its owner";
}

TEST(PostedWrites, AGrantedEntryIsWrittenAtOnceWhenNothingWaits) {
  Sender sender("sender");
  sender.post(0, 1);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  EXPECT_TRUE(sender.write_at_once(32, 3));
  EXPECT_EQ(sender.memory.bytes[32], 3);
  EXPECT_EQ(sender.memory.taken, (std::vector<std::uint8_t>{1})) << "by pointer, not by transaction";
}

TEST(PostedWrites, WithoutAGrantEveryEntryIsPosted) {
  Sender sender("sender");
  sender.memory.grants = false;
  sender.post(0, 1);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  EXPECT_FALSE(sender.write_at_once(32, 3));
  EXPECT_EQ(sender.memory.bytes[32], 0);
}

TEST(PostedWrites, ForgettingLeavesTheOneThatIsLeaving) {
  Sender sender("sender");
  for (std::uint8_t i = 1; i <= 3; ++i) sender.post(i * 16u, i);
  sender.memory.meanwhile = [&] { sender.access.forget_posted(); };
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  EXPECT_EQ(sender.memory.taken, (std::vector<std::uint8_t>{1}));
  EXPECT_EQ(sender.access.posted_writes(), 0u);
}

} // namespace
} // namespace twinplane::test::host_access_test
