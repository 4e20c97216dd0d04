// Part of the section [cpu]: the firmware as an image for a target core.
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

void add_firmware_rows(Rows& rows) {
  constexpr auto c = &Config::cpu;
  constexpr auto p = &CpuKeys::cpi;
  const Type cpi = limited(Kind::real, 0, 1000);
  rows.insert(
      rows.end(),
      {
          {"cpu.firmware", text(),
           "image for a Cortex-R5 (scripts/firmware) that the core executes; empty = the firmware as code of "
           "this program",
           at<c, &CpuKeys::firmware>},
          {"cpu.cpi.base", cpi, "image: cycles per instruction, but for those below",
           at<c, p, &CpiKeys::base>},
          {"cpu.cpi.load_store", cpi,
           "image: ... of loads and stores; one of several registers counts for "
           "every two of them",
           at<c, p, &CpiKeys::load_store>},
          {"cpu.cpi.branch", cpi, "image: ... of branches, calls and returns", at<c, p, &CpiKeys::branch>},
          {"cpu.cpi.multiply", cpi, "image: ... of multiplications and divisions",
           at<c, p, &CpiKeys::multiply>},
          {"cpu.cpi.dram", cpi,
           "image: further cycles of a load or store that goes to DRAM and not to tightly coupled memory; "
           "above 0 the simulation is slower",
           at<c, p, &CpiKeys::dram>},
          {"cpu.watchdog", time(us(1), ms(1000) * 3600),
           "image: longest time without waiting for an interrupt; beyond it the run ends",
           at<c, &CpuKeys::watchdog>},
      });
}

} // namespace twinplane::platform::rows
