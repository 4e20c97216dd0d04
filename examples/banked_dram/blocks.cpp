// libbanked_dram_blocks.so, for `twinplane run --blocks`.
#include "blocks.h"

#include "platform/ssd/block_library.h"

BLOCK_LIBRARY(examples::BankedDramBlocks)
