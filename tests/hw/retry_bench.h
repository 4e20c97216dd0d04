// A flash controller whose pages come back with more wrong bits than its code corrects, under the eyes of a
// protocol monitor.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/hw/controller_bench.h"
#include "tests/support/monitor_bench.h"

namespace twinplane::test {

constexpr TimePs kDecoding = us(10);

/// Commands as "30 out D5:1": starts of the array, data out, read levels.
struct Commands final : hw::BusObserver {
  void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure& t, TimePs, TimePs) override {
    for (std::uint32_t i = 0; i < t.phase_count; ++i) {
      const hw::OnfiPhase& p = t.phases[i];
      if (p.kind == hw::PhaseKind::data_out && p.data == nullptr) add("out");
      if (p.kind != hw::PhaseKind::command) continue;
      if (p.opcode == 0xD5) add("D5:" + std::to_string(t.phases[i + 2].data[0]));
      for (const int shown : {0x1A, 0x30, 0x32, 0x31, 0x3F, 0x10, 0x15, 0xD0, 0x61, 0xD2}) {
        if (p.opcode == shown) add(hw_text(p.opcode));
      }
    }
  }
  static std::string hw_text(std::uint8_t opcode) {
    char text[4];
    std::snprintf(text, sizeof text, "%02X", opcode);
    return text;
  }
  void add(const std::string& word) { text += (text.empty() ? "" : " ") + word; }
  std::string text;
};

/// Every codeword has `errors` wrong bits at level 0, and these shares of them at the levels behind.
inline hw::NandConfig noisy(double errors, std::array<double, kReadLevels> levels) {
  hw::NandConfig part;
  part.errors.reading = ErrorReading::expected;
  part.errors.rates = {{0, errors / 8752}, {4000, errors / 8752}};
  part.errors.upper = 1;
  part.errors.levels = levels;
  return part;
}

class ControllerRetry : public ::testing::Test {
 protected:
  ControllerRetry() {
    config.ecc.code = EccCode::bch;
    config.ecc.fastest = config.ecc.slowest = kDecoding;
    config.read_retries = 3;
    array.tR_level = {us(11), us(22), us(33), us(44), us(55), us(66), us(77)};
  }

  void boot(const Geometry& geometry) {
    expect_reports("twinplane.monitor");
    bench = std::make_unique<ControllerBench>("bench", geometry, data_only_bus(), array, config, part);
    hw::NandConfig like = part;
    like.geometry = geometry;
    like.array = array;
    like.bus = data_only_bus();
    like.independent_plane_reads = config.independent_reads;
    monitor = std::make_unique<hw::ProtocolMonitor>(monitor_of(like, geometry.chips_per_channel));
    monitor->forward_to(&findings);
    bench->channel->attach(*monitor);
    for (auto& package : bench->packages) package->attach(*monitor);
    bench->channel->attach(commands);
    for (std::uint32_t die = 0; die < geometry.chips_per_channel; ++die) {
      for (std::uint32_t page = 0; page < 4; ++page) {
        for (std::uint32_t plane = 0; plane < geometry.planes_per_die; ++plane)
          bench->program_now({die, plane, 0, page});
      }
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench->boot();
  }
  FlashDescriptor read(const Ppa& at, std::uint8_t flags = 0) const {
    return bench->descriptor(FlashOp::read, at, flags);
  }
  void submit(std::initializer_list<FlashDescriptor> descriptors, TimePs at = 0) {
    if (at != 0) sc_core::sc_start(hw::to_sc_time(at) - sc_core::sc_time_stamp());
    for (const FlashDescriptor& d : descriptors) bench->put(d);
    bench->ring();
  }
  /// Runs to the end; nothing was objected to.
  void finish(std::size_t operations) {
    sc_core::sc_start();
    ASSERT_EQ(bench->done.size(), operations);
    EXPECT_EQ(bench->violations(), 0u);
    EXPECT_EQ(findings.text(), "");
  }
  const Done& done(std::uint32_t cookie) const {
    for (const Done& d : bench->done) {
      if (d.completion.cookie == cookie) return d;
    }
    ADD_FAILURE() << "no completion of " << cookie;
    return bench->done.front();
  }
  static TimePs total(const FlashCompletion& c) {
    return c.bus_wait_ps + c.bus_ps + c.array_ps + c.ecc_ps + c.retry_ps;
  }
  const hw::ReadErrorStatistics& counted() const { return bench->controller->statistics().read_errors[0]; }

  hw::FlashControllerConfig config;
  ArrayTiming array = slow_array();
  hw::NandConfig part = noisy(100, {1, 0.5, 0.4, 0.3, 0.3, 0.3, 0.3, 0.3}); // correctable at level 2
  std::unique_ptr<ControllerBench> bench;
  std::unique_ptr<hw::ProtocolMonitor> monitor;
  Findings findings;
  Commands commands;
};

} // namespace twinplane::test
