// The executable: the command line in front, the assembled SSD behind it.
#include <cstdlib>
#include <systemc>

#include "platform/cli/run.h"

// The library's own main prints a banner first, which has no place in front of a report or a list.
int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char* argv[]) {
  return twinplane::cli::run(argc, argv);
}
