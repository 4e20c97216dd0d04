// ReadPath in a drive with an SLC-mode cache: a sub-request is read from as many pages as hold its subpages.
#include "firmware/ftl/io/buffered_writes.h"
#include "firmware/ftl/io/read_path.h"

namespace twinplane::fw {

namespace {

/// At most as many pages as a logical page has subpages.
struct ReadPlan {
  SubpageIo::Run run[kMaxSubpages];
  std::uint32_t count = 0;
};

ReadPlan plan_reads(const SlcCache& cache, std::uint32_t lpn, std::uint32_t sectors) {
  ReadPlan plan;
  for (std::uint32_t left = cache.io.cover(sectors); left != 0;) {
    plan.run[plan.count] = cache.io.run_of(lpn, left);
    left &= ~plan.run[plan.count++].subpages;
  }
  return plan;
}

} // namespace

bool ReadPath::read_subpages(Request& r, const SubRequest& p) {
  if (state_->buffer != nullptr && buffered_->read_waits(r, p.lpn)) return false;
  SlcCache& cache = *state_->policy.cache;
  const Sources from = sources_of(p.lpn, p.mask);
  const ReadPlan plan = plan_reads(cache, p.lpn, from.flash);
  Transaction* t[kMaxSubpages] = {};
  for (std::uint32_t i = 0; i < plan.count; ++i) {
    t[i] = io_->take(r, p, kReadSubpages, *this);
    if (t[i] != nullptr) continue;
    while (i-- != 0) state_->pool.release(*t[i]);
    return false;
  }
  ++state_->statistics.host_pages_read;
  if (from.flash != p.mask) deliver(r, p, from);
  if (plan.count == 0) {
    end_without_flash(r, p, from);
    return true;
  }
  r.open_parts += plan.count - 1;
  for (std::uint32_t i = 0; i < plan.count; ++i) {
    state_->aim(*t[i], plan.run[i].ppn);
    cache.io.begin_read(*t[i]);
    cache.io.aim(*t[i], plan.run[i], from.flash);
    t[i]->mask = 0; // what is left to be read afterwards
    cache.placement.host_read(plan.run[i]);
    io_->board->enqueue(*t[i]);
  }
  return true;
}

void ReadPath::subpages_done(Transaction& t, const FlashCompletion& c) {
  io_->add_times(t, c);
  io_->drop_reader(t);
  SlcCache& cache = *state_->policy.cache;
  Request& r = *t.request;
  const std::uint32_t failed = state_->take_read_subpages(t, c);
  const std::uint32_t here = failed & cache.io.sectors_of(cache.io.reading_there(t));
  if (here != 0) HostIo::fail(r, nvme::status::unrecovered_read);
  const std::uint32_t good = t.flash_mask & ~failed;
  if (r.device_buffer != kHostData) {
    io_->copy_to_device(r, t.host_offset, good, state_->hal->dram() + t.buffer);
  } else if (good != 0) {
    t.fence = io_->post(r, DmaOp::to_host, t.host_offset, good, t.buffer);
  }
  t.flash_mask = t.mask | (failed & ~here);
  t.flash_mask == 0 ? end_subpages(t) : resume(t);
}

/// The first page of those that are left.
void ReadPath::send_subpages(Transaction& t, const Sources& from) {
  SlcCache& cache = *state_->policy.cache;
  const SubpageIo::Run run = cache.io.run_of(t.lpn, cache.io.cover(from.flash));
  t.mask = from.flash & ~cache.io.sectors_of(run.subpages);
  t.queued_ps = state_->now_ps();
  state_->aim(t, run.ppn);
  cache.io.aim(t, run, from.flash);
  io_->board->enqueue(t);
}

void ReadPath::end_subpages(Transaction& t) {
  io_->part_done(*t.request, &t);
  if (t.fence != 0) {
    state_->pool.release_after(t, t.fence);
  } else {
    state_->pool.release(t);
  }
}

} // namespace twinplane::fw
