// A replay engine with its driver model, the NVMe front end, and firmware that answers at once.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "hw/host_if/host_interface.h"
#include "platform/host/replay_engine.h"
#include "tests/support/stub_firmware.h"

namespace twinplane::test {

using platform::IoOp;
using platform::IoRecord;

class VectorSource final : public platform::IoSource {
 public:
  std::vector<IoRecord> records;
  std::size_t fail_at = ~std::size_t{0};
  bool next(IoRecord& record) override {
    if (position_ == fail_at) throw std::runtime_error("trace.csv:7: expected 5 fields, got 3");
    if (position_ == records.size()) return false;
    record = records[position_++];
    return true;
  }
  void rewind() override { position_ = 0; }
  std::uint64_t size_hint() const override { return records.size(); }

 private:
  std::size_t position_ = 0;
};

class ReplaySink final : public platform::LatencySink {
 public:
  std::vector<platform::FinishedIo> done;
  std::uint64_t arrivals = 0;
  TimePs last = 0;
  bool monotone = true;
  void arrived(TimePs now) override {
    ++arrivals;
    step(now);
  }
  void record(const platform::FinishedIo& io) override {
    done.push_back(io);
    step(io.completed);
  }
  std::vector<std::size_t> rounds; // requests done at the end of each
  void round_done(TimePs /*now*/) override { rounds.push_back(done.size()); }

 private:
  void step(TimePs now) {
    monotone = monotone && now >= last;
    last = now;
  }
};

struct ReplaySettings {
  hw::HostInterfaceConfig device;
  platform::NvmeHostConfig host;
  platform::ReplayConfig replay;
};

struct ReplayBench {
  hw::Dram dram{"dram", 64u << 20};
  hw::HostInterface front;
  StubFirmware firmware{"firmware", dram};
  platform::NvmeHost host;
  VectorSource source;
  platform::ReplayEngine engine;
  sc_core::sc_signal<bool> intx{"intx"};
  ReplaySink sink;

  explicit ReplayBench(const ReplaySettings& settings)
      : front("front", settings.device),
        host("host", settings.host),
        engine("engine", settings.replay, host, source) {
    host.bar.bind(front.bar);
    front.dma.bind(host.memory);
    front.dram.bind(dram.port);
    front.irq.bind(firmware.irq);
    front.intx.bind(intx);
    firmware.mmio.bind(front.device);
    firmware.service_time = us(20);
    engine.bind(sink);
  }
  void add(IoOp op, std::uint64_t offset, std::uint32_t length, std::uint64_t arrival_ns = 0) {
    IoRecord record;
    record.arrival_ns = arrival_ns;
    record.op = op;
    record.offset = offset;
    record.length = length;
    source.records.push_back(record);
  }
  void run(double seconds = 10) { sc_core::sc_start(sc_core::sc_time(seconds, sc_core::SC_SEC)); }
};

/// A small repeatable mix: every sector of a hot region is written, read, trimmed many times.
inline void add_mix(ReplayBench& bench, std::uint32_t requests) {
  std::uint32_t state = 12345;
  const auto random = [&state] { return state = state * 1664525u + 1013904223u; };
  for (std::uint32_t i = 0; i < requests; ++i) {
    const std::uint32_t kind = random() >> 24;
    const IoOp op = kind < 128   ? IoOp::write
                    : kind < 240 ? IoOp::read
                    : kind < 250 ? IoOp::trim
                                 : IoOp::flush;
    const std::uint64_t sector = (random() >> 16) % 256;
    const std::uint32_t length = ((random() >> 20) % 96 + 1) * 4096;
    bench.add(op, sector * 4096, op == IoOp::flush ? 0 : length, i * 1000);
  }
}

} // namespace twinplane::test
