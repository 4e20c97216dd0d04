// Blocks from a shared library: `twinplane run --blocks ./libmine.so`.
//
// The library defines one C function, which fills in a request. BLOCK_LIBRARY(Factory) defines it for a
// factory with a constructor that takes the text of --blocks-options (const char*, never null):
//
//   #include "platform/ssd/block_library.h"
//   BLOCK_LIBRARY(MyBlocks)
//
// Compile it against the headers of the program that loads it, link only `Twinplane::blocks` (headers and
// SystemC): the program provides the rest. Nothing is kept in static variables, so several drives may have
// the same library. It is never unloaded.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "platform/config/config.h"
#include "platform/ssd/block_factory.h"

namespace twinplane::platform {

/// Counts changes of what a library relies on that its `layout` does not show.
constexpr std::uint32_t kBlocksVersion = 1;

/// What the compiler has seen: sizes, which other headers mostly change, and SystemC's version.
constexpr std::uint64_t blocks_layout() {
  std::uint64_t hash = 1469598103934665603u;
  for (const std::uint64_t size : {sizeof(BlockFactory),
                                   sizeof(Config),
                                   sizeof(hw::DramBlock),
                                   sizeof(hw::FrontEndBlock),
                                   sizeof(hw::CoreBlock),
                                   sizeof(hw::ControllerBlock),
                                   sizeof(hw::EccBlock),
                                   sizeof(hw::ChannelBlock),
                                   sizeof(hw::PackageBlock),
                                   sizeof(hw::OnfiTenure),
                                   sizeof(hw::FlashControllerConfig),
                                   sizeof(hw::NandConfig),
                                   sizeof(hw::ChannelConfig),
                                   sizeof(hw::HostInterfaceConfig),
                                   sizeof(hw::EccInput),
                                   sizeof(hw::EccResult),
                                   sizeof(hw::DramConfig),
                                   sizeof(hw::DramAccess),
                                   sizeof(hw::CpuConfig),
                                   sizeof(hw::NandStatistics),
                                   sizeof(hw::FlashControllerStatistics),
                                   sizeof(hw::FrontEndStatistics),
                                   std::uint64_t{IEEE_1666_SYSTEMC},
                                   std::uint64_t{SYSTEMC_VERSION},
                                   sizeof(sc_core::sc_module),
                                   sizeof(tlm::tlm_generic_payload)}) {
    hash = (hash ^ size) * 1099511628211u;
  }
  return hash;
}

extern "C" {

struct TwinplaneBlocks {
  // from the program; the first two are its own, for the library to compare
  std::uint32_t version;
  std::uint64_t layout;
  const char* options;
  // from the library
  BlockFactory* factory;             // null: see `error`
  void* context;                     // whatever it needs
  void (*release)(TwinplaneBlocks*); // called when the drive is gone; may be null
  char error[256];
};

/// What the library defines under the name `twinplane_blocks`. Must not throw.
using TwinplaneBlocksFunction = void (*)(TwinplaneBlocks*);
}

/// Loads the library and asks it for its factory. Throws InputError with the library's name when there is no
/// such file, it is none of ours, was made for another version or SystemC, or has no factory. A library for
/// another SystemC is not loaded at all.
std::shared_ptr<BlockFactory> load_blocks(const std::string& path, const std::string& options);

namespace detail {

/// The body of a library's function.
template <typename Factory>
void give_blocks(TwinplaneBlocks& blocks) {
  const auto refuse = [&blocks](const std::string& why) {
    blocks.factory = nullptr;
    blocks.error[why.copy(blocks.error, sizeof blocks.error - 1)] = '\0';
  };
  if (blocks.version != kBlocksVersion || blocks.layout != blocks_layout()) {
    return refuse("it was compiled against the headers of another version, or with another SystemC");
  }
  try {
    blocks.factory = new Factory(blocks.options);
    blocks.release = [](TwinplaneBlocks* mine) { delete mine->factory; };
  } catch (const std::exception& error) {
    refuse(error.what());
  }
}

} // namespace detail

} // namespace twinplane::platform

#define BLOCK_LIBRARY(Factory)                                             \
  extern "C" __attribute__((visibility("default"))) void twinplane_blocks( \
      twinplane::platform::TwinplaneBlocks* blocks) {                      \
    twinplane::platform::detail::give_blocks<Factory>(*blocks);            \
  }
