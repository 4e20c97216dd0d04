// A main program of one's own: everything that `twinplane` can do, with the packages of this example.
#include <systemc>

#include "blocks.h"
#include "platform/cli/run.h"

int sc_main(int argc, char* argv[]) {
  examples::IsppBlocks blocks;
  return twinplane::cli::run(argc, argv, blocks);
}
