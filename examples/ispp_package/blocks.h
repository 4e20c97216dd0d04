// The factory: our drive with the packages of this example.
#pragma once

#include <memory>

#include "ispp_package.h"
#include "platform/ssd/block_factory.h"

namespace examples {

class IsppBlocks final : public twinplane::platform::BlockFactory {
 public:
  explicit IsppBlocks(const char* /*options*/ = "") {}

  std::unique_ptr<hw::PackageBlock> make_package(const char* name, const hw::NandConfig& config) override {
    return std::make_unique<IsppPackage>(name, config);
  }
};

} // namespace examples
