#include "firmware/ftl/io/commits.h"

namespace twinplane::fw {

void Commits::begin(Request& r) {
  FtlState& state = *io_->state;
  if (r.kind == RequestKind::purge) {
    ++executing_;
    return state.hooks.begin(r);
  }
  Durability& tables = *state.durability;
  r.epoch = r.kind == RequestKind::shutdown ? tables.begin_checkpoint(true) : tables.begin_commit();
  waiting_.push(r);
  finish();
}

void Commits::finish() {
  while (!waiting_.empty() && io_->state->durability->durable_up_to(waiting_.front()->epoch))
    io_->part_done(waiting_.pop(), nullptr);
}

void Commits::answer_durable() {
  while (Transaction* const t = io_->state->durability->take_durable()) t->owner->journal_written(*t);
  finish();
}

bool Commits::any_waits() const {
  return !waiting_.empty() || executing();
}

} // namespace twinplane::fw
