// Does the drive keep the rules of NVM Express 1.4 when a host in the same simulation puts it to them?
#include <gtest/gtest.h>

#include <map>

#include "tests/nvme/conformance/rules.h"
#include "tests/nvme/drive_bench.h"

namespace twinplane::test::conformance {

void PrintTo(const Rule& rule, std::ostream* to) {
  *to << rule.name;
}

} // namespace twinplane::test::conformance

namespace twinplane::test {
namespace {

namespace bar0 = nvme::bar;

class SimulatedDrive final : public conformance::Transport {
 public:
  SimulatedDrive() {
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
      bench_.host.write(bar0::msix_control, 0x8000);
      vectors_set_ = true;
    }
    return messages_[vector];
  }

 private:
  DriveBench bench_{"[ftl]\nover_provisioning = \"40%\"\ncheckpoint_interval = 1000\n"}; // so it sanitizes
  std::map<std::uint32_t, std::uint64_t> messages_;
  bool vectors_set_ = false;
};

class Conformance : public testing::TestWithParam<conformance::Rule> {};

TEST_P(Conformance, Rule) {
  SimulatedDrive drive;
  for (const std::string& finding : conformance::broken(GetParam(), drive))
    ADD_FAILURE() << finding << " (NVMe 1.4 section " << GetParam().section << ")";
}

INSTANTIATE_TEST_SUITE_P(Nvme, Conformance, testing::ValuesIn(conformance::rules()),
                         [](const auto& instance) { return std::string(instance.param.name); });

} // namespace
} // namespace twinplane::test
