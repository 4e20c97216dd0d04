#include "platform/report/slc_cache.h"

#include <nlohmann/json.hpp>

#include "firmware/ftl/features/slc_cache/slc_cache.h"
#include "platform/report/number_text.h"

namespace twinplane::platform {

const char* slc_cache_columns() {
  return ",slc_work_blocks,slc_monitor_blocks,slc_hot_blocks,slc_valid,slc_evicted,slc_cache_blocks";
}

void append_slc_cache_cells(std::string& row, const fw::FtlStatistics& s) {
  const fw::CacheGauges& g = s.cached;
  for (const std::uint64_t n :
       {g.blocks[1], g.blocks[2], g.blocks[3], g.valid, s.cache.evicted_subpages, g.size}) {
    row.push_back(',');
    append(row, n);
  }
}

Json slc_cache_json(const fw::FtlStatistics& s) {
  const fw::CacheCounters& c = s.cache;
  const fw::CacheGauges& g = s.cached;
  const fw::RegionCounters& native = s.regions[fw::kNative];
  const double utilisation = c.collected_subpages == 0 ? 0
                                                       : static_cast<double>(c.collected_used) /
                                                             static_cast<double>(c.collected_subpages);
  Json out{
      {"updates",
       {{"work", c.updates[1]}, {"monitor", c.updates[2]}, {"hot", c.updates[3]}, {"native", c.updates[0]}}},
      {"in_page", c.in_page},
      {"new_writes", c.new_writes},
      {"read_hits", {{"cache", c.read_hits_cache}, {"native", c.read_hits_native}}},
      {"evicted_pages", c.evicted_pages},
      {"evicted_subpages", c.evicted_subpages},
      {"native_host_pages", c.native_host_pages},
      {"collections", c.collections},
      {"utilisation", rounded(utilisation)},
      {"erases", {{"cache", s.regions[fw::kCache].erases}, {"native", native.erases}}},
      {"native_programs", native.host_pages + native.moved_pages},
      {"disturbed", {{"in_page", c.disturbed_in_page}, {"neighbour", c.disturbed_neighbour}}},
      {"wear",
       {{"least", rounded(g.wear_least)},
        {"mean", rounded(g.wear_mean)},
        {"most", rounded(g.wear_most)},
        {"collections", c.wear_collections},
        {"exchanged_blocks", c.exchanged_blocks}}},
      {"victim_search", {{"blocks", c.search_blocks}}},
      {"blocks", {{"work", g.blocks[1]}, {"monitor", g.blocks[2]}, {"hot", g.blocks[3]}}},
      {"size",
       {{"blocks", g.size},
        {"taken", s.regions[fw::kCache].grabs},
        {"given_back", s.regions[fw::kNative].grabs}}},
      {"valid_subpages", g.valid},
      {"mapping_bytes", rounded(g.mapping_bytes)},
      {"label_bytes", rounded(g.label_bytes)},
      {"isr_bytes", rounded(g.isr_bytes)}};
  if (s.wordline_passes != 0) {
    out["wordline_passes"] = s.wordline_passes;
    out["padded_pages"] = s.padded_pages;
  }
  return out;
}

} // namespace twinplane::platform
