#include "platform/measure/round_log.h"

#include <algorithm>

#include "platform/measure/collect.h"

namespace twinplane::platform {

RoundLog::Mark RoundLog::mark(TimePs now) const {
  const IoCounts reads = meter_.counts(IoOp::read);
  const IoCounts writes = meter_.counts(IoOp::write);
  Mark m;
  m.at = now;
  m.reads = reads.requests;
  m.writes = writes.requests;
  m.of_ramp = std::min(ramp_ios_, reads.requests + writes.requests + meter_.counts(IoOp::trim).requests +
                                      meter_.counts(IoOp::flush).requests);
  m.bytes_written = writes.bytes;
  m.read_ps = reads.latency_ps;
  m.write_ps = writes.latency_ps;
  m.ftl = ssd_.firmware().window().statistics();
  return m;
}

void RoundLog::on_boundary(TimePs now) {
  const Mark m = mark(now);
  const TimePs from = rounds_.empty() ? m.at - meter_.measured() : last_.at;
  RoundSummary r;
  r.simulated_ps = m.at - from;
  r.reads = m.reads - last_.reads;
  r.writes = m.writes - last_.writes;
  r.of_ramp = m.of_ramp - last_.of_ramp;
  r.read_latency_ps = m.read_ps - last_.read_ps;
  r.write_latency_ps = m.write_ps - last_.write_ps;
  r.bytes_written = m.bytes_written - last_.bytes_written;
  r.bytes_written_so_far = m.bytes_written;
  r.capacity_bytes = ssd_.firmware().window().exported_sectors() * ssd_.config().geometry.sector_size;
  const fw::FtlStatistics& a = last_.ftl;
  const fw::FtlStatistics& b = m.ftl;
  const PageSizes sizes = page_sizes(ssd_.config());
  r.written = write_volume(b, sizes) - write_volume(a, sizes);
  r.gc_invocations = b.gc_invocations - a.gc_invocations;
  r.gc_pages_moved = b.gc_pages_moved - a.gc_pages_moved;
  r.gc_blocks_erased = b.gc_blocks_erased - a.gc_blocks_erased;
  const auto share = [](std::uint64_t units, std::uint64_t all) { return MultiPlane{0, units, all}; };
  r.read = share(b.read_multi_pages - a.read_multi_pages, b.read_pages - a.read_pages);
  r.program = share(b.program_multi_pages - a.program_multi_pages, b.program_pages - a.program_pages);
  r.erase = share(b.erase_multi_blocks - a.erase_multi_blocks, b.erase_blocks - a.erase_blocks);
  const MultiPlane moved_in =
      share(b.gc_read_multi_pages - a.gc_read_multi_pages, b.gc_read_pages - a.gc_read_pages);
  const MultiPlane moved_out =
      share(b.gc_program_multi_pages - a.gc_program_multi_pages, b.gc_program_pages - a.gc_program_pages);
  r.host_read = share(r.read.units - moved_in.units, r.read.all_units - moved_in.all_units);
  r.host_program = share(r.program.units - moved_out.units, r.program.all_units - moved_out.all_units);
  rounds_.push_back(r);
  last_ = m;
}

} // namespace twinplane::platform
