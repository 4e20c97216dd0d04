// libshared_ecc_blocks.so, for `twinplane run --blocks`.
#include "platform/ssd/block_library.h"
#include "shared_ecc.h"

BLOCK_LIBRARY(examples::SharedEccBlocks)
