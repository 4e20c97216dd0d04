// twinplane with the Verilog controller on channel 0.
#include <cstdlib>
#include <systemc>

#include "platform/cli/run.h"
#include "rtl_blocks.h"

int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char* argv[]) {
  twinplane::example::RtlBlocks blocks;
  return twinplane::cli::run(argc, argv, blocks);
}
