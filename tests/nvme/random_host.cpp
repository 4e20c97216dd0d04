// RandomHost: the life of the controller, from enable to reset.
#include "tests/nvme/random_host.h"

namespace twinplane::test {

namespace bar0 = nvme::bar;

namespace {
constexpr std::uint32_t kOff = DriveHost::kCc;
constexpr std::uint32_t kOn = DriveHost::kCc | nvme::cc::en;
} // namespace

RandomHost::RandomHost(const sc_core::sc_module_name& name, const RandomHostOptions& options)
    : DriveHost(name, kPages),
      options_(options),
      draw_(options.seed),
      pool_(memory, kFirstDataPage),
      prps_(memory, pool_, draw_),
      shadow_(4096) {
  memory.on_write = [this](std::uint64_t address, std::uint32_t bytes) { on_write(address, bytes); };
  memory.on_message = [this](std::uint32_t offset, std::uint32_t data) { on_message(offset, data); };
  SC_HAS_PROCESS(RandomHost);
  SC_THREAD(run);
}

void RandomHost::note(const std::string& text) {
  const std::string line = "[" + std::to_string(now() / 1000) + " ns] " + text;
  if (options_.verbose) std::puts(line.c_str());
  log_.push_back(line);
  if (log_.size() > 60) log_.pop_front();
}

void RandomHost::run() {
  try {
    while (counts_.commands < options_.commands) episode();
    finished_ = true;
  } catch (const Finding& found) {
    finding_ = found.text;
  }
  counts_.sectors = shadow_.checked();
  sc_core::sc_stop();
}

void RandomHost::episode() {
  bring_up();
  load(draw_.from(1, draw_.chance(50) ? 100 : 1500));
  if (!options_.loaded_resets || draw_.chance(30)) quiesce();
  switch (draw_.below(8)) {
    case 0:
      shut_down();
      break;
    case 1:
      toggle();
      break;
    default:
      break;
  }
  reset();
}

// --- up ---

void RandomHost::bring_up() {
  while (draw_.one_in(6)) fail_to_enable();
  change_memory();
  if (draw_.chance(50)) pass(us(draw_.below(50)));
  msix_ = draw_.chance(65);
  set_vectors(options_.queues + 1, draw_.one_in(5));
  write(bar0::msix_control, msix_ ? 0x8000 : 0);
  const std::uint32_t entries = draw_.from(2, draw_.chance(50) ? 8 : 120);
  note("enable with " + std::to_string(entries) + " entries");
  off_ = false;
  enable(entries, draw_.chance(40) ? 1u << 11 : 0);
  if (!wait_status(~0u, nvme::csts::rdy, kPatience, us(draw_.from(1, 20))))
    fail("the drive is not ready after 5 s");
  if (!drawing_) identify();
  const bool buffers = options_.shadow_doorbells && draw_.chance(70);
  const bool early = draw_.one_in(2); // before there are queues
  if (buffers && early) give_doorbell_buffers();
  make_queues();
  if (buffers && !early) give_doorbell_buffers();
}

/// The pages hold whatever they held before.
void RandomHost::give_doorbell_buffers() {
  const int status = execute_admin(doorbell_buffers(), "doorbell buffer config");
  if (status != 0) fail("doorbell buffer config ends with " + std::to_string(status));
  use_doorbell_buffers();
}

/// Settings that the drive cannot have.
void RandomHost::fail_to_enable() {
  struct Bad {
    std::uint32_t cc, aqa;
  };
  static constexpr Bad kBad[] = {{kOn | 1u << 7, 0xF000F},
                                 {kOn | 6u << 4, 0xF000F},
                                 {kOn | 7u << 11, 0xF000F},
                                 {kOn ^ 1u << 16, 0xF000F},
                                 {kOn, 0xF},
                                 {kOn, 0xF0000}};
  const Bad& bad = kBad[draw_.below(std::size(kBad))];
  write(bar0::aqa, bad.aqa);
  write(bar0::asq, static_cast<std::uint32_t>(queue_base(0)));
  write(bar0::acq, static_cast<std::uint32_t>(queue_base(0) + kCqOffset));
  note("enable badly");
  write(bar0::cc, bad.cc);
  if (draw_.chance(50)) pass(ns(draw_.below(draw_.pick({10u, 1000u, 100000u})) + 1));
  if (draw_.chance(50) && read(bar0::csts) != nvme::csts::cfs) fail("a bad enable is not a fatal status");
  write(bar0::cc, kOff);
  if (draw_.chance(50)) return; // the next enable comes at once
  const std::uint32_t status = read(bar0::csts);
  if (status != 0) fail("CSTS is " + std::to_string(status) + " after a bad enable and a reset");
}

void RandomHost::identify() {
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::identify;
  sqe.prp1 = kFirstDataPage * HostMemory::kPage;
  sqe.nsid = 1;
  DriveLimits limits;
  if (execute(0, sqe) != 0) fail("identify namespace fails");
  limits.sectors = memory.load<std::uint64_t>(sqe.prp1);
  limits.trim_unit = memory.load<std::uint16_t>(sqe.prp1 + 68) + 1u; // NPDG
  limits.sector_bytes = 1u << memory.load<std::uint8_t>(sqe.prp1 + 130);
  sqe.cdw10 = 1;
  if (execute(0, sqe) != 0) fail("identify controller fails");
  limits.max_transfer = 4096u << memory.load<std::uint8_t>(sqe.prp1 + 77);
  limits.sanitizes = (memory.load<std::uint32_t>(sqe.prp1 + 328) & 2) != 0;
  sanitizes_ = limits.sanitizes;
  limits.shadow_doorbells = options_.shadow_doorbells;
  limits.queues = options_.queues;
  limits.volatile_cache = options_.volatile_cache;
  limits.hot_sectors = draw_.pick<std::uint64_t>({16, 96, 400, 4000});
  limits.broken_data = options_.broken_data;
  sector_bytes_ = limits.sector_bytes;
  shadow_ = SectorShadow(sector_bytes_);
  drawing_.emplace(draw_, memory, prps_, shadow_, limits);
}

void RandomHost::make_queues() {
  const std::uint32_t wanted = draw_.from(1, options_.queues);
  for (std::uint16_t id = 1; id <= wanted; ++id) {
    if (id > 1 && draw_.chance(20)) continue;
    const std::uint32_t entries = std::min(options_.queue_entries, draw_.from(2, draw_.chance(40) ? 8 : 200));
    const auto vector = static_cast<std::uint16_t>(draw_.below(options_.queues + 1));
    const nvme::Sqe sqe = create_cq(id, entries, vector, draw_.chance(80));
    if (execute_admin(sqe, "create CQ") != 0) fail("create CQ fails: " + std::to_string(last_status_));
  }
  for (std::uint16_t id = 1; id <= wanted; ++id) make_sq(id);
}

void RandomHost::make_sq(std::uint16_t id) {
  std::uint16_t cqid = id;
  while (!cq[cqid].live || (cqid == id && draw_.one_in(8))) {
    cqid = static_cast<std::uint16_t>(draw_.from(1, options_.queues));
  }
  const std::uint32_t entries = std::min(options_.queue_entries, draw_.from(2, draw_.chance(40) ? 8 : 200));
  const nvme::Sqe sqe = create_sq(id, entries, cqid, draw_.below(4));
  sq[id].live = false; // not to be used before it exists
  if (execute_admin(sqe, "create SQ") != 0) fail("create SQ fails: " + std::to_string(last_status_));
  sq[id].live = true;
}

// --- down ---

void RandomHost::reset() {
  note("reset with " + std::to_string(outstanding_.size()) + " commands");
  write(bar0::cc, kOff);
  if (!wait_status(~0u, 0, kPatience, us(draw_.from(1, 20)))) {
    fail("CSTS is " + std::to_string(read(bar0::csts)) + " 5 s after a reset");
  }
  poll(false); // what was posted before counts
  off_ = true;
  ++counts_.resets;
  drop(0, true);
  for (Sq& queue : sq) queue.live = false;
  for (Cq& queue : cq) queue.live = false;
  if (draw_.chance(50)) pass(us(draw_.below(50)));
}

/// The host never hears of these commands again.
void RandomHost::drop(std::uint32_t sqid, bool all) {
  for (auto at = outstanding_.begin(); at != outstanding_.end();) {
    Drawn& drawn = at->second;
    if (!all && drawn.sqid != sqid) {
      ++at;
      continue;
    }
    ++counts_.dropped;
    for (std::uint32_t i = 0; i < drawn.sectors && drawn.effect != Effect::read; ++i) {
      const bool lost =
          drawn.effect == Effect::write && !drawn.data.reachable(i * sector_bytes_, sector_bytes_);
      if (lost) shadow_.untouched(drawn.lba + i, drawn.version);
      if (!lost && drawn.version != 0) shadow_.unclear(drawn.lba + i, drawn.version, now());
    }
    for (const std::uint64_t lba : drawn.trimmed) shadow_.unclear(lba, drawn.version, now());
    prps_.release(drawn.data);
    at = outstanding_.erase(at);
  }
}

/// Section 7.6.2: with commands in flight or not; awaited or not.
void RandomHost::shut_down() {
  note("shutdown");
  write(bar0::cc, kOn | draw_.from(1, 2) << 14);
  if (draw_.chance(50)) {
    pass(ns(draw_.below(draw_.pick({100u, 10000u, 1000000u})) + 1));
    return;
  }
  if (!wait_status(nvme::csts::shst_complete, nvme::csts::shst_complete, kPatience))
    fail("shutdown takes 5 s");
}

/// EN to and fro, faster than the drive can follow. It is 0 at last.
void RandomHost::toggle() {
  note("toggle");
  for (std::uint32_t i = draw_.from(1, 4); i-- != 0;) {
    write(bar0::cc, kOff);
    if (draw_.chance(30)) pass(ns(draw_.below(draw_.pick({100u, 3000u, 100000u})) + 1));
    write(bar0::cc, draw_.one_in(5) ? kOn | 1u << 7 : kOn);
    if (draw_.chance(30)) pass(ns(draw_.below(draw_.pick({100u, 3000u, 100000u})) + 1));
  }
  write(bar0::cc, kOff);
  poll(false); // entries posted before the first reset; the queues are not told
}

/// Behind the last entry that is waited for. Event requests beyond the limit are answered as well, each some
/// round trips of the link behind the one before.
void RandomHost::settle_pin() {
  constexpr int kMostRounds = 16;
  for (int round = 0; round == 0 || (round != kMostRounds && intx.read()); ++round) {
    pass(us(100));
    poll(true);
    pass(us(100));
  }
}

/// Waits until only event requests are outstanding, then looks at what must hold in a drive at rest.
void RandomHost::quiesce() {
  note("quiesce with " + std::to_string(outstanding_.size()) + " commands");
  for (std::uint16_t id = 0; id <= options_.queues; ++id) {
    if (sq[id].live) ring(id);
  }
  const TimePs end = now() + kPatience;
  while (waiting() != 0) {
    poll(true);
    if (now() > end) {
      for (const auto& [id, drawn] : outstanding_) {
        if (!drawn.for_ever)
          fail("no completion of " + std::string(drawn.what) + " in SQ " + std::to_string(drawn.sqid) +
               ", cid " + std::to_string(id & 0xFFFF) + ", " + std::to_string(waiting()) +
               " in all; CSTS is " + std::to_string(read(bar0::csts)));
      }
    }
    pass(us(draw_.from(1, 30)));
  }
  settle_pin();
  check_pin();
  if (read(bar0::csts) != nvme::csts::rdy) fail("CSTS is " + std::to_string(read(bar0::csts)) + " at rest");
}

} // namespace twinplane::test
