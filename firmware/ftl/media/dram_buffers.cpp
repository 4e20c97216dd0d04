#include "firmware/ftl/media/dram_buffers.h"

#include <utility>

#include "firmware/ftl/bring_up/targets.h"
#include "firmware/ftl/gc/gc_jobs.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kMaxTransactions = 65536;
constexpr std::uint32_t kMinTransactions = 1024;

constexpr char kNoRoomForPages[] = "dram.size: too small for the flash rings and page buffers";

/// Transactions that only garbage collection may take: two per plane, or all that wait for each other.
std::uint32_t collector_share(const FtlConfig& c, const Geometry& g, std::uint32_t transactions) {
  const std::uint32_t wanted = g.planes() * (c.pass_pages == 1 ? 2 : kMovesInFlight);
  return wanted < transactions / 4 ? wanted : transactions / 4;
}

/// A quarter of what the host has, but for the writes that wait for each other.
std::uint32_t reads_share(std::uint32_t transactions, std::uint32_t reserve, std::uint32_t writes_waiting) {
  const std::uint32_t taken = reserve + writes_waiting;
  return taken < transactions ? (transactions - taken) / 4 : 0;
}

std::uint32_t transactions_wanted(const FtlConfig& c) {
  if (c.page_buffers != 0) return c.page_buffers;
  const std::uint64_t wanted = std::uint64_t{c.max_requests} * 4 + c.geometry.planes() * 8;
  if (wanted < kMinTransactions) return kMinTransactions;
  return wanted < kMaxTransactions ? static_cast<std::uint32_t>(wanted) : kMaxTransactions;
}

} // namespace

const char* boot_rings(const FtlState& state, DramLayout& dram, FlashPort* ports, DramUse& use) {
  const Geometry& g = state.config.geometry;
  const std::uint32_t begin = dram.next();
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    ports[c].boot(*state.hal, dram, c, g.dies_per_channel() * DieLoad(state.config).most_pages);
  }
  use.rings = dram.next() - begin;
  return dram.exhausted() ? kNoRoomForPages : nullptr;
}

const char* boot_buffers(FtlState& state, const BufferContext& c) {
  DramLayout& dram = c.dram;
  BootMemory& memory = c.memory;
  DramUse& use = c.use;
  const Geometry& g = state.config.geometry;
  std::uint32_t begin = dram.next();
  const auto taken = [&begin, &dram] { return dram.next() - std::exchange(begin, dram.next()); };
  state.host_data.begin = dram.next();
  use.map = std::uint64_t{state.exported_pages} * kMapEntryBytes;
  const std::uint32_t page = g.sectors_per_page() * state.payload;
  const char* error = nullptr;
  state.hooks.for_each(
      [&](Feature& f) { error = error == nullptr ? f.take_dram(memory, dram, page) : error; });
  if (error != nullptr) return error;
  use.write_buffer = taken();
  Units* const units = state.units;
  const std::uint32_t stride = units == nullptr ? page : 2 * page + units->io.words_bytes(); // see UnitIo
  const std::uint32_t untimed_words = units == nullptr ? 0 : dram.take(units->io.words_bytes());
  std::uint32_t transactions = transactions_wanted(state.config) + c.needs.most_waiting;
  const std::uint32_t own = c.needs.own_operations ? state.blocks.sites() : 0;
  if (stride != 0 && transactions + own > dram.left() / stride) transactions = dram.left() / stride - own;
  const std::uint32_t buffers = dram.take(std::uint64_t{transactions + own} * stride);
  if (dram.exhausted() || transactions < 16) return kNoRoomForPages;
  use.page_buffers = taken();
  const std::uint64_t at_boot = bring_up_bytes(g); // in the same place
  if (use.write_buffer + use.page_buffers < at_boot) use.page_buffers = at_boot - use.write_buffer;
  state.host_data.bytes = dram.next() - state.host_data.begin;
  const std::uint32_t waiting = c.needs.most_waiting / 2; // pages of either side
  const std::uint32_t reserve = collector_share(state.config, g, transactions) + waiting;
  const std::uint32_t dies_with_padding = state.config.pass_pages == 1 ? 0 : g.dies();
  state.pool.boot(memory, *state.host,
                  {transactions, reserve, reads_share(transactions, reserve, waiting), buffers, stride,
                   dies_with_padding, own});
  LpnLocks::Shape locks{state.exported_pages, transactions};
  locks.units_shift = lowest_bit(state.config.map_units);
  locks.sectors_per_unit = g.sectors_per_page() / state.config.map_units;
  state.locks.boot(memory, locks);
  if (units != nullptr) units->io.attach(memory, *state.hal, transactions, state.payload, untimed_words);
  return memory.exhausted() ? "not enough firmware memory for the transactions" : nullptr;
}

} // namespace twinplane::fw
