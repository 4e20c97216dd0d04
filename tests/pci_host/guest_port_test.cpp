// GuestPort beside a guest that is another program, on another processor.
#include "platform/pci_host/guest_port.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace twinplane::test::guest_port_test {
namespace {

using platform::GuestPort;
using platform::NvmeWatch;

struct NoListener final : NvmeWatch::Listener, hw::PciClient {
  void on_rung(TimePs) override {}
  void on_finished(const platform::GuestRequest&) override {}
  void on_given_up(TimePs, TimePs) override {}
  void reset_function(TimePs) override {}
  void set_msix(std::uint16_t, TimePs) override {}
  void set_bus_master(bool, TimePs) override {}
  void disable_intx(bool, TimePs) override {}
  bool interrupt_pending() const override { return false; }
};

/// The drive: 32 bits by DMA, at the kernel's time.
struct Drive final : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Drive> dma{"dma"};
  tlm_utils::simple_target_socket<Drive> bar{"bar"};
  explicit Drive(const sc_core::sc_module_name& name) : sc_module(name) {}

  void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof word);
    payload.set_streaming_width(sizeof word);
    sc_core::sc_time delay;
    dma->b_transport(payload, delay);
    ASSERT_TRUE(payload.is_response_ok());
  }
};

constexpr std::uint64_t kBytes = 8192;
constexpr std::uint64_t kShadow = 0, kEventIndex = 4096;

/// Lets the two halves of a round meet at all distances.
void linger(std::uint32_t turns) {
  for (volatile std::uint32_t i = 0; i < turns; i = i + 1) {
  }
}

/// The guest's half of each round: its value first, then the look at EventIdx. As it looks at that while it
/// waits, too, the drive's store takes its time.
void move_values(volatile std::uint32_t* words, const std::atomic<bool>& ended,
                 const std::atomic<std::uint32_t>& begun, std::atomic<std::uint32_t>& seen) {
  for (std::uint32_t round = 1;; ++round) {
    while (begun.load() < round) {
      static_cast<void>(words[kEventIndex / 4]);
      if (ended.load()) return;
    }
    linger(round % 11);
    words[kShadow / 4] = round;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    seen.store(words[kEventIndex / 4] == round ? 2 * round + 1 : 2 * round);
  }
}

/// What doorbells in memory rest upon (NVMe 1.4 section 7.13). Rounds in which neither saw the other's value
/// are those in which a drive would sleep and a guest not wake it.
TEST(GuestPort, ShowsEventIdxOrTheValueToOneOfTwoThatMoveBothAtOnce) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor has no order of two";
  NoListener none;
  const hw::PciFunctionConfig config;
  hw::PciFunction function(config, none);
  NvmeWatch watch(none);
  GuestPort port("port", function, config, 0, watch);
  Drive drive("drive");
  drive.dma.bind(port.dma);
  port.bar.bind(drive.bar);
  const platform::Descriptor file(::memfd_create("guest", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), kBytes), 0);
  ASSERT_EQ(port.memory().map({0, kBytes, 0, true}, file), 0);
  void* const mapped = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  constexpr std::uint32_t kRounds = 2'000'000; // a second; fewer where two processors are not to be had
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::atomic<bool> ended{false};
  std::atomic<std::uint32_t> begun{0}, seen{0};
  std::thread guest(move_values, static_cast<volatile std::uint32_t*>(mapped), std::cref(ended),
                    std::cref(begun), std::ref(seen));
  std::uint32_t neither = 0;
  std::uint32_t round = 1;
  for (; round <= kRounds && std::chrono::steady_clock::now() < latest; ++round) {
    begun.store(round);
    linger(round / 11 % 41);
    std::uint32_t event = round, value = 0;
    drive.access(tlm::TLM_WRITE_COMMAND, kEventIndex, event);
    drive.access(tlm::TLM_READ_COMMAND, kShadow, value);
    while (seen.load() < 2 * round) {
    }
    if (value != round && seen.load() == 2 * round) ++neither;
  }
  ended.store(true);
  guest.join();
  ::munmap(mapped, kBytes);
  EXPECT_EQ(neither, 0u) << "of " << round - 1 << " rounds";
}

} // namespace
} // namespace twinplane::test::guest_port_test
