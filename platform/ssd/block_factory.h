// What a drive is made of. The functions here make the blocks of this project; a class that overrides some of
// them puts its own blocks in their places, and the rest of the drive stays (docs/extending.md).
//
// Each is called while the drive is constructed, with the name that the block gets below it (a block that is
// given this name in its constructor becomes a child of the drive), in the order: DRAM, front end, core, then
// channel by channel flash controller, ECC engine, channel, packages. The configuration structs are resolved
// from the drive's configuration. The drive checks what it gets, binds the sockets and ports that the
// interfaces have, and owns the blocks; other sockets of a block are its own business. The factory must live
// until the drive is constructed.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/channel/channel.h"
#include "hw/controller/ecc_block.h"
#include "hw/controller/flash_controller.h"
#include "hw/core/dram.h"
#include "hw/cpu/cpu.h"
#include "hw/host_if/host_interface.h"
#include "hw/nand/package.h"

namespace twinplane::platform {

class BlockFactory {
 public:
  virtual ~BlockFactory() = default;

  virtual std::unique_ptr<hw::DramBlock> make_dram(const char* name, const hw::DramConfig& config);
  virtual std::unique_ptr<hw::FrontEndBlock> make_front_end(const char* name,
                                                            const hw::HostInterfaceConfig& config);
  virtual std::unique_ptr<hw::CoreBlock> make_core(const char* name, const hw::CpuConfig& config);
  /// `config.channel` says for which channel.
  virtual std::unique_ptr<hw::ControllerBlock> make_controller(const char* name,
                                                               const hw::FlashControllerConfig& config);
  virtual std::unique_ptr<hw::EccBlock> make_ecc(const char* name, std::uint32_t channel,
                                                 const hw::EccConfig& config);
  virtual std::unique_ptr<hw::ChannelBlock> make_channel(const char* name, const hw::ChannelConfig& config);
  /// `config.channel` and `config.chip` say which one.
  virtual std::unique_ptr<hw::PackageBlock> make_package(const char* name, const hw::NandConfig& config);
};

} // namespace twinplane::platform
