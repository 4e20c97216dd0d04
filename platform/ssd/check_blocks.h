// What a factory may have got wrong, in words with the names of the blocks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/channel/channel_block.h"
#include "hw/cpu/core_block.h"
#include "hw/nand/package_block.h"
#include "hw/spec/geometry.h"
#include "platform/config/error.h"

namespace twinplane::platform {

/// `block`, which the factory has returned for `name` of `drive`. Throws InputError when there is none.
template <typename Block>
std::unique_ptr<Block> required(std::unique_ptr<Block> block, const std::string& drive,
                                const std::string& name, const char* kind) {
  if (block != nullptr) return block;
  throw InputError(drive + "." + name + ": the factory has returned no " + kind);
}

/// Throws InputError when the blocks do not have what the geometry needs of them.
void check_blocks(const Geometry& geometry, const hw::CoreBlock& core,
                  const std::vector<std::unique_ptr<hw::ChannelBlock>>& channels,
                  const std::vector<std::unique_ptr<hw::PackageBlock>>& packages);

} // namespace twinplane::platform
