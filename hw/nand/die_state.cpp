// What lasts of a die, a package, as bytes: the cells, and what is kept of their past.
#include <string>

#include "hw/core/kernel_time.h"
#include "hw/nand/die.h"
#include "hw/nand/package.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

namespace {

/// A vector that is empty until it is used, and then has `full` elements.
template <class T>
void serialise_used(StateVisitor& state, std::vector<T>& v, std::size_t full) {
  std::uint64_t size = v.size();
  state.value(size);
  if (size != 0 && size != full) return state.refuse("it is damaged (a table of a size that no die has)");
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
  const Geometry& g = context_.config.geometry;
  serialise_used(state, copies_, std::size_t{g.planes_per_die} * g.blocks_per_plane * g.pages_per_block);
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
    serialise_used(state, block.pages, pages_);
    shift(block, now);
    serialise_used(state, block.sectors, std::size_t{pages_} * sectors_);
    state.require(block.sectors.empty() == block.pages.empty(), "it is damaged (pages without sectors)");
    for (const Sector& s : block.sectors)
      state.require(s.inherited >= 0 && s.inherited <= 1,
                    "it is damaged (a rate of errors that there is not)");
  }
}

} // namespace twinplane::hw
