#include "firmware/ftl/core.h"

#include <utility>

#include "firmware/ftl/bring_up/mark_search.h"
#include "firmware/ftl/bring_up/targets.h"
#include "firmware/ftl/regions/two_regions.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t kMaxTransactions = 65536;
constexpr std::uint32_t kMinTransactions = 1024;

constexpr char kNoRoomForPages[] = "dram.size: too small for the flash rings and page buffers";
constexpr CostTable kNoCost{0, 0, 0, 0, 0, 0, 0, 0, 0};

/// Transactions that only garbage collection may take: two per plane, or all that wait for each other.
std::uint32_t collector_share(const FtlConfig& c, const Geometry& g, std::uint32_t transactions) {
  const std::uint32_t wanted = g.planes() * (c.slc_cache.fold == 1 ? 2 : Collector::kMovesInFlight);
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

const char* FtlCore::boot(Hal& hal, HostPort& host, const FtlConfig& config, RequestSink& sink) {
  if (const char* error = check_config(config)) return error;
  BootMemory memory(hal);
  DramLayout dram(hal, config.dram_base);
  state.hal = &hal;
  state.host = &host;
  state.sink = &sink;
  state.config = config;
  state.config.geometry = geometry_in_use(config);
  const Geometry& g = state.config.geometry;
  while ((1u << state.sectors_shift) < g.sectors_per_page()) ++state.sectors_shift;
  state.full_mask = low_mask(g.sectors_per_page());
  state.payload = payload_bytes(config.data_mode, g.sector_size);
  state.blocks.boot(hal, memory, config, {blocks_per_unit(config), region_modes(config)});
  if (memory.exhausted()) return "not enough firmware memory for the block tables";
  PlaneAllocation* const planes = make_levels_allocation(memory, state.config, config.plane_allocation);
  if (planes == nullptr) return "not enough firmware memory for the plane allocation";
  state.policy.planes = planes;
  functional.boot(memory, *this);
  if (memory.exhausted()) return "not enough firmware memory for the plane allocation";
  if (const char* error = boot_ports(dram)) return error;
  if (const char* error = bring_up_targets(state, {config, ports_, dram, refusal_})) return error;
  if (config.marked_blocks) search_marks(state, ports_);
  lower_pages = make_lower_pages(memory, config);
  if (lower_pages == nullptr) return "not enough firmware memory";
  if (!lower_pages->reserve(memory, state))
    return "ftl.lower_pages: too few good blocks per plane for copies of lower pages: more "
           "geometry.blocks_per_plane, power.hold_up, or none";
  watched_ = lower_pages->kept();
  if (config.marked_blocks) retire_marked_blocks();
  divide_planes();
  if (const char* error = size_capacity(memory)) return error;
  state.policy = make_policies(memory, state.blocks, state.config, state.exported_pages, state.statistics);
  state.policy.planes = planes;
  if (memory.exhausted()) return "not enough firmware memory for the mapping table";
  state.deals_planes = deals_planes(config);
  state.blocks.attach(*state.policy.victim);
  state.copybacks.boot(memory, state.blocks, config.copybacks);
  if (const char* error = size_memory(dram, memory)) return error;
  state.lost.boot(memory, state.exported_pages, state.sectors_shift);
  board.boot(memory, state);
  journal.boot(memory, state, board);
  lower_pages->boot(memory, board, {journal, collector, host_path});
  purge.boot({&state, &collector, &journal, lower_pages, &host_path}, buffers_);
  collector.boot(memory, state, board, journal, *lower_pages);
  host_path.boot(state, board, collector, journal);
  host_path.attach(purge);
  dispatcher.boot(memory, state, board, collector, host_path, ports_);
  dispatcher.attach(journal);
  recovery.boot(memory, state, {board, collector, journal, *lower_pages, host_path});
  if (memory.exhausted()) return "not enough firmware memory for the queues";
  if (recovering()) {
    mode_ = Mode::recovering;
    pump();
  }
  return nullptr;
}

/// The first region's blocks at first: the lowest numbers that are good, so that planes pair.
void FtlCore::divide_planes() {
  BlockTable& blocks = state.blocks;
  if (blocks.regions() == 1) return;
  for (std::uint32_t p = 0; p < state.config.geometry.planes(); ++p) {
    std::uint32_t hot = region_modes(state.config).cache
                            ? cache_blocks_at_boot(state.config, blocks.plane(p).free_blocks)
                            : hot_blocks_at_boot(state.config, blocks.plane(p).free_blocks);
    for (std::uint32_t b = 0; hot != 0; ++b) {
      if (blocks.block(p, b).state != BlockState::free) continue;
      blocks.change_region(p, b, kHot);
      --hot;
    }
  }
}

/// Blocks of an SLC-mode cache that become native ones as the drive is filled. All blocks are free yet.
std::uint64_t FtlCore::given_back(std::uint32_t plane) const {
  const BlockTable& blocks = state.blocks;
  if (!region_modes(state.config).cache) return 0;
  const std::uint32_t cache = blocks.domain(blocks.domain_of(plane, kCache)).free_blocks;
  const std::uint32_t least = least_cache_blocks(state.config.slc_cache, blocks.plane(plane).free_blocks);
  return cache > least ? cache - least : 0;
}

/// Pages of a block that hold data for sure, and those of each plane that the decisions of one region keep.
std::uint32_t FtlCore::sure_pages() const {
  return state.blocks.pages_per_block() - padding_pages(state.config, state.blocks.order());
}
std::uint32_t FtlCore::reserve_pages() const {
  const std::uint32_t padding = padding_pages(state.config, state.blocks.order());
  const std::uint32_t torn = padding == 0 ? 0 : torn_reserve_pages(state.config, padding);
  return reserve_pages_per_plane(state.config) + torn;
}

/// Of a plane, all of whose good blocks are free yet; units are good as a whole.
std::uint64_t FtlCore::usable_pages_of(std::uint32_t plane) const {
  const BlockTable& blocks = state.blocks;
  const auto beyond = [](std::uint64_t pages, std::uint64_t reserve) {
    return pages > reserve ? pages - reserve : 0;
  };
  if (blocks.regions() == 1) {
    const std::uint64_t good = blocks.domain(blocks.site_of(plane)).free_blocks;
    return beyond(good * sure_pages(), reserve_pages());
  }
  std::uint64_t sum = 0;
  const bool cache = region_modes(state.config).cache;
  for (std::uint32_t r = cache ? 1 : 0; r < blocks.regions(); ++r) {
    const std::uint32_t pages = blocks.region_pages(r);
    const std::uint32_t held = cache ? fw::sure_pages(state.config.slc_cache, pages) : pages;
    const std::uint64_t good = blocks.domain(blocks.domain_of(plane, r)).free_blocks;
    sum += beyond((good + given_back(plane)) * held, conventional_reserve_pages(pages));
  }
  return sum;
}

/// Pages that can hold exported data whatever happens: what the reserves of block allocation leave of the
/// good blocks, as many in every class of plane allocation as in the one that has fewest.
std::uint64_t FtlCore::usable_pages(BootMemory& memory) const {
  const Geometry& g = state.config.geometry;
  const PlaneAllocation& planes = *state.policy.planes;
  auto* const in_class = memory.zeroed<std::uint64_t>(planes.classes());
  if (in_class == nullptr) return 0;
  for (std::uint32_t p = 0; p < g.planes(); ++p) in_class[planes.class_of_plane(p)] += usable_pages_of(p);
  std::uint64_t least = in_class[0];
  for (std::uint32_t c = 1; c < planes.classes(); ++c) {
    if (in_class[c] < least) least = in_class[c];
  }
  return least * planes.classes();
}

/// Exported capacity: what over-provisioning leaves, at most what can be used.
const char* FtlCore::size_capacity(BootMemory& memory) {
  const Geometry& g = state.config.geometry;
  const double raw = static_cast<double>(g.pages());
  const std::uint64_t usable = usable_pages(memory);
  if (memory.exhausted()) return "not enough firmware memory for the block tables";
  if (usable == 0)
    return "geometry.blocks_per_plane: too few good blocks for the reserves of garbage collection";
  auto pages = static_cast<std::uint64_t>(raw * (1.0 - state.config.over_provisioning));
  if (pages > usable) pages = usable;
  pages -= pages % g.planes();
  if (pages == 0) return "ftl.over_provisioning: leaves no capacity";
  if (pages >= journal_lpn(journal_number(1, 0))) return "geometry: more than 2^32 logical pages";
  state.exported_pages = static_cast<std::uint32_t>(pages);
  state.good_blocks_at_boot = state.blocks.good_blocks();
  state.statistics.spare_blocks_at_boot = spare_blocks();
  return nullptr;
}

/// Beyond what exported data and the reserves of block allocation take.
std::uint64_t FtlCore::spare_blocks() const {
  const Geometry& g = state.config.geometry;
  std::uint64_t good = 0;
  std::uint64_t needed = state.exported_pages;
  if (state.blocks.regions() != 1 && !region_modes(state.config).cache) {
    for (std::uint32_t p = 0; p < g.planes(); ++p) good += usable_pages_of(p);
  } else {
    needed += std::uint64_t{reserve_pages()} * g.planes();
    good = (state.good_blocks_at_boot - lower_pages->blocks()) * sure_pages();
  }
  return good > needed ? (good - needed) / sure_pages() : 0;
}

const char* FtlCore::boot_ports(DramLayout& dram) {
  const Geometry& g = state.config.geometry;
  const std::uint32_t begin = dram.next();
  for (std::uint32_t c = 0; c < g.channels; ++c) {
    ports_[c].boot(*state.hal, dram, c, g.dies_per_channel() * DieLoad(state.config).most);
  }
  dram_use.rings = dram.next() - begin;
  return dram.exhausted() ? kNoRoomForPages : nullptr;
}

/// Those that have been set aside already are not free any more.
void FtlCore::retire_marked_blocks() {
  BlockTable& blocks = state.blocks;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      if (blocks.unit(site, block).state != BlockState::free) continue;
      if (const std::uint32_t bad = blocks.marked_planes(site, block)) blocks.retire_marked(site, block, bad);
    }
  }
}

const char* FtlCore::size_memory(DramLayout& dram, BootMemory& memory) {
  const Geometry& g = state.config.geometry;
  std::uint32_t begin = dram.next();
  const auto taken = [&begin, &dram] { return dram.next() - std::exchange(begin, dram.next()); };
  buffers_.begin = dram.next();
  dram_use.map = std::uint64_t{state.exported_pages} * kMapEntryBytes;
  const std::uint32_t page = g.sectors_per_page() * state.payload;
  if (state.config.write_ack == WriteAck::buffered) {
    const std::uint32_t pages = state.config.write_buffer_pages;
    const std::uint32_t slots = dram.take(std::uint64_t{pages} * page);
    if (dram.exhausted()) return "dram.size: too small for ftl.write_buffer";
    state.buffer = make_lru_write_buffer(memory, pages, slots, page);
  }
  dram_use.write_buffer = taken();
  SlcCache* const cache = state.policy.cache;
  const std::uint32_t stride = cache == nullptr ? page : 2 * page + cache->words_bytes(); // see SlcCache
  const std::uint32_t untimed_words = cache == nullptr ? 0 : dram.take(cache->words_bytes());
  std::uint32_t transactions = transactions_wanted(state.config) + lower_pages->most_waiting();
  const std::uint32_t own = lower_pages->kept() ? state.blocks.sites() : 0;
  if (stride != 0 && transactions + own > dram.left() / stride) transactions = dram.left() / stride - own;
  const std::uint32_t buffers = dram.take(std::uint64_t{transactions + own} * stride);
  if (dram.exhausted() || transactions < 16) return kNoRoomForPages;
  dram_use.page_buffers = taken();
  const std::uint64_t at_boot = bring_up_bytes(g); // in the same place
  if (dram_use.write_buffer + dram_use.page_buffers < at_boot)
    dram_use.page_buffers = at_boot - dram_use.write_buffer;
  buffers_.bytes = dram.next() - buffers_.begin;
  const std::uint32_t waiting = lower_pages->most_waiting() / 2; // pages of either side
  const std::uint32_t reserve = collector_share(state.config, g, transactions) + waiting;
  const std::uint32_t dies_with_padding = state.config.slc_cache.fold == 1 ? 0 : g.dies();
  state.pool.boot(memory, *state.host,
                  {transactions, reserve, reads_share(transactions, reserve, waiting), buffers, stride,
                   dies_with_padding, own});
  state.locks.boot(memory, state.exported_pages, transactions);
  if (cache != nullptr) cache->attach(memory, *state.hal, transactions, state.payload, untimed_words);
  return memory.exhausted() ? "not enough firmware memory for the transactions" : nullptr;
}

void FtlCore::on_flash_irq(std::uint32_t channel) {
  ports_[channel].poll([this](const FlashCompletion& c) {
    state.charge(1, state.config.cost.flash_complete);
    complete(c);
  });
  state.spend_charged();
}

inline void FtlCore::tell_those_who_look(const Transaction& t, const FlashCompletion& c) {
  probe_point<Watch::planes, &FtlCore::tell_done>(state.probe != nullptr, state, t, c);
}

void FtlCore::tell_done(const FtlState& state, const Transaction& t, const FlashCompletion& c) {
  state.probe->on_done(t.index, t.plane, c.ecc_ps, state.hal->now_ps());
}

inline void FtlCore::complete(const FlashCompletion& c) {
  Transaction& t = state.pool.at(c.cookie);
  state.pool.expect_used(t);
  const WorkMark mark(t.traits->account);
  if (kProbedFromOutside) tell_those_who_look(t, c);
  if (watched_) return complete_watched(t, c);
  board.operation_done(t);
  take(t, c);
}

inline void FtlCore::take(Transaction& t, const FlashCompletion& c) {
  const OpTraits& kind = *t.traits;
  if (&kind == &HostPath::kWrite) return host_path.write_done(t, c);
  if (&kind == &HostPath::kRead) return host_path.read_done(t, c);
  if (kind.done == nullptr) state.hal->panic("completion of a transaction that is not in flight");
  kind.done(*t.owner, t, c);
}

/// Somebody accounts for the time of planes, or lower pages are protected: what has been programmed may have
/// to wait for its copy.
void FtlCore::complete_watched(Transaction& t, const FlashCompletion& c) {
  if (!kProbedFromOutside) tell_those_who_look(t, c);
  board.operation_done(t);
  if (untimed_ && t.traits->changes_cells() && is_page(t.ppn)) lower_pages->progress.programmed(t.ppn);
  if (untimed_ || !lower_pages->takes(t, c)) take(t, c);
  (void)take_protected();
}

/// False: there was none.
bool FtlCore::take_protected() {
  bool any = false;
  FlashCompletion answer;
  while (Transaction* const t = lower_pages->take_ended(answer)) {
    any = true;
    take(*t, answer);
  }
  return any;
}

void FtlCore::attach(WorkProbe& probe) {
  state.probe = &probe;
  watched_ = watched_ || !kProbedFromOutside;
}

/// Pages under way when the supply fails count as programmed then, as many as there can be.
void FtlCore::supply_failed() {
  state.hal->trace_event(TraceEvent::supply_failed, 0, 0);
  const Geometry& g = state.config.geometry;
  const std::uint64_t under_way = std::uint64_t{g.dies()} * DieLoad(state.config).most;
  const std::uint64_t pages = state.config.hold_up_pages;
  last_program_ = state.statistics.program_pages + (pages > under_way ? pages - under_way : 0);
  if (!recovery.busy() && state.buffer != nullptr) {
    host_path.write_back_all();
    // versions that trims have taken out of the buffer had been answered: what is older may not come back
    if (journal.kept()) (void)journal.begin_flush_of_host();
  }
  mode_ = Mode::holding_up;
}

void FtlCore::recover() {
  recovery.run();
  if (!recovery.busy()) mode_ = Mode::normal;
}

/// What recovery waits for may end without an answer of the flash, which would call the firmware again: a
/// wordline that another program has completed needs no padding, and a drive that has become read-only
/// nothing at all. False when it has to wait.
bool FtlCore::recovers_further() {
  if (mode_ != Mode::recovering || !recovery.rescued()) return false;
  recover();
  return !recovery.busy() || host_path.rewrites() != 0;
}

/// False when nothing else is to be done.
bool FtlCore::pump_in_mode() {
  if (mode_ == Mode::recovering) {
    recover();
    return true;
  }
  const std::uint64_t next = state.statistics.program_pages + state.config.geometry.planes_per_die;
  if (recovery.busy() || next > last_program_) return false;
  // What a write replaces may have been erased while it was programmed: if that has failed, it is repeated.
  // And if it has been trimmed since, or what else its page held is lost, metadata have to tell; or a page, of
  // what has been given up.
  const bool tells = state.policy.cache != nullptr && journal.writer.busy();
  return state.buffer != nullptr || tells || state.pool.any_again() || host_path.rewrites() != 0;
}

/// True when somebody who has waited may go on. Whether there will be a unit shows when the dispatcher has
/// run once more.
bool FtlCore::run_metadata() {
  const bool dispatched = std::exchange(unit_asked_for_, false);
  if (journal.checkpoint.due() && mode_ == Mode::normal) (void)journal.begin_checkpoint(false);
  bool news = journal.writer.run();
  if (journal.writer.waits_for_unit() && dispatched && !board.anything_under_way()) {
    journal.writer.give_up();
    news = true;
  }
  if (news) host_path.answer_durable();
  if (journal.writer.waits_for_unit()) collector.resume();
  collector.keep_more(journal.writer.waits_for_unit());
  unit_asked_for_ = journal.writer.waits_for_unit() && !dispatched;
  return news || unit_asked_for_;
}

/// Pages for which collection has found no place in their own die are written wherever the host's are.
void FtlCore::rewrite_stranded() {
  while (collector.any_stranded() && !state.pool.scarce_for_writes()) {
    const std::uint32_t lpn = collector.next_stranded();
    if (lpn != kNoLpn) (void)host_path.rewrite(lpn, ProgramCause::gc);
  }
}

/// What few drives have, or seldom.
bool FtlCore::run_extras() {
  bool again = false;
  if (lower_pages->kept()) {
    lower_pages->run();
    again = take_protected();
  }
  return (purge.busy() && mode_ == Mode::normal && purge.run()) || again;
}

void FtlCore::pump() {
  if (mode_ != Mode::normal && !pump_in_mode()) return;
  bool again = false;
  do {
    host_path.admit_waiting();
    host_path.take_arrived();
    host_path.write_back();
    collector.run();
    if (collector.any_stranded() && !collector.resting()) rewrite_stranded();
    again = (lower_pages->kept() || purge.busy()) && run_extras();
    again = (journal.writer.busy() && run_metadata()) || again;
    if (state.read_only() && host_path.refuse_writes()) again = true;
    dispatcher.run();
  } while (again || collector.noted_any() || (board.short_of_space() && reached_end_of_life()) ||
           (recovery.busy() && recovers_further()));
  state.spend_charged();
  state.host->kick(); // first: the flash controllers ask when the programs' data will have arrived
  dispatcher.kick();
}

void FtlCore::collect_untimed() {
  untimed_ = true;
  run_untimed();
  untimed_ = false;
}

void FtlCore::protect_untimed() {
  if (state.policy.cache != nullptr && state.config.hold_up_pages == 0) functional.complete_wordlines();
  lower_pages->protect();
  if (!lower_pages->all_protected()) run_untimed();
}

void FtlCore::run_untimed() {
  const CostTable cost = state.config.cost;
  const std::uint32_t charged = state.charged_cycles;
  state.config.cost = kNoCost;
  state.charged_cycles = 0;
  do {
    collector.run();
    while (journal.writer.run()) collector.run();
    dispatcher.run();
  } while (run_flash_untimed() || collector.noted_any());
  state.config.cost = cost;
  state.charged_cycles = charged;
}

/// False when no command waited for a doorbell.
bool FtlCore::run_flash_untimed() {
  const std::uint64_t channels = dispatcher.take_posted();
  for (std::uint64_t left = channels; left != 0; left &= left - 1) {
    const std::uint32_t channel = lowest_bit(left);
    ports_[channel].withdraw([this, channel](FlashDescriptor d) {
      d.flags = static_cast<std::uint8_t>(d.flags & ~flash_flag::more); // one page at a time
      complete(state.hal->flash_functional(channel, d, state.hal->dram() + d.buffer));
    });
  }
  return channels != 0;
}

/// Failed programs and retired blocks have used up what over-provisioning left: writes wait for space, and
/// nothing will make any. From now on they are refused, which is better than never answering.
bool FtlCore::reached_end_of_life() {
  if (state.read_only() || collector.waiting_for_pool() || !board.out_of_space()) return false;
  if (host_path.put_off_stranded()) return true;
  if (journal.writer.give_back()) {
    host_path.answer_durable();
    return true;
  }
  state.statistics.read_only = true;
  state.hal->trace_event(TraceEvent::read_only, 0, 0);
  state.sink->on_wear();
  journal.block_table_changed();
  return true;
}

bool FtlCore::nothing_under_way() const {
  return !recovery.busy() && host_path.requests_in_flight() == 0 && state.pool.in_use() == 0 &&
         lower_pages->idle();
}

bool FtlCore::idle() const {
  return nothing_under_way() && !collector.any_stranded() &&
         (collector.active_jobs() == 0 || state.read_only());
}

void FtlCore::refresh_regions() {
  const BlockTable& blocks = state.blocks;
  const std::uint32_t kept = state.config.gc_threshold_blocks;
  for (std::uint32_t r = 0; r < blocks.regions(); ++r) {
    RegionGauges sum;
    for (std::uint32_t p = 0; p < state.config.geometry.planes(); ++p) {
      const PlaneInfo& d = blocks.domain(blocks.domain_of(p, r));
      sum.blocks += d.serving();
      sum.erased += d.free_blocks;
      sum.valid += d.valid;
      sum.capacity += std::uint64_t{d.serving() > kept ? d.serving() - kept : 0} * blocks.region_pages(r);
    }
    state.statistics.region[r] = sum;
  }
}

/// Metadata may wait for a unit that collection makes.
bool FtlCore::rest() {
  if (purge.busy()) return false;
  if (!journal.writer.busy()) collector.rest();
  lower_pages->rest();
  return idle() || (collector.resting() && nothing_under_way());
}

const FtlStatistics& FtlCore::refresh_statistics() {
  FtlStatistics& s = state.statistics;
  for (std::uint32_t t = 0; t < kMaxPageTypes; ++t)
    s.free_pages_by_type[t] = state.blocks.free_pages_by_type()[t];
  s.free_blocks = state.blocks.free_blocks();
  s.valid_pages = state.blocks.valid_pages();
  s.lost_sectors = state.lost.count();
  s.retired_blocks = state.good_blocks_at_boot - state.blocks.good_blocks();
  s.erases = state.blocks.erases();
  if (state.blocks.regions() != 1) refresh_regions();
  if (state.policy.cache != nullptr) state.policy.cache->refresh_gauges(s.cached);
  return s;
}

} // namespace twinplane::fw
