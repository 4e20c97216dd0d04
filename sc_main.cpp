// The executable: the command line in front, the assembled SSD behind it.
#include <systemc>

#include "platform/cli/command_line.h"
#include "platform/model/run.h"

int sc_main(int argc, char* argv[]) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return twinplane::platform::command_line(argc, argv, &twinplane::platform::run_simulation);
}
