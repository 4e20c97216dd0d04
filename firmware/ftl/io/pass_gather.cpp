#include "firmware/ftl/io/pass_gather.h"

namespace twinplane::fw {

namespace {
constexpr std::uint64_t kAllOverdue = ~std::uint64_t{0}; // by then
} // namespace

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
  if (count_ == 0) due_ps_ = t.queued_ps + state_->config.pack_timeout_ps;
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
  const bool all = pressing || !(coming || board_->anything_under_way());
  const std::uint64_t now_ps = all ? kAllOverdue : state_->now_ps();
  if (now_ps > due_ps_) release_overdue(now_ps);
  if (count_ != 0) wake_when_due();
  return count_ != before;
}

/// The oldest of a class is its first one.
void PassGather::release_overdue(std::uint64_t now_ps) {
  due_ps_ = kAllOverdue;
  for (std::uint32_t i = 0; i < board_->classes(); ++i) {
    Class& c = classes_[i];
    if (c.count == 0) continue;
    const std::uint64_t due_ps = c.writes.front()->queued_ps + state_->config.pack_timeout_ps;
    if (now_ps > due_ps) {
      release(c);
    } else if (due_ps < due_ps_) {
      due_ps_ = due_ps;
    }
  }
}

/// Nothing else need happen until then.
void PassGather::wake_when_due() {
  constexpr std::uint64_t kPsPerNs = 1000;
  const std::uint64_t wake_ps = due_ps_ + kPsPerNs;
  if (wake_ps_ == wake_ps) return;
  wake_ps_ = wake_ps;
  state_->hal->wake_at(alarm_, wake_ps);
}

} // namespace twinplane::fw
