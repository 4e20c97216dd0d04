// In the place of unicorn_core.cpp where its headers were not found, or are not wanted.
#include <stdexcept>

#include "hw/iss/instruction_core.h"

namespace twinplane::hw {

std::unique_ptr<InstructionCore> make_cortex_r5() {
  throw std::runtime_error(
      "this program was built without an instruction-set simulator: run scripts/install_deps iss, configure "
      "with -DTWINPLANE_ISS=ON and build again");
}

} // namespace twinplane::hw
