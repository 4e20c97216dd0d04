// What lasts of a die, a package, as bytes: the cells, and what is kept of their past.
#include <string>

#include "hw/core/kernel_time.h"
#include "hw/nand/die.h"
#include "hw/nand/package.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

namespace {

/// A vector whose size says whether, or how far, it has been used.
template <class T>
void serialise_used(StateVisitor& state, std::vector<T>& v) {
  std::uint64_t size = v.size();
  state.value(size);
  if (state.loading()) v.resize(size);
  state.table(v.data(), v.size());
}

} // namespace

void PackageBlock::serialise(StateVisitor& state) {
  state.refuse((std::string(name()) + ": this kind of package cannot be saved").c_str());
}

void Package::serialise(StateVisitor& state) {
  for (Die& die : dies_) die.serialise(state);
}

void Die::serialise(StateVisitor& state) {
  store_.serialise(state);
  serialise_used(state, copies_);
  if (state.loading()) modes_told_ = false;
  if (errors_ != nullptr) errors_->log.serialise(state, kernel_now());
}

void CellLog::serialise(StateVisitor& state, TimePs now) {
  const auto shift = [](Block& block, TimePs by) {
    for (Page& page : block.pages) page.written += page.written == kFunctional ? 0 : by;
  };
  for (Block& block : blocks_) {
    state.value(block.reads);
    if (!state.loading()) shift(block, TimePs{0} - now);
    serialise_used(state, block.pages);
    shift(block, now);
    serialise_used(state, block.sectors);
  }
}

} // namespace twinplane::hw
