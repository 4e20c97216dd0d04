#include "firmware/ftl/io/commits.h"

#include "firmware/ftl/purge.h"

namespace twinplane::fw {

void Commits::begin(Request& r) {
  if (r.kind == RequestKind::purge) return purge_->begin(r);
  Journal& journal = *io_->journal;
  r.epoch = r.kind == RequestKind::shutdown ? journal.begin_checkpoint(true) : journal.begin_commit();
  waiting_.push(r);
  finish();
}

void Commits::finish() {
  while (!waiting_.empty() && io_->journal->durable_up_to(waiting_.front()->epoch))
    io_->part_done(waiting_.pop(), nullptr);
}

void Commits::answer_durable() {
  while (Transaction* const t = io_->journal->take_durable()) t->owner->journal_written(*t);
  finish();
}

bool Commits::any_waits() const {
  return !waiting_.empty() || purge_->busy();
}

} // namespace twinplane::fw
