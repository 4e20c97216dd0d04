// The SystemC modules that benchmarks use. A process has one simulation and no module may be added once it
// runs, so all of them are built together, before the first benchmark.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "hw/channel/channel.h"
#include "hw/nand/package.h"
#include "tests/support/flash_bench.h"

namespace twinplane::bench {

/// Timed method events that re-arm themselves, as the engines of the drive do.
class EventSources : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kMost = 256;

  explicit EventSources(const sc_core::sc_module_name& name);

  /// Starts `pending` of them; they go on until park().
  void start(std::uint32_t pending);
  /// Runs the kernel until `events` more have happened (a few more at most).
  void run(std::uint64_t events);
  void park();
  std::uint64_t count() const { return count_; }

 private:
  void fire(std::uint32_t source);

  std::vector<std::unique_ptr<sc_core::sc_event>> due_;
  std::vector<sc_core::sc_time> periods_;
  std::uint64_t count_ = 0;
  std::uint64_t until_ = 0;
  std::uint32_t pending_ = 0;
};

/// One channel with one package of the drive of the speed comparisons (platform/configs/slc_8ch.toml).
struct FlashFixture {
  FlashFixture();

  hw::NandConfig config;
  test::Driver driver{"driver"};
  hw::Channel channel;
  hw::Package package;
};

struct SystemcFixtures {
  EventSources events{"events"};
  FlashFixture flash;
};

/// Built by sc_main.
SystemcFixtures& fixtures();

} // namespace twinplane::bench
