#include "platform/trace/device_table.h"

#include <algorithm>

#include "platform/config/error.h"

namespace twinplane::platform {
namespace {

constexpr std::size_t kMostDevices = 65536;
constexpr std::uint64_t kAlignment = std::uint64_t{1} << 20;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t recent_slot(std::string_view name) {
  if (name.empty()) return 0;
  const auto last = static_cast<unsigned char>(name.back());
  const auto second = static_cast<unsigned char>(name[name.size() / 2]);
  return (last + second * 16u) % 256u;
}

} // namespace

bool DeviceNameLess::operator()(std::string_view a, std::string_view b) const {
  if (is_number(a) && is_number(b) && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

DeviceTable::Device& DeviceTable::find(std::string_view name) {
  Recent& recent = recent_[recent_slot(name)];
  if (recent.name != nullptr && *recent.name == name) return *recent.device;
  auto found = devices_.find(name);
  if (found == devices_.end()) {
    if (devices_.size() == kMostDevices)
      throw InputError("expected at most 65536 devices in a trace, got more");
    found = devices_.emplace(std::string(name), Device{}).first;
    found->second.index = static_cast<std::uint16_t>(devices_.size() - 1);
  }
  recent = {&found->first, &found->second};
  return found->second;
}

std::uint64_t DeviceTable::concatenate() {
  std::uint64_t base = 0;
  std::uint64_t end = 0;
  std::uint16_t index = 0;
  for (auto& [name, device] : devices_) {
    device.index = index++;
    device.base = base;
    end = base + device.end; // each is below 2^63 + 2^32
    if (end > kMostBytes) {
      throw InputError(
          "the devices of the trace, one behind the other: expected to end below 2^63 bytes, got " + name +
          " beyond that; --devices keep leaves all at 0");
    }
    base = aligned(end);
  }
  return end;
}

std::uint64_t DeviceTable::aligned(std::uint64_t end) {
  return (end + kAlignment - 1) / kAlignment * kAlignment;
}

std::vector<std::string> DeviceTable::names() const {
  std::vector<std::string> names(devices_.size());
  for (const auto& [name, device] : devices_) names[device.index] = name;
  return names;
}

std::vector<DeviceTable::Device*> DeviceTable::in_order() {
  std::vector<Device*> devices(devices_.size());
  for (auto& [name, device] : devices_) devices[device.index] = &device;
  return devices;
}

} // namespace twinplane::platform
