#include "firmware/ftl/io/pass_gather.h"

namespace twinplane::fw {

void PassGather::boot(BootMemory& memory, FtlState& state, DieQueues& board) {
  state_ = &state;
  board_ = &board;
  const Units* const units = state.units;
  fills_pages_ = units != nullptr && units->map.packs() && units->policy->fills_pages();
  wanted_ = state.blocks.pass_pages(0) *
            (state.programs_all_planes() ? state.config.geometry.planes_per_die : 1) *
            (fills_pages_ ? units->map.units() : 1);
  if (wanted_ != 1 && (units == nullptr || fills_pages_)) classes_ = memory.array<Class>(board.classes());
}

std::uint32_t PassGather::units_of(const Transaction& t) const {
  return fills_pages_ ? bits_set(state_->units->io.work(t).todo) : 1;
}

void PassGather::add(Transaction& t) {
  Class& c = classes_[board_->class_of(t)];
  c.writes.push(t);
  c.units += units_of(t);
  ++c.count;
  ++count_;
  if (c.units >= wanted_) release(c);
}

void PassGather::release(Class& c) {
  count_ -= c.count;
  board_->enqueue_writes(c.writes, c.count);
  c.count = c.units = 0;
}

bool PassGather::run(bool pressing, bool coming) {
  if (count_ == 0) return false;
  const std::uint32_t before = count_;
  const std::uint32_t classes = board_->classes();
  const bool all = pressing || !(coming || board_->anything_under_way());
  for (std::uint32_t i = 0; all && i < classes; ++i) {
    if (classes_[i].count != 0) release(classes_[i]);
  }
  looked_ = looked_ + 1 < classes ? looked_ + 1 : 0;
  Class& c = classes_[looked_];
  const std::uint64_t longest = state_->config.pack_timeout_ps;
  if (c.count != 0 && state_->now_ps() > c.writes.front()->queued_ps + longest) release(c);
  return count_ != before;
}

} // namespace twinplane::fw
