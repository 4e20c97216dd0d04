// A library that was compiled against headers in which a struct that blocks are handed has one more member.
#include "platform/ssd/block_library.h"

struct ChangedBlocks final : twinplane::platform::BlockFactory {
  explicit ChangedBlocks(const char*) {}
};

BLOCK_LIBRARY(ChangedBlocks)
