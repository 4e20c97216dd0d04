// ReadPath in a drive with an SLC-mode cache: a sub-request is read from as many pages as hold its subpages.
#include "firmware/ftl/io/buffered_writes.h"
#include "firmware/ftl/io/read_path.h"

namespace twinplane::fw {

namespace {

/// At most as many pages as a logical page has subpages.
struct ReadPlan {
  UnitIo::Run run[kMaxUnits];
  std::uint32_t count = 0;
};

ReadPlan plan_reads(const Units& units, std::uint32_t lpn, std::uint32_t sectors) {
  ReadPlan plan;
  for (std::uint32_t left = units.io.cover(sectors); left != 0;) {
    plan.run[plan.count] = units.io.run_of(lpn, left);
    left &= ~plan.run[plan.count++].units;
  }
  return plan;
}

} // namespace

bool ReadPath::read_subpages(Request& r, const SubRequest& p) {
  if (state_->buffer != nullptr && buffered_->read_waits(r, p.lpn)) return false;
  Units& units = *state_->units;
  const Sources from = sources_of(p.lpn, p.mask);
  const ReadPlan plan = plan_reads(units, p.lpn, from.flash);
  Transaction* t[kMaxUnits] = {};
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
    units.io.begin_read(*t[i]);
    units.io.aim(*t[i], plan.run[i], from.flash);
    t[i]->mask = 0; // what is left to be read afterwards
    units.placement.host_read(plan.run[i]);
    io_->board->enqueue(*t[i]);
  }
  return true;
}

void ReadPath::subpages_done(Transaction& t, const FlashCompletion& c) {
  io_->add_times(t, c);
  io_->drop_reader(t);
  Units& units = *state_->units;
  Request& r = *t.request;
  const std::uint32_t failed = state_->map.take_read_units(t, c);
  const std::uint32_t here = failed & units.io.sectors_of(units.io.reading_there(t));
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
  Units& units = *state_->units;
  const UnitIo::Run run = units.io.run_of(t.lpn, units.io.cover(from.flash));
  t.mask = from.flash & ~units.io.sectors_of(run.units);
  t.queued_ps = state_->now_ps();
  state_->aim(t, run.ppn);
  units.io.aim(t, run, from.flash);
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
