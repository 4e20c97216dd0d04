// The devices a trace names, numbered, and where each lies in the one address space replayed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace twinplane::platform {

/// Numbers compare as numbers, other names as text.
struct DeviceNameLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

class DeviceTable {
 public:
  struct Device {
    std::uint16_t index = 0;
    std::uint64_t base = 0;
    std::uint64_t end = 0; // end of its highest request
  };

  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 63; // of all together

  /// The device of that name, new ones get the next number. Throws InputError beyond 65,536.
  Device& find(std::string_view name);

  /// Numbers the devices in the order of their names and lays them one after the other. Returns the end.
  /// Throws InputError when that is beyond 2^63.
  std::uint64_t concatenate();
  /// `end` rounded up to where the next device begins.
  static std::uint64_t aligned(std::uint64_t end);

  std::vector<std::string> names() const; // in the order of their numbers
  std::vector<Device*> in_order();        // likewise

 private:
  std::map<std::string, Device, DeviceNameLess> devices_;
  struct Recent {
    const std::string* name = nullptr;
    Device* device = nullptr;
  };
  std::array<Recent, 256> recent_; // by the ends of the name: most look-ups end here
};

} // namespace twinplane::platform
