// A PCI function for fuzzing transports: it holds them to what PciDevice promises.
#pragma once

#include <cstdint>
#include <optional>

#include "platform/pci_host/pci_device.h"
#include "tests/fuzz/fuzzing.h"

namespace twinplane::fuzz {

class CheckedFunction final : public platform::PciDevice {
 public:
  static constexpr std::uint32_t kBarBytes = 0x4000;
  static constexpr std::uint64_t kBar = 0xFEB0'0000;

  std::uint32_t read_config(std::uint32_t offset, std::uint32_t bytes) override {
    check_config(offset, bytes);
    return 0x1234'5678;
  }
  void write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) override {
    check_config(offset, bytes);
    claim(bytes == 4 || value >> (8 * bytes) == 0, "a value has no more bytes than the access");
  }
  std::uint64_t read_bar(std::uint32_t offset, std::uint32_t bytes) override {
    check_bar(offset, bytes);
    return 0x1234'5678'9ABC'DEF0;
  }
  void write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t) override {
    check_bar(offset, bytes);
  }
  std::optional<std::uint32_t> decode(std::uint64_t address, std::uint32_t bytes) const override {
    if (address < kBar || address - kBar > kBarBytes - bytes) return std::nullopt;
    return static_cast<std::uint32_t>(address - kBar);
  }
  void reset() override {}
  std::uint32_t bar_bytes() const override { return kBarBytes; }
  std::uint32_t vectors() const override { return 5; }
  std::uint32_t vector_table() const override { return 0x2000; }
  platform::MappedMemory& memory() override { return memory_; }

 private:
  static void check_config(std::uint32_t offset, std::uint32_t bytes) {
    claim(bytes == 1 || bytes == 2 || bytes == 4, "configuration is accessed by 1, 2 or 4 bytes");
    claim(offset < 4096 && offset % bytes == 0, "... at a multiple of these below 4096");
  }
  static void check_bar(std::uint32_t offset, std::uint32_t bytes) {
    claim(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "a BAR is accessed by 1, 2, 4 or 8 bytes");
    claim(offset < kBarBytes && bytes <= kBarBytes - offset, "... inside of it");
  }

  platform::MappedMemory memory_;
};

} // namespace twinplane::fuzz
