#include "hw/controller/sequences/table.h"

namespace twinplane::hw {

SequenceTable::SequenceTable(SequenceContext context) : suspension_(context) {
  context.suspension = &suspension_;
  retry_ = make_retry(context);
  for (const SequenceRow& row : kCommandSequences) {
    sequences_.push_back(row.make(context));
    for (auto op = static_cast<std::size_t>(row.first); op <= static_cast<std::size_t>(row.last); ++op)
      (row.with_loads ? with_loads_ : alone_)[op] = sequences_.back().get();
  }
}

std::uint32_t SequenceTable::operations() const {
  std::uint32_t operations = 0;
  for (std::uint32_t op = 0; op < kFlashOps; ++op) operations |= alone_[op] == nullptr ? 0 : 1u << op;
  return operations;
}

} // namespace twinplane::hw
