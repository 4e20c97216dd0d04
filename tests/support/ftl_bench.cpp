#include "tests/support/ftl_bench.h"
#include <algorithm>

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>

#include "firmware/ftl/features/slc_cache/slc_cache.h"

namespace twinplane::test {

namespace {

SimHalConfig hal_config(const FtlBenchConfig& c) {
  SimHalConfig h;
  h.geometry = c.ftl.geometry;
  h.data_mode = c.ftl.data_mode;
  h.rules.bac = c.ftl.bac;
  h.rules.order = c.ftl.program_order;
  h.rules.page_table = c.ftl.page_table;
  h.rules.copybacks = c.ftl.copybacks;
  h.rules.partial_programs = c.ftl.slc_cache.partial_programs;
  h.rules.fold = c.ftl.pass_pages;
  h.rules.queued_programs = c.ftl.die_queue_depth > 1;
  h.dram_bytes = c.dram_bytes;
  h.slots = c.ftl.max_requests;
  h.slot_sectors = c.slot_sectors;
  h.die_queue_depth = c.ftl.die_queue_depth;
  h.independent_reads = c.ftl.independent_reads;
  h.suspend = c.ftl.suspend;
  h.shuffle = c.shuffle;
  h.newest_first = c.newest_first;
  h.programs_last = c.programs_last;
  h.reads_first = c.reads_first;
  h.late_data = c.late_data;
  h.seed = c.seed;
  return h;
}

} // namespace

FtlBench::FtlBench(const FtlBenchConfig& config)
    : config_(config), hal_(std::make_unique<SimHal>(hal_config(config))) {
  mark_blocks();
  hal_->flash().allow_blank_reads(true); // of marks
  error_ = boot(false);
  hal_->flash().allow_blank_reads(config_.reads_first);
  if (error_ == nullptr && config.check_data) shadow_.resize(sectors());
}

void FtlBench::mark_blocks() {
  const Geometry& g = config_.ftl.geometry;
  fw::Random random(config_.seed);
  for (std::uint32_t plane = 0; config_.marked_percent != 0 && plane < g.planes(); ++plane) {
    for (std::uint32_t block = 1; block < g.blocks_per_plane; ++block) {
      if (random.below(100) < config_.marked_percent)
        hal_->flash().mark({plane / g.planes_per_die, plane % g.planes_per_die, block, 0});
    }
  }
}

const char* FtlBench::boot(bool used_cells) {
  fw::FtlConfig ftl = config_.ftl;
  ftl.used_cells = used_cells;
  std::uint32_t entries = 64;
  while (entries < ftl.max_requests * (config_.slot_sectors + 2)) entries *= 2;
  core_ = std::make_unique<fw::FtlCore>();
  hal_->forget_alarms();
  host_ = fw::HostPort();
  host_.boot(*hal_, 0, entries);
  ftl.dram_base = static_cast<std::uint32_t>(fw::HostPort::dram_bytes(entries));
  commands_.assign(ftl.max_requests, Command());
  free_.clear();
  for (std::uint32_t i = ftl.max_requests; i-- > 0;) free_.push_back(static_cast<std::uint16_t>(i));
  const char* const error = core_->boot(*hal_, host_, ftl, *this);
  if (error == nullptr) core_->state.hooks.resume(); // the host is there
  return error;
}

void FtlBench::cut_power_held_up(fw::Random& random) {
  core_->supply_failed();
  host_gone_ = true;
  while (step()) {
  }
  host_gone_ = false;
  cut_power(true, random);
}

void FtlBench::cut_power(bool hold_up, fw::Random& random) {
  hal_->cut_power(hold_up, random);
  record_ = fw::DriveRecord();
  hal_->flash().allow_blank_reads(true);
  error_ = boot(true);
  ASSERT_EQ(error_, nullptr) << error_;
  while (core_->recovering()) { // turns only after interrupts: see FtlBenchConfig::sleepy
    ASSERT_TRUE(hal_->step()) << "recovery is stuck";
    if (hal_->irq_pending()) turn();
  }
  hal_->flash().allow_blank_reads(config_.reads_first);
  // collection had begun, whose pages are looked at in the cells here
  if (programs_a_page()) settle();
  for (std::uint64_t lba = 0; lba < sectors() && !::testing::Test::HasFatalFailure(); ++lba)
    settle_sector(lba);
}

bool FtlBench::programs_a_page() const {
  bool any = false;
  core_->state.pool.for_each(
      [&](const fw::Transaction& t) { any = any || (fw::is_page(t.ppn) && t.writes(t.ppn)); });
  return any;
}

void FtlBench::settle_sector(std::uint64_t lba) {
  Sector& s = shadow_[lba];
  std::size_t oldest = s.versions.size() - 1;
  while (!s.versions[oldest].done || s.versions[oldest].trim) --oldest;
  std::uint64_t value = 0;
  Ppa page;
  std::uint32_t sector = 0;
  const bool lost = hal_->flash().spoilt_lbas().count(lba) != 0; // with the flash, whatever the firmware does
  const bool there = place_sector(lba, page, sector);
  if (there && !(lost && hal_->flash().page(page).spoilt)) {
    ASSERT_FALSE(hal_->flash().page(page).spoilt) << "LBA " << lba << " has lost its page";
    const SectorTag tag = hal_->flash().tag(page, sector);
    value = (hal_->flash().page(page).bad >> sector & 1) != 0 ? kSpoilt : tag.sequence;
    ASSERT_TRUE(value == kSpoilt || value == 0 || tag.lba == lba)
        << "LBA " << lba << " has data of LBA " << tag.lba;
  }
  const std::uint32_t shift = core_->state.sectors_shift;
  const std::uint32_t losses = core_->state.lost.of(static_cast<std::uint32_t>(lba >> shift));
  if ((losses >> (lba & ((1u << shift) - 1)) & 1) != 0) value = kSpoilt;
  bool known = hal_->flash().wordless_lbas().count(lba) != 0;
  known |= value == kSpoilt && (lost || word_was_spoilt(lba) || fw::endangers_pages(config_.ftl));
  known |= value == kSpoilt && failed_writes_ != 0; // given up
  for (std::size_t v = oldest; v < s.versions.size(); ++v) {
    known |= s.versions[v].value == value;
    known |= value == kSpoilt && s.versions[v].value == 0; // zeros have no tag that would tell what was lost
    known |= value == 0 && s.versions[v].value == kSpoilt && s.versions[v].trim; // its page, but not the loss
  }
  ASSERT_TRUE(known) << "LBA " << lba << " holds version " << value << " after the cut, answered was "
                     << s.versions[oldest].value;
  s = Sector();
  s.versions[0].value = value;
}

std::uint64_t FtlBench::sectors() const {
  return std::uint64_t{core_->state.exported_pages} << core_->state.sectors_shift;
}

void FtlBench::write(std::uint64_t lba, std::uint32_t sectors, bool fua) {
  start(fw::RequestKind::write, lba, sectors, fua);
}
void FtlBench::read(std::uint64_t lba, std::uint32_t sectors) {
  start(fw::RequestKind::read, lba, sectors, false);
}
void FtlBench::trim(std::uint64_t lba, std::uint32_t sectors) {
  start(fw::RequestKind::trim, lba, sectors, false);
}
void FtlBench::write_zeroes(std::uint64_t lba, std::uint32_t sectors) {
  start(fw::RequestKind::write_zeroes, lba, sectors, false);
}
void FtlBench::spoil(std::uint64_t lba, std::uint32_t sectors) {
  start(fw::RequestKind::write_uncorrectable, lba, sectors, false);
}
void FtlBench::commit() {
  start(fw::RequestKind::commit, 0, 0, false);
}
void FtlBench::flush() {
  start(fw::RequestKind::flush, 0, 0, false);
}
void FtlBench::shut_down() {
  start(fw::RequestKind::shutdown, 0, 0, false);
}

/// A trim leaves partly covered units of the map alone.
bool FtlBench::changes(const Command& c, std::uint64_t lba) const {
  if (c.request.kind != fw::RequestKind::trim) return c.request.kind != fw::RequestKind::read;
  const std::uint32_t sectors = config_.ftl.geometry.sectors_per_page() / config_.ftl.map_units;
  const std::uint64_t unit = lba / sectors * sectors;
  return unit >= c.request.lba && unit + sectors <= c.request.lba + c.request.sectors;
}

void FtlBench::start(fw::RequestKind kind, std::uint64_t lba, std::uint32_t sectors, bool fua) {
  ASSERT_FALSE(free_.empty());
  const std::uint16_t slot = free_.back();
  free_.pop_back();
  Command& c = commands_[slot];
  c.request = fw::Request();
  c.request.kind = kind;
  c.request.slot = slot;
  c.request.lba = lba;
  c.request.sectors = sectors;
  c.request.force_unit_access = fua;
  c.request.seen_ps = hal_->now_ps();
  c.busy = true;
  ++sequence_;
  if (config_.check_data) fill_data(c);
  core_->host_path.splitter.submit(c.request);
  if (config_.sleepy) turn();
}

void FtlBench::fill_data(const Command& command) {
  auto& c = const_cast<Command&>(command);
  const bool read = c.request.kind == fw::RequestKind::read;
  const bool write = c.request.kind == fw::RequestKind::write;
  const bool spoil = c.request.kind == fw::RequestKind::write_uncorrectable;
  if (c.request.kind == fw::RequestKind::commit) begin_commit(c);
  c.index.assign(c.request.sectors, 0);
  std::uint8_t* const data = hal_->host_data(c.request.slot);
  for (std::uint32_t i = 0; i < c.request.sectors; ++i) {
    Sector& s = shadow_[c.request.lba + i];
    if (read) {
      std::size_t oldest = s.versions.size() - 1;
      while (!s.versions[oldest].done) --oldest;
      c.index[i] = s.first + oldest;
      ++s.readers;
      if (hal_->payload() != 0) std::memset(data + std::size_t{i} * hal_->payload(), 0xEE, hal_->payload());
    } else if (changes(c, c.request.lba + i)) {
      c.index[i] = s.first + s.versions.size();
      const bool may_go = spoil || c.request.kind == fw::RequestKind::trim;
      s.versions.push_back(Version{write ? sequence_ : spoil ? kSpoilt : 0, false, may_go});
      if (!write || hal_->payload() == 0) continue;
      const SectorTag tag{c.request.lba + i, sequence_};
      std::uint8_t* const at = data + std::size_t{i} * hal_->payload();
      std::memset(at, static_cast<int>(sequence_ & 0x7F), hal_->payload());
      std::memcpy(at, &tag, sizeof tag);
    }
  }
}

void FtlBench::begin_foreign(fw::Request& request) {
  foreign_ = &request;
  core_->host_path.splitter.submit(request);
}

void FtlBench::submit_foreign(fw::Request& request) {
  request.slot = free_.back();
  begin_foreign(request);
  while (step()) {
  }
  ASSERT_EQ(foreign_, nullptr) << "never done";
}

const char* FtlBench::precondition(std::uint32_t lpn) {
  std::vector<std::uint8_t> page;
  ++sequence_;
  add_preconditioned(page, lpn, config_.ftl.geometry.sectors_per_page());
  return core_->zero_time.write(lpn, page.data());
}

const char* FtlBench::precondition(const std::vector<std::uint32_t>& units) {
  std::vector<std::uint8_t> page;
  ++sequence_;
  const auto sectors = static_cast<std::uint32_t>(config_.ftl.geometry.sectors_per_page() / units.size());
  for (const std::uint32_t unit : units) add_preconditioned(page, unit, sectors);
  return core_->zero_time.write_packed(units.data(), page.data());
}

/// Appends the data of the `number`th piece of so many sectors of the drive.
void FtlBench::add_preconditioned(std::vector<std::uint8_t>& page, std::uint32_t number,
                                  std::uint32_t sectors) {
  for (std::uint32_t s = 0; s < sectors; ++s) {
    const std::uint64_t lba = std::uint64_t{number} * sectors + s;
    const SectorTag tag{lba, sequence_};
    page.resize(page.size() + hal_->payload());
    if (hal_->payload() != 0) std::memcpy(page.data() + page.size() - hal_->payload(), &tag, sizeof tag);
    shadow_[lba].versions.push_back(Version{sequence_, true});
    prune(shadow_[lba]);
  }
}

namespace {

using Breakdown = fw::LatencyBreakdown;
constexpr std::uint64_t Breakdown::*kParts[] = {&Breakdown::page_buffer_wait,
                                                &Breakdown::write_buffer_wait,
                                                &Breakdown::map,
                                                &Breakdown::die_wait,
                                                &Breakdown::suspend_wait,
                                                &Breakdown::bus_wait,
                                                &Breakdown::bus,
                                                &Breakdown::array,
                                                &Breakdown::ecc,
                                                &Breakdown::retry};
static_assert(sizeof(Breakdown) == 8 * std::size(kParts));

} // namespace

void FtlBench::on_request_done(fw::Request& request) {
  if (&request == foreign_) {
    foreign_ = nullptr;
    return;
  }
  if (request.kind == fw::RequestKind::read || request.kind == fw::RequestKind::write) {
    const int way = request.kind == fw::RequestKind::read ? 0 : 1;
    const fw::LatencyBreakdown& b = request.breakdown;
    ++responses_[way];
    response_ps_[way] += hal_->now_ps() - request.seen_ps;
    for (const auto part : kParts) parts_[way].*part += b.*part;
  }
  host_.complete(request.slot, request.status);
}

void FtlBench::finish(std::uint16_t slot, std::uint16_t status) {
  Command& c = commands_.at(slot);
  ASSERT_TRUE(c.busy) << "completed twice";
  last_status_ = status;
  if (c.request.kind != fw::RequestKind::read && status != nvme::status::success) ++failed_writes_;
  ++done_;
  if (config_.check_data) {
    if (c.request.kind == fw::RequestKind::read) {
      finish_read(c);
    } else if (status == nvme::status::success) { // else the old data may be there, or the new
      finish_write(c);
      finish_commit(c);
    }
  }
  c.busy = false;
  free_.push_back(slot);
}

void FtlBench::finish_write(Command& c) {
  for (std::uint32_t i = 0; i < c.request.sectors; ++i) {
    if (!changes(c, c.request.lba + i)) continue;
    Sector& s = shadow_[c.request.lba + i];
    s.versions[c.index[i] - s.first].done = true;
    prune(s);
  }
}

void FtlBench::begin_commit(Command& c) {
  c.kept.clear();
  for (std::uint64_t lba = 0; lba < shadow_.size(); ++lba) {
    const Sector& s = shadow_[lba];
    for (std::size_t v = 0; v < s.versions.size(); ++v) {
      if (s.versions[v].done && s.versions[v].trim) c.kept.emplace_back(lba, s.first + v);
    }
  }
}

void FtlBench::finish_commit(const Command& c) {
  if (c.request.kind != fw::RequestKind::commit) return;
  for (const auto& [lba, index] : c.kept) {
    Sector& s = shadow_[lba];
    if (index < s.first) continue; // overwritten meanwhile
    s.versions[index - s.first].trim = false;
    prune(s);
  }
}

void FtlBench::finish_read(Command& c) {
  failed_reads_ += c.request.status == nvme::status::success ? 0 : 1;
  const std::uint8_t* const data = hal_->host_data(c.request.slot);
  bool spoilt = false;
  for (std::uint32_t i = 0; i < c.request.sectors; ++i) {
    const std::uint64_t lba = c.request.lba + i;
    Sector& s = shadow_[lba];
    --s.readers;
    for (std::size_t v = c.index[i] - s.first; v < s.versions.size(); ++v)
      spoilt = spoilt || s.versions[v].value == kSpoilt;
    if (hal_->payload() != 0 && c.request.status == nvme::status::success) {
      SectorTag tag;
      std::memcpy(&tag, data + std::size_t{i} * hal_->payload(), sizeof tag);
      bool known = false;
      for (std::size_t v = c.index[i] - s.first; v < s.versions.size(); ++v)
        known |= s.versions[v].value == tag.sequence;
      ASSERT_TRUE(known) << "LBA " << lba << " holds version " << tag.sequence << ", newest is "
                         << s.versions.back().value;
      if (tag.sequence != 0) {
        ASSERT_EQ(tag.lba, lba);
      }
      if (tag.sequence != 0 && hal_->payload() > sizeof tag) {
        ASSERT_EQ(data[std::size_t{i + 1} * hal_->payload() - 1], tag.sequence & 0x7F) << "LBA " << lba;
      }
    }
    prune(s);
  }
  spoilt_reads_ += spoilt && c.request.status != nvme::status::success ? 1 : 0;
}

/// Versions older than the newest completed one can no longer be read, nor found after a power cut unless all
/// that came behind were trims.
void FtlBench::prune(Sector& s) {
  if (s.readers != 0) return;
  std::size_t newest = s.versions.size() - 1;
  while (!s.versions[newest].done || s.versions[newest].trim) --newest;
  // an older write still in flight marks its own version when it completes: keep it
  std::size_t keep = 0;
  while (keep < newest && s.versions[keep].done) ++keep;
  for (; keep != 0; --keep) {
    s.versions.pop_front();
    ++s.first;
  }
}

void FtlBench::turn() {
  if (hal_->take_timer()) hal_->arm_timer();
  for (std::uint64_t irqs = hal_->take_irqs(); irqs != 0; irqs &= irqs - 1) {
    core_->on_flash_irq(fw::lowest_bit(irqs));
  }
  core_->pump();
  host_.kick();
  collect();
}

void FtlBench::collect() {
  if (host_gone_) return;
  for (const SimHal::Completed& c : hal_->take_completed()) finish(c.slot, c.status);
}

bool FtlBench::step() {
  if (!config_.sleepy) turn();
  const bool happened = hal_->step();
  if (!config_.sleepy || hal_->irq_pending()) turn();
  collect();
  return happened;
}

void FtlBench::run_until_interrupt() {
  turn();
  while (!hal_->irq_pending() && hal_->step()) {
  }
  turn();
}

void FtlBench::settle() {
  core_->state.hooks.quiesce();
  if (!core_->state.hooks.idle()) turn(); // what lingers
  while (step()) {
  }
  core_->state.hooks.resume();
  ASSERT_TRUE(core_->idle()) << "the FTL is stuck";
  ASSERT_EQ(free_.size(), commands_.size()) << "a command was never completed";
}

/// The flash has lost a subpage with the sector in it: zeros have no tag that would tell.
bool FtlBench::word_was_spoilt(std::uint64_t lba) const {
  const fw::Units* const units = core_->state.units;
  if (units == nullptr) return false;
  const std::uint64_t unit = lba / units->io.sectors_per_unit();
  const std::set<std::uint64_t>& words = hal_->flash().spoilt_words();
  return std::any_of(words.begin(), words.end(),
                     [&](std::uint64_t w) { return units->io.words().number(w) == unit; });
}

bool FtlBench::place_sector(std::uint64_t lba, Ppa& page, std::uint32_t& sector) {
  const std::uint32_t shift = core_->state.sectors_shift;
  const auto lpn = static_cast<std::uint32_t>(lba >> shift);
  sector = static_cast<std::uint32_t>(lba) & ((1u << shift) - 1);
  const RowLayout& rows = core_->state.blocks.layout();
  const fw::Units* const units = core_->state.units;
  if (units == nullptr) {
    if (!fw::is_page(core_->state.policy.mapping->lookup(lpn))) return false;
    page = place(lpn);
    return true;
  }
  const std::uint32_t each = units->io.sectors_per_unit();
  const fw::Pun pun = units->map.at(lpn, sector / each);
  if (pun == fw::kNoPun) return false;
  page = rows.ppa(core_->state.blocks.in_die(units->map.page_of(pun)));
  sector = units->map.slot_of(pun) * each + sector % each;
  return true;
}

Ppa FtlBench::place(std::uint32_t lpn) {
  const fw::BlockTable& blocks = core_->state.blocks;
  return blocks.layout().ppa(blocks.in_die(core_->state.policy.mapping->lookup(lpn)));
}

} // namespace twinplane::test
