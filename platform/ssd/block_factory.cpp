#include "platform/ssd/block_factory.h"

namespace twinplane::platform {

std::unique_ptr<hw::DramBlock> BlockFactory::make_dram(const char* name, const hw::DramConfig& config) {
  return std::make_unique<hw::Dram>(name, config.bytes, config.rate, config.ample);
}

std::unique_ptr<hw::FrontEndBlock> BlockFactory::make_front_end(const char* name,
                                                                const hw::HostInterfaceConfig& config) {
  return std::make_unique<hw::HostInterface>(name, config);
}

std::unique_ptr<hw::CoreBlock> BlockFactory::make_core(const char* name, const hw::CpuConfig& config) {
  return std::make_unique<hw::Cpu>(name, config);
}

std::unique_ptr<hw::ControllerBlock> BlockFactory::make_controller(const char* name,
                                                                   const hw::FlashControllerConfig& config) {
  return std::make_unique<hw::FlashController>(name, config);
}

std::unique_ptr<hw::EccBlock> BlockFactory::make_ecc(const char* name, std::uint32_t /*channel*/,
                                                     const hw::EccConfig& config) {
  return std::make_unique<hw::EccModule>(name, config);
}

std::unique_ptr<hw::ChannelBlock> BlockFactory::make_channel(const char* name,
                                                             const hw::ChannelConfig& config) {
  return std::make_unique<hw::Channel>(name, config);
}

std::unique_ptr<hw::PackageBlock> BlockFactory::make_package(const char* name, const hw::NandConfig& config) {
  return std::make_unique<hw::Package>(name, config);
}

} // namespace twinplane::platform
