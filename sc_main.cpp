// The executable: the command line in front, the assembled SSD behind it.
#include <cstdlib>
#include <systemc>

#include "platform/cli/command_line.h"
#include "platform/model/run.h"

// The library's own main prints a banner first, which has no place in front of a report or a list.
int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char* argv[]) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  // A run tells of these itself, as the last thing it says.
  sc_core::sc_report_handler::set_actions("twinplane.firmware", sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
  return twinplane::platform::command_line(argc, argv, &twinplane::platform::run_simulation);
}
