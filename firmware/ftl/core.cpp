#include "firmware/ftl/core.h"

#include "firmware/ftl/bring_up/mark_search.h"
#include "firmware/ftl/bring_up/targets.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/media/capacity.h"
#include "firmware/ftl/media/dram_buffers.h"

namespace twinplane::fw {

namespace {

constexpr CostTable kNoCost{0, 0, 0, 0, 0, 0, 0, 0, 0};

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
  const std::uint32_t data_shift = lowest_bit(config.map_units);
  state.blocks.boot(hal, memory, config, {blocks_per_unit(config), region_modes(config), data_shift});
  if (memory.exhausted()) return "not enough firmware memory for the block tables";
  PlaneAllocation* const planes = make_levels_allocation(memory, state.config, config.plane_allocation);
  if (planes == nullptr) return "not enough firmware memory for the plane allocation";
  state.policy.planes = planes;
  zero_time.boot(memory, *this);
  if (memory.exhausted()) return "not enough firmware memory for the plane allocation";
  if (const char* error = boot_rings(state, dram, ports_, dram_use)) return error;
  if (const char* error = bring_up_targets(state, {config, ports_, dram, refusal_})) return error;
  if (config.marked_blocks) search_marks(state, ports_);
  if (const char* error = boot_features(memory)) return error;
  if (config.marked_blocks) retire_marked_blocks(state.blocks);
  divide_planes(state);
  if (const char* error = Capacity(state, state.hooks.needs().blocks).size(memory)) return error;
  state.policy = make_policies(memory, state.blocks, state.config, state.exported_pages, state.statistics);
  state.policy.planes = planes;
  state.units = state.policy.units;
  if (memory.exhausted()) return "not enough firmware memory for the mapping table";
  state.items.boot(*state.policy.mapping, state.units == nullptr ? nullptr : &state.units->map,
                   state.exported_pages);
  state.assigns_planes = assigns_planes(config);
  state.blocks.attach(*state.policy.victim);
  if (const char* error = boot_buffers(state, {dram, memory, state.hooks.needs(), dram_use})) return error;
  state.lost.boot(memory, state.exported_pages, state.sectors_shift);
  board.boot(memory, state);
  collector.boot(memory, state, board);
  host_path.boot(memory, state, board, collector);
  dispatcher.boot(memory, state, board, collector, host_path.write_path);
  dispatcher.attach(ports_);
  const Pipeline pipeline{state, board, collector, host_path, *this};
  state.hooks.for_each([&](Feature& f) { f.boot(memory, pipeline); });
  if (memory.exhausted()) return "not enough firmware memory for the queues";
  recovery.boot(memory, pipeline);
  if (memory.exhausted()) return "not enough firmware memory for the queues";
  if (recovering()) {
    mode_ = Mode::recovering;
    pump();
  }
  return nullptr;
}

/// Behind the last one it is known what they take from the drive.
const char* FtlCore::boot_features(BootMemory& memory) {
  if (!make_features(memory, state.config, state.hooks)) return "not enough firmware memory";
  const char* error = nullptr;
  state.hooks.for_each([&](Feature& f) { error = error == nullptr ? f.reserve(memory, state) : error; });
  state.hooks.ask();
  completes_with_hooks_ = state.hooks.wants(Hook::programmed);
  return error;
}

void FtlCore::on_flash_irq(std::uint32_t channel) {
  ports_[channel].poll([this](const FlashCompletion& c) {
    state.charge(1, state.config.cost.flash_complete);
    complete(c);
  });
  state.spend_charged();
}

inline void FtlCore::notify_probe(const Transaction& t, const FlashCompletion& c) {
  probe_point<Watch::planes, &FtlCore::tell_done>(state.probe != nullptr, state, t, c);
}

void FtlCore::tell_done(const FtlState& state, const Transaction& t, const FlashCompletion& c) {
  state.probe->on_done(t.index, t.plane, c.ecc_ps, state.hal->now_ps());
}

inline void FtlCore::complete(const FlashCompletion& c) {
  Transaction& t = state.pool.at(c.cookie);
  state.pool.expect_used(t);
  const WorkMark mark(t.traits->account);
  if (kProbedFromOutside) notify_probe(t, c);
  if (completes_with_hooks_) return complete_with_hooks(t, c);
  board.operation_done(t);
  take(t, c);
}

inline void FtlCore::take(Transaction& t, const FlashCompletion& c) {
  const OpTraits& kind = *t.traits;
  if (&kind == &HostWrites::kWrite) return host_path.writes.write_done(t, c);
  if (&kind == &ReadPath::kRead) return host_path.reads.read_done(t, c);
  if (kind.done == nullptr) state.hal->panic("completion of a transaction that is not in flight");
  if (kind.by_unit) return take_units(t, c);
  kind.done(*t.owner, t, c);
}

/// What has been programmed in the same page ends behind t, by when the page is known to have failed, if it has.
void FtlCore::take_units(Transaction& t, const FlashCompletion& c) {
  UnitIo& io = state.units->io;
  Transaction* rider = t.traits->maps_page ? io.take_rider(t) : nullptr;
  FlashCompletion of_page = c;
  of_page.result = 0;
  t.traits->done(*t.owner, t, c);
  while (rider != nullptr) {
    Transaction& next = *rider;
    rider = io.take_rider(next);
    next.traits->done(*next.owner, next, of_page);
  }
}

void FtlCore::deliver(Transaction& t, const FlashCompletion& c) {
  take(t, c);
}

/// A probe accounts for the time of planes, or a feature may hold what has been programmed.
void FtlCore::complete_with_hooks(Transaction& t, const FlashCompletion& c) {
  if (!kProbedFromOutside) notify_probe(t, c);
  board.operation_done(t);
  if (untimed_ && t.traits->changes_cells() && is_page(t.ppn)) state.hooks.programmed_untimed(t.ppn);
  if (untimed_ || !state.hooks.programmed(t, c)) take(t, c);
  state.hooks.end_held();
}

void FtlCore::attach(WorkProbe& probe) {
  state.probe = &probe;
  completes_with_hooks_ = completes_with_hooks_ || !kProbedFromOutside;
}

/// Pages under way when the supply fails count as programmed then, as many as there can be.
void FtlCore::supply_failed() {
  state.hal->trace_event(TraceEvent::supply_failed, 0, 0);
  const Geometry& g = state.config.geometry;
  const std::uint64_t under_way = std::uint64_t{g.dies()} * DieLoad(state.config).most_pages;
  const std::uint64_t pages = state.config.hold_up_pages;
  last_program_ = state.statistics.program_pages + (pages > under_way ? pages - under_way : 0);
  if (!recovery.busy() && state.buffer != nullptr) {
    state.buffer->write_back_all();
    // versions that trims have taken out of the buffer had been answered: what is older may not come back
    if (state.durability->keeps_trims()) (void)state.durability->begin_flush_of_host();
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
bool FtlCore::recovery_can_progress() {
  if (mode_ != Mode::recovering || !recovery.rescued()) return false;
  recover();
  return !recovery.busy() || host_path.rewriter.under_way() != 0;
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
  const bool tells = state.units != nullptr && state.durability->may_write();
  return state.buffer != nullptr || tells || state.pool.any_again() || host_path.rewriter.under_way() != 0;
}

/// Pages for which collection has found no place in their own die are written wherever the host's are.
void FtlCore::rewrite_unrelocatable() {
  while (collector.unrelocatable.any() && !state.pool.scarce_for_writes()) {
    const std::uint32_t lpn = collector.unrelocatable.next();
    if (lpn != kNoLpn) (void)host_path.rewriter.rewrite(lpn, ProgramCause::gc);
  }
}

void FtlCore::pump() {
  if (mode_ != Mode::normal && !pump_in_mode()) return;
  bool again = false;
  do {
    host_path.admit_waiting();
    host_path.write_path.take_arrived();
    host_path.write_back();
    collector.run();
    if (collector.unrelocatable.any() && !collector.quiesced()) rewrite_unrelocatable();
    again = state.hooks.any_awake() && state.hooks.step(mode_ == Mode::normal);
    if (state.read_only() && host_path.refuse_writes()) again = true;
    dispatcher.run();
    if (host_path.fill_passes(mode_ != Mode::normal || state.read_only())) again = true;
  } while (again || collector.jobs.noted_any() || (board.short_of_space() && reached_end_of_life()) ||
           (recovery.busy() && recovery_can_progress()) || host_path.resume_stranded());
  state.spend_charged();
  state.host->kick(); // first: the flash controllers ask when the programs' data will have arrived
  dispatcher.issuer.kick();
}

void FtlCore::collect_untimed() {
  untimed_ = true;
  run_untimed();
  untimed_ = false;
}

void FtlCore::protect_untimed() {
  if (state.config.hold_up_pages == 0) zero_time.complete_passes();
  state.hooks.protect();
  if (!state.hooks.all_protected()) run_untimed();
}

void FtlCore::run_untimed() {
  const CostTable cost = state.config.cost;
  const std::uint64_t charged = state.charged_cycles;
  state.config.cost = kNoCost;
  state.charged_cycles = 0;
  do {
    collector.run();
    while (state.durability->write()) collector.run();
    dispatcher.run();
  } while (run_flash_untimed() || collector.jobs.noted_any());
  state.config.cost = cost;
  state.charged_cycles = charged;
}

/// False when no command waited for a doorbell.
bool FtlCore::run_flash_untimed() {
  const std::uint64_t channels = dispatcher.issuer.take_posted();
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
  if (!board.out_of_space()) return false;
  if (state.read_only()) return state.buffer != nullptr && state.buffer->end_last();
  if (collector.erase_waits_for_writes()) {
    if (host_path.begin_failed_anew()) return true;
  } else if (collector.jobs.any_listed() &&
             !(collector.erases_wait_for_metadata() && state.durability->waits_for_space())) {
    return false;
  }
  if (host_path.rewriter.defer_unrelocatable() || collector.retry_stalled()) return true;
  if (state.policy.allocation->end_hot_stream()) {
    board.unblock_all_writes();
    return true;
  }
  if (state.durability->give_back()) {
    host_path.commits.answer_durable();
    return true;
  }
  state.statistics.read_only = true;
  collector.end();
  if (state.buffer != nullptr) state.buffer->begin_last();
  state.hal->trace_event(TraceEvent::read_only, 0, 0);
  state.sink->on_wear();
  state.durability->table_changed();
  return true;
}

bool FtlCore::nothing_under_way() const {
  return !recovery.busy() && host_path.requests_in_flight() == 0 && state.pool.in_use() == 0 &&
         state.hooks.idle();
}

bool FtlCore::idle() const {
  return nothing_under_way() && !collector.unrelocatable.any() &&
         (collector.jobs.active() == 0 || state.read_only());
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
bool FtlCore::quiesce() {
  if (host_path.commits.executing()) return false;
  if (!state.durability->may_write()) collector.quiesce();
  state.hooks.quiesce();
  return idle() || (collector.quiesced() && nothing_under_way());
}

const FtlStatistics& FtlCore::refresh_statistics() {
  FtlStatistics& s = state.statistics;
  for (std::uint32_t t = 0; t < kMaxPageTypes; ++t)
    s.free_pages_by_type[t] = state.blocks.free_pages_by_type()[t];
  s.free_blocks = state.blocks.free_blocks();
  s.valid_pages = state.blocks.valid_pages();
  s.lost_sectors = state.lost.count();
  s.buffered_sectors_left = state.buffer == nullptr ? 0 : state.buffer->sectors_left();
  s.retired_blocks = state.good_blocks_at_boot - state.blocks.good_blocks();
  s.erases = state.blocks.erases();
  if (state.blocks.regions() != 1) refresh_regions();
  if (state.policy.regions != nullptr) state.policy.regions->refresh_gauges(s);
  return s;
}

} // namespace twinplane::fw
