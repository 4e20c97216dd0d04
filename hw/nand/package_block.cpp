// What a package that overrides nothing answers.
#include "hw/nand/package_block.h"

#include <string>

#include "hw/core/block_error.h"

namespace twinplane::hw {

void PackageBlock::announce_power_cut(TimePs /*at*/) {
  report_unable(name(), "a power cut");
}

void PackageBlock::cut_power() {
  report_unable(name(), "a power cut");
}

void PackageBlock::serialise(StateVisitor& state) {
  state.refuse((std::string(name()) + ": this kind of package cannot be saved").c_str());
}

} // namespace twinplane::hw
