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

MultiPlane operator-(const MultiPlane& all, const MultiPlane& part) {
  return {all.commands - part.commands, all.units - part.units, all.all_units - part.all_units,
          all.planes - part.planes};
}

void leave_out(NandSummary& n, const NandSummary& part) {
  for (const auto counter : kCounters) n.*counter -= part.*counter;
  for (std::size_t type = 0; type < kMaxPageTypes; ++type) {
    n.reads_by_type[type] -= part.reads_by_type[type];
    n.programs_by_type[type] -= part.programs_by_type[type];
  }
  n.read = n.read - part.read;
  n.program = n.program - part.program;
  n.erase = n.erase - part.erase;
}

void leave_out(ChannelSummary& c, const ChannelSummary& part) {
  for (const auto time : {&ChannelSummary::busy, &ChannelSummary::command, &ChannelSummary::address,
                          &ChannelSummary::data_in, &ChannelSummary::data_out, &ChannelSummary::status})
    c.*time -= part.*time;
}

} // namespace

void leave_out(Summary& s, const Summary& part) {
  leave_out(s.nand, part.nand);
  for (std::size_t i = 0; i < s.channels.size(); ++i) leave_out(s.channels[i], part.channels[i]);
  for (std::size_t i = 0; i < s.dies.size(); ++i) {
    s.dies[i].busy -= part.dies[i].busy;
    s.dies[i].plane_busy -= part.dies[i].plane_busy;
  }
  if (s.cache) {
    s.cache->hits -= part.cache->hits;
    s.cache->misses -= part.cache->misses;
    s.cache->written_back -= part.cache->written_back;
    s.cache->waited -= part.cache->waited;
  }
}

} // namespace twinplane::platform
