// A factory that understands no options.
#include <stdexcept>
#include <string>

#include "platform/ssd/block_library.h"

struct FussyBlocks final : twinplane::platform::BlockFactory {
  explicit FussyBlocks(const char* options) {
    if (*options != '\0') throw std::runtime_error(std::string("cannot understand ") + options);
  }
};

BLOCK_LIBRARY(FussyBlocks)
