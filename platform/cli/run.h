// The program `twinplane` as a function, for a main program with blocks of its own.
#pragma once

#include "platform/ssd/block_factory.h"

namespace twinplane::cli {

/// Reads the arguments and carries the command out, with this project's blocks or those of --blocks. To be
/// called from sc_main, once. Returns the exit status; does not throw.
int run(int argc, const char* const* argv);
/// The same with the blocks of `factory`.
int run(int argc, const char* const* argv, platform::BlockFactory& factory);

} // namespace twinplane::cli
