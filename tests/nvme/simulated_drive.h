// A drive in the same simulation, for the conformance rules.
#pragma once

#include <map>
#include <string>

#include "tests/nvme/conformance/rules.h"
#include "tests/nvme/drive_bench.h"

namespace twinplane::test {

class SimulatedDrive : public conformance::Transport {
 public:
  explicit SimulatedDrive(conformance::DriveKind kind) : bench_(settings(kind)) {
    bench_.host.memory.on_message = [this](std::uint32_t, std::uint32_t vector) { ++messages_[vector]; };
  }

  std::uint32_t read(std::uint32_t offset) override { return bench_.host.read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) override { bench_.host.write(offset, value); }
  std::uint8_t* memory() override { return bench_.host.memory.at(0); }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return bench_.host.memory.size(); }
  void wait(std::uint32_t microseconds) override { bench_.host.pass(us(microseconds)); }
  [[nodiscard]] bool in_step() const override { return true; }
  [[nodiscard]] std::uint64_t messages(std::uint16_t vector) override {
    if (!vectors_set_) {
      bench_.host.set_vectors(5);
      bench_.host.write(nvme::bar::msix_control, 0x8000);
      vectors_set_ = true;
    }
    return messages_[vector];
  }

 protected:
  HostMemory& host_memory() { return bench_.host.memory; }

 private:
  /// With checkpoints, so that it sanitizes, and a sound one with shadow doorbells.
  static std::string settings(conformance::DriveKind kind) {
    const std::string ftl = "[ftl]\nover_provisioning = \"50%\"\ncheckpoint_interval = 1000\n";
    const std::string small = "[geometry]\nchannels = 1\npages_per_block = 12\n";
    if (kind == conformance::DriveKind::worn) return small + ftl + "[nand]\nfail.erase = \"100%\"\n";
    if (kind == conformance::DriveKind::failing) return small + ftl + "[nand]\nfail.program = \"100%\"\n";
    return ftl + "[host]\nshadow_doorbells = true\n";
  }
  DriveBench bench_;
  std::map<std::uint32_t, std::uint64_t> messages_;
  bool vectors_set_ = false;
};

} // namespace twinplane::test
