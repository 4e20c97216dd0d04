// Puts the rules of NVMe 1.4 to a drive behind a vfio-user socket (scripts/nvme-conformance).
//
//   nvme_conformance --vfio-user PATH [--rule NAME] [--drive sound|worn|failing] [--statuses]
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
#include "tests/nvme/conformance/statuses.h"

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

constexpr const char* kKinds[] = {"sound", "worn", "failing"}; // as in DriveKind

int list() {
  for (const DriveKind kind : kDriveKinds) {
    for (const Rule& rule : rules(kind))
      std::printf("%s (section %s, a %s drive)\n", rule.name, rule.section, kKinds[static_cast<int>(kind)]);
  }
  return 0;
}

/// Statuses that the rule was to provoke and has not.
std::vector<std::string> missing(const Rule& rule, const std::set<std::uint16_t>& seen) {
  std::vector<std::string> texts;
  for (const ProvokedStatus& status : statuses()) {
    if (status.rule == nullptr || std::string(status.rule) != rule.name || seen.count(status.status) != 0)
      continue;
    char text[64];
    std::snprintf(text, sizeof text, "status %03Xh has not come", unsigned{status.status});
    texts.emplace_back(text);
  }
  return texts;
}

struct Choice {
  std::string path, only;
  DriveKind kind = DriveKind::sound;
  bool statuses = false; // they have to come, too: the drive is this project's own
};

/// 0: the drive keeps all rules that were asked for.
int run(const Choice& choice) {
  VfioUserDrive drive(choice.path);
  int tried = 0, wrong = 0;
  for (const Rule& rule : rules(choice.kind)) {
    if (!choice.only.empty() && choice.only != rule.name) continue;
    Verdict verdict = judge(rule, drive);
    if (choice.statuses) {
      for (std::string& text : missing(rule, verdict.statuses)) verdict.findings.push_back(std::move(text));
    }
    std::printf("%s %s (section %s)\n", verdict.findings.empty() ? "kept  " : "BROKEN", rule.name,
                rule.section);
    for (const std::string& finding : verdict.findings) std::printf("         %s\n", finding.c_str());
    std::fflush(stdout);
    ++tried;
    wrong += verdict.findings.empty() ? 0 : 1;
  }
  if (tried == 0) {
    std::fprintf(stderr, "nvme_conformance: no rule is called %s; --list names them\n", choice.only.c_str());
    return 2;
  }
  std::printf("%d rules, %d broken\n", tried, wrong);
  return wrong == 0 ? 0 : 1;
}

int usage() {
  std::fputs(
      "usage: nvme_conformance --vfio-user PATH [--rule NAME] [--drive sound|worn|failing] [--statuses] | "
      "--list\n",
      stderr);
  return 2;
}

bool take_kind(const std::string& word, DriveKind& kind) {
  for (const DriveKind known : kDriveKinds) {
    if (word != kKinds[static_cast<int>(known)]) continue;
    kind = known;
    return true;
  }
  return false;
}

int start(int count, char** words) {
  Choice choice;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--list" && count == 2) return list();
    if (word == "--statuses") {
      choice.statuses = true;
    } else if (i + 1 == count) {
      return usage();
    } else if (word == "--drive") {
      if (!take_kind(words[++i], choice.kind)) return usage();
    } else if (word == "--vfio-user" || word == "--rule") {
      (word == "--rule" ? choice.only : choice.path) = words[++i];
    } else {
      return usage();
    }
  }
  if (choice.path.empty()) return usage();
  try {
    return run(choice);
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
