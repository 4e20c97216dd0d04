// Puts the rules of NVMe 1.4 to a drive behind a vfio-user socket (scripts/nvme-conformance).
//
//   nvme_conformance --vfio-user PATH [--rule NAME]
//   nvme_conformance --list
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <thread>

#include "hw/spec/pci.h"
#include "platform/pci_client/vfio_user_client.h"
#include "tests/nvme/conformance/rules.h"

namespace twinplane::test::conformance {
namespace {

constexpr int kConnectMs = 60'000;
constexpr std::uint32_t kVectors = 5;

class VfioUserDrive final : public Transport {
 public:
  explicit VfioUserDrive(const std::string& path)
      : client_(path, kConnectMs), memory_(client_.share(0, kMemoryBytes)) {
    client_.write(platform::vfio_user::kConfig, pci::command, 2,
                  pci::command_bit::memory_space | pci::command_bit::bus_master);
  }

  std::uint32_t read(std::uint32_t offset) override {
    return static_cast<std::uint32_t>(client_.read(platform::vfio_user::kBar0, offset, 4));
  }
  void write(std::uint32_t offset, std::uint32_t value) override {
    client_.write(platform::vfio_user::kBar0, offset, 4, value);
  }
  std::uint8_t* memory() override { return memory_; }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return kMemoryBytes; }
  void wait(std::uint32_t microseconds) override {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  }
  [[nodiscard]] bool in_step() const override { return false; } // its clock runs while we write
  [[nodiscard]] std::uint64_t messages(std::uint16_t vector) override {
    if (client_.vectors() == 0) client_.enable_vectors(kVectors);
    while (client_.wait(0)) {
      for (std::uint16_t v = 0; v < kVectors; ++v) messages_[v] += client_.fired(v) ? 1 : 0;
    }
    return messages_[vector];
  }

 private:
  platform::VfioUserClient client_;
  std::uint8_t* memory_;
  std::map<std::uint16_t, std::uint64_t> messages_;
};

int list() {
  for (const Rule& rule : rules()) std::printf("%s (section %s)\n", rule.name, rule.section);
  return 0;
}

/// 0: the drive keeps all rules that were asked for.
int run(const std::string& path, const std::string& only) {
  VfioUserDrive drive(path);
  int tried = 0, wrong = 0;
  for (const Rule& rule : rules()) {
    if (!only.empty() && only != rule.name) continue;
    const std::vector<std::string> findings = broken(rule, drive);
    std::printf("%s %s (section %s)\n", findings.empty() ? "kept  " : "BROKEN", rule.name, rule.section);
    for (const std::string& finding : findings) std::printf("         %s\n", finding.c_str());
    std::fflush(stdout);
    ++tried;
    wrong += findings.empty() ? 0 : 1;
  }
  if (tried == 0) {
    std::fprintf(stderr, "nvme_conformance: no rule is called %s; --list names them\n", only.c_str());
    return 2;
  }
  std::printf("%d rules, %d broken\n", tried, wrong);
  return wrong == 0 ? 0 : 1;
}

int usage() {
  std::fputs("usage: nvme_conformance --vfio-user PATH [--rule NAME] | --list\n", stderr);
  return 2;
}

int start(int count, char** words) {
  std::string path, only;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--list" && count == 2) return list();
    if (i + 1 == count || (word != "--vfio-user" && word != "--rule")) return usage();
    (word == "--rule" ? only : path) = words[++i];
  }
  if (path.empty()) return usage();
  try {
    return run(path, only);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nvme_conformance: %s\n", error.what());
    return 1;
  }
}

} // namespace
} // namespace twinplane::test::conformance

int main(int count, char** words) {
  return twinplane::test::conformance::start(count, words);
}
