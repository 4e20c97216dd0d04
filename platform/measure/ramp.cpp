#include "platform/measure/ramp.h"

#include <cstddef>

namespace twinplane::platform {
namespace {

constexpr std::uint64_t NandSummary::*kCounters[] = {
    &NandSummary::reads_slc,        &NandSummary::programs_slc,   &NandSummary::partial_programs,
    &NandSummary::sectors_left_out, &NandSummary::wordline_reads, &NandSummary::erases_slc,
    &NandSummary::erases_native,    &NandSummary::suspends,       &NandSummary::resumes,
    &NandSummary::cache_reads,      &NandSummary::cache_programs,
};

MultiPlane operator-(const MultiPlane& all, const MultiPlane& ramp) {
  return {all.commands - ramp.commands, all.units - ramp.units, all.all_units - ramp.all_units,
          all.planes - ramp.planes};
}

void leave_out(NandSummary& n, const NandSummary& ramp) {
  for (const auto counter : kCounters) n.*counter -= ramp.*counter;
  for (std::size_t type = 0; type < kMaxPageTypes; ++type) {
    n.reads_by_type[type] -= ramp.reads_by_type[type];
    n.programs_by_type[type] -= ramp.programs_by_type[type];
  }
  n.read = n.read - ramp.read;
  n.program = n.program - ramp.program;
  n.erase = n.erase - ramp.erase;
}

void leave_out(ChannelSummary& c, const ChannelSummary& ramp) {
  for (const auto time : {&ChannelSummary::busy, &ChannelSummary::command, &ChannelSummary::address,
                          &ChannelSummary::data_in, &ChannelSummary::data_out, &ChannelSummary::status})
    c.*time -= ramp.*time;
}

} // namespace

void leave_out(Summary& s, const Summary& ramp) {
  leave_out(s.nand, ramp.nand);
  for (std::size_t i = 0; i < s.channels.size(); ++i) leave_out(s.channels[i], ramp.channels[i]);
  for (std::size_t i = 0; i < s.dies.size(); ++i) {
    s.dies[i].busy -= ramp.dies[i].busy;
    s.dies[i].plane_busy -= ramp.dies[i].plane_busy;
  }
  if (s.cache) {
    s.cache->hits -= ramp.cache->hits;
    s.cache->misses -= ramp.cache->misses;
    s.cache->written_back -= ramp.cache->written_back;
    s.cache->waited -= ramp.cache->waited;
  }
}

} // namespace twinplane::platform
