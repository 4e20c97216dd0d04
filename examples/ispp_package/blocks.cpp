// libispp_package_blocks.so, for `twinplane run --blocks`.
#include "blocks.h"

#include "platform/ssd/block_library.h"

BLOCK_LIBRARY(examples::IsppBlocks)
