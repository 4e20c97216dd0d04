// When does the core's thread wake, and what does that cost the kernel?
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <vector>

#include "hw/core/dram.h"
#include "hw/cpu/cpu.h"
#include "hw/spec/registers.h"

namespace twinplane::test::cpu_sleep_test {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_US;

/// Does nothing but note when it is called, and sets the timer again.
class Alarm final : public hw::Software {
 public:
  Alarm(hw::Cpu& cpu, std::uint32_t period_ns) : cpu_(cpu), period_ns_(period_ns) {}
  void boot() override { arm(); }
  bool step() override {
    cpu_.mmio_read(reg::kIntcBase + reg::intc::cause_lo);
    turns.push_back(cpu_.local_time());
    arm();
    return false;
  }
  std::vector<TimePs> turns;

 private:
  void arm() { cpu_.mmio_write(reg::kTimerBase + reg::timer::arm_ns, period_ns_); }

  hw::Cpu& cpu_;
  std::uint32_t period_ns_;
};

/// A core without peripherals, that may go ahead of the kernel, and an actor outside that acts every
/// `period`: with an interrupt message that arrives 1 us later, not at all, or by ending the simulation.
class Board : public sc_core::sc_module {
 public:
  enum class Act : std::uint8_t { tick, message, stop };
  hw::Cpu cpu{"cpu", hw::CpuConfig{1'000'000'000, 1, ms(1), {}}};
  hw::Dram dram{"dram", 4096};
  tlm_utils::simple_target_socket<Board> host{"host"};
  tlm_utils::simple_target_socket<Board> flash{"flash"};
  tlm_utils::simple_initiator_socket<Board> irq{"irq"};
  Alarm alarm;

  SC_HAS_PROCESS(Board);
  Board(const sc_core::sc_module_name& name, std::uint32_t timer_ns, sc_time period, Act act)
      : sc_module(name), alarm(cpu, timer_ns), period_(period), act_(act) {
    host.register_b_transport(this, &Board::ignore);
    flash.register_b_transport(this, &Board::ignore);
    cpu.host.bind(host);
    cpu.dram.bind(dram.port);
    cpu.flash[0].bind(flash);
    irq.bind(cpu.irq);
    cpu.load(alarm);
    SC_THREAD(act);
  }

 private:
  void ignore(tlm::tlm_generic_payload&, sc_time&) {}
  void act() {
    for (;;) {
      sc_core::wait(period_);
      if (act_ == Act::stop) sc_core::sc_stop();
      if (act_ != Act::message) continue;
      sc_time delay(1, SC_US);
      access_.write(irq, reg::intc::trigger, reg::irq::host_command, delay);
    }
  }

  sc_time period_;
  Act act_;
  hw::RegisterAccess access_;
};

TEST(CpuSleep, SomebodyElsesClockCostsOneWakeUpPerTurn) {
  Board board("board", 5000, sc_time(1, SC_NS), Board::Act::tick);
  sc_core::sc_start(sc_time(100, SC_US) + sc_time(500, sc_core::SC_PS));
  ASSERT_EQ(board.alarm.turns.size(), 21u) << "the first one right after boot";
  for (std::size_t i = 0; i <= 20; ++i) EXPECT_EQ(board.alarm.turns[i], us(5) * i);
  EXPECT_LE(board.cpu.statistics().activations, 2 * 20u + 2) << "there were 100,000 ticks";
}

TEST(CpuSleep, ServesAMessageFromOutsideWithoutATimeStepOfItsOwn) {
  constexpr std::uint32_t kMessages = 50;
  Board board("board", 900'000, sc_time(10, SC_US), Board::Act::message);
  sc_core::sc_start(sc_time(5, SC_US));
  const std::uint64_t before = sc_core::sc_delta_count();
  sc_core::sc_start(sc_time(10, SC_US) * kMessages);
  ASSERT_EQ(board.alarm.turns.size(), kMessages + 1) << "the first one right after boot";
  for (std::uint32_t i = 1; i <= kMessages; ++i) EXPECT_EQ(board.alarm.turns[i], us(10) * i + us(1));
  EXPECT_LE(sc_core::sc_delta_count() - before, kMessages + 5) << "two per message: its own, and the core's";
}

// The thread wakes in the time step in which the simulation is stopped: what lies ahead of that never
// happens.
TEST(CpuSleep, DoesNotGoAheadOfTheEndOfTheSimulation) {
  Board board("board", 7000, sc_time(10, SC_US), Board::Act::stop);
  sc_core::sc_start();
  EXPECT_EQ(board.alarm.turns, (std::vector<TimePs>{0, us(7)}));
}

} // namespace
} // namespace twinplane::test::cpu_sleep_test
