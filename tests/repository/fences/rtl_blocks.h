// docs/extending.md: the target rtl_controller has its folder as an include directory.
#include "examples/rtl_controller/rtl_blocks.h"
