// A drive behind its PCI function, with a host that enumerates it.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "hw/spec/pci.h"
#include "platform/ssd/block_factory.h"
#include "tests/support/guest_host.h"

namespace twinplane::test {

inline constexpr std::uint64_t kBar = 0x2'4000'0000;

/// The way from the host to the function: configuration and memory requests.
struct Root : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Root> config{"config"};
  tlm_utils::simple_initiator_socket<Root> memory{"memory"};
  explicit Root(const sc_core::sc_module_name& name) : sc_module(name) {}

  std::uint32_t access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t bytes,
                       std::uint32_t value) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(offset);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    config->b_transport(p, delay);
    EXPECT_TRUE(p.is_response_ok()) << offset;
    sc_core::wait(delay);
    return value;
  }
  std::uint32_t read(std::uint32_t offset, std::uint32_t bytes) {
    return access(tlm::TLM_READ_COMMAND, offset, bytes, 0);
  }
  void write(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) {
    access(tlm::TLM_WRITE_COMMAND, offset, bytes, value);
  }
};

struct PciBench {
  platform::Ssd ssd;
  GuestHost host{"host"};
  Root root{"root"};
  sc_core::sc_signal<bool> intx{"intx"};

  static platform::Config config_of(bool grants, const std::string& more = "") {
    return guest_config("[cpu]\nrun_ahead=0\n" + more, !grants);
  }
  PciBench() : PciBench(config_of(false)) {}
  explicit PciBench(const platform::Config& config,
                    platform::BlockFactory&& blocks = platform::BlockFactory())
      : ssd("ssd", config, blocks) {
    root.config.bind(ssd.pci().config);
    root.memory.bind(ssd.pci().memory);
    host.mmio.bind(nowhere.in);
    ssd.dma.bind(host.memory);
    ssd.intx.bind(intx);
    host.intx.bind(intx);
    host.grants = !config.host_waits;
    host.transport = [this](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
      if (p.get_address() == nvme::bar::msix_control) return; // is where it should be, in configuration space
      p.set_address(p.get_address() + kBar);
      root.memory->b_transport(p, delay);
    };
  }
  /// As an operating system's driver has it before it touches the controller.
  void bring_up() {
    root.write(pci::bar0, 4, static_cast<std::uint32_t>(kBar));
    root.write(pci::bar1, 4, static_cast<std::uint32_t>(kBar >> 32));
    root.write(
        pci::command, 2,
        pci::command_bit::memory_space | pci::command_bit::bus_master | pci::command_bit::intx_disable);
    root.write(pci::msix::control, 2, pci::msix::enable);
  }
  void reset_function() {
    const std::uint32_t control = root.read(pci::express::device_control, 2);
    root.write(pci::express::device_control, 2, control | pci::express::initiate_flr);
    sc_core::wait(sc_core::sc_time(100, sc_core::SC_MS)); // section 6.6.2
  }
  void run(const std::function<void()>& script) {
    host.script = script;
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_SEC));
    EXPECT_TRUE(host.done);
  }

 private:
  struct Nowhere : sc_core::sc_module {
    tlm_utils::simple_target_socket<Nowhere> in{"in"};
    explicit Nowhere(const sc_core::sc_module_name& name) : sc_module(name) {
      in.register_b_transport(this, &Nowhere::access);
    }
    void access(tlm::tlm_generic_payload&, sc_core::sc_time&) {}
  };
  Nowhere nowhere{"nowhere"};
};

/// Writes are under way when the function is reset, at another moment in each round. What had no completion
/// is written again.
inline void reset_under_load(PciBench& b, std::uint32_t rounds = 24) {
  GuestHost& h = b.host;
  constexpr std::uint32_t kCommands = 16;
  std::uint32_t cut_short = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    b.bring_up();
    h.start();
    ASSERT_TRUE(h.up) << round;
    for (std::uint32_t i = 0; i < kCommands; ++i) {
      h.fill(GuestHost::kBuffer + i * 4096u, static_cast<std::uint8_t>(round * 7 + i));
      h.push(h.io, GuestHost::command(nvme::io::write, i, GuestHost::kBuffer + i * 4096u));
    }
    h.ring(h.io);
    h.pause(us(3) + round * us(41));
    const std::uint32_t control = b.root.read(pci::express::device_control, 2);
    b.root.write(pci::express::device_control, 2, control | pci::express::initiate_flr);
    std::uint32_t completed = 0;
    std::vector<bool> seen(0x10000);
    nvme::Cqe c;
    while (completed < kCommands) {
      std::memcpy(&c, &h.bytes[h.io.cq + completed * sizeof c], sizeof c);
      if ((c.status & 1u) != 1) break;
      EXPECT_FALSE(seen[c.cid]) << "twice";
      seen[c.cid] = true;
      ++completed;
    }
    cut_short += completed < kCommands ? 1 : 0;
    const std::vector<std::uint8_t> memory = h.bytes;
    const std::uint64_t messages = h.messages;
    sc_core::wait(sc_core::sc_time(100, sc_core::SC_MS));
    EXPECT_EQ(h.bytes, memory) << "nothing arrives after the reset, round " << round;
    EXPECT_EQ(h.messages, messages);
    EXPECT_EQ(b.root.read(pci::command, 2), 0u);
    b.bring_up();
    h.start();
    ASSERT_TRUE(h.up);
    for (std::uint32_t i = 0; i < kCommands; ++i)
      h.push(h.io, GuestHost::command(nvme::io::write, i, GuestHost::kBuffer + i * 4096u));
    h.ring(h.io);
    for (std::uint32_t i = 0; i < kCommands; ++i) EXPECT_EQ(h.wait_for(h.io), 0);
    for (std::uint32_t i = 0; i < kCommands; ++i)
      EXPECT_EQ(h.read_sector(i, 0x80000), static_cast<std::uint8_t>(round * 7 + i));
    b.reset_function();
  }
  EXPECT_GT(cut_short, rounds / 6) << "the test is to cut some of them short";
}

} // namespace twinplane::test
