#include "platform/ssd/check_blocks.h"

namespace twinplane::platform {

namespace {

void check_count(const hw::Block& block, std::size_t has, std::size_t needed, const char* what) {
  if (has == needed) return;
  throw InputError(std::string(block.name()) + ": has " + std::to_string(has) + " " + what + ", expected " +
                   std::to_string(needed) + " (geometry)");
}

} // namespace

void check_blocks(const Geometry& geometry, const hw::CoreBlock& core,
                  const std::vector<std::unique_ptr<hw::ChannelBlock>>& channels,
                  const std::vector<std::unique_ptr<hw::PackageBlock>>& packages) {
  check_count(core, core.flash.size(), geometry.channels, "sockets for flash controllers");
  for (const auto& channel : channels) {
    check_count(*channel, channel->chips.size(), geometry.chips_per_channel, "sockets for packages");
  }
  for (const auto& package : packages) {
    check_count(*package, package->statistics().dies.size(), geometry.dies_per_chip,
                "LUNs in its statistics");
  }
}

} // namespace twinplane::platform
