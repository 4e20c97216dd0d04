// The executable: the command line in front, the assembled SSD behind it.
#include <systemc>

#include "platform/cli/command_line.h"
#include "platform/model/run.h"

int sc_main(int argc, char* argv[]) {
  return twinplane::platform::command_line(argc, argv, &twinplane::platform::run_simulation);
}
