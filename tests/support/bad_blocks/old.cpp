// A library that was compiled against other headers.
#include "platform/ssd/block_library.h"

struct OldBlocks final : twinplane::platform::BlockFactory {
  explicit OldBlocks(const char*) {}
};

extern "C" void twinplane_blocks(twinplane::platform::TwinplaneBlocks* blocks) {
  blocks->layout += 1; // as its own headers have it
  twinplane::platform::detail::give_blocks<OldBlocks>(*blocks);
}
