#include "firmware/ftl/flush_time.h"

#include "firmware/ftl/policies.h"

namespace twinplane::fw {

namespace {

constexpr std::uint64_t kMargin = 2; // suspended operations, retries of programs, retired blocks
constexpr std::uint64_t kLongest = std::uint64_t{1} << 62; // ps, 53 days: more than Identify can say

/// Moves of the collector per page written when the drive is full. Its victims are at least as empty as the
/// blocks in use are on average; that they are not chosen so by every policy, a block bounds.
std::uint64_t moves_per_page(const FtlConfig& c, std::uint32_t exported_pages) {
  const Geometry& g = c.geometry;
  if (region_modes(c).count != 1) return g.pages_per_block; // one of them may be nearly full
  const std::uint64_t kept_free = std::uint64_t{c.gc_threshold_blocks} * g.pages_per_block * g.planes();
  const std::uint64_t pages = g.pages();
  if (pages <= exported_pages + kept_free) return g.pages_per_block;
  const std::uint64_t moves = pages / (pages - exported_pages - kept_free) + 1;
  return moves < g.pages_per_block ? moves : g.pages_per_block;
}

} // namespace

std::uint64_t longest_flush_ps(const FtlConfig& c, std::uint32_t exported_pages, std::uint32_t classes) {
  if (c.write_ack != WriteAck::buffered) return 0;
  const Geometry& g = c.geometry;
  const FlashTimes& t = c.times;
  // every page may be for the same class of plane allocation
  std::uint64_t dies = g.planes() / classes;
  if (dies > g.dies()) dies = g.dies();
  if (dies == 0) dies = 1;
  const std::uint64_t transfers = 2 * t.transfer_ps * g.dies_per_channel(); // one bus for all of them
  const bool copies = copies_lower_pages(c); // of each page, which may be copied on
  const std::uint64_t padding = longest_padding(c);
  const std::uint64_t times = copies ? 2 : 1 + padding;
  const std::uint64_t page = times * (t.read_ps + t.program_ps + transfers); // completed, or moved
  const std::uint64_t pages = (c.write_buffer_pages + dies - 1) / dies;      // of the buffer, per die
  const std::uint64_t moves = pages * moves_per_page(c, exported_pages);
  // and each plane may be in the middle of a victim
  const std::uint64_t under_way = std::uint64_t{g.planes_per_die} * g.pages_per_block;
  const std::uint64_t slc_pages = g.pages_per_block / static_cast<std::uint32_t>(g.cell);
  const std::uint64_t units = copies ? g.planes_per_die + (pages + moves + under_way) / slc_pages : 0;
  const std::uint64_t victims = g.planes_per_die + (pages + moves) / g.pages_per_block + units;
  const std::uint64_t programs = pages + moves + under_way;
  if (programs > kLongest / (2 * kMargin) / page) return kLongest;
  const std::uint64_t flash = programs * page + victims * t.erase_ps;
  // processor and DRAM serve all dies; each page is read and programmed
  const std::uint64_t operations = (2 * times * programs + victims) * g.dies();
  const std::uint64_t shared = t.core_ps + t.dram_ps;
  if (shared != 0 && operations > kLongest / shared) return kLongest;
  return kMargin * (flash + operations * shared);
}

std::uint64_t longest_collection_ps(const FtlConfig& c, std::uint32_t exported_pages, std::uint64_t pages) {
  const FlashTimes& t = c.times;
  const std::uint64_t move = t.read_ps + t.program_ps + 2 * (t.transfer_ps + t.core_ps + t.dram_ps);
  const std::uint64_t moves = pages * (moves_per_page(c, exported_pages) + longest_padding(c));
  const std::uint64_t erases = moves / c.geometry.pages_per_block + 1;
  if (move != 0 && moves > kLongest / (2 * kMargin) / move) return kLongest;
  return kMargin * (moves * move + erases * t.erase_ps);
}

} // namespace twinplane::fw
