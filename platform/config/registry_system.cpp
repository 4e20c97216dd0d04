// Parameters of host, firmware, workload and run.
#include "firmware/ftl/die_load.h"
#include "platform/config/names.h"
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

namespace {

constexpr std::array kHostModes = {entry("auto", HostMode::automatic), entry("open", HostMode::open),
                                   entry("closed", HostMode::closed)};
constexpr std::array kWaveLevels = {entry("phases", WaveLevel::phases), entry("pins", WaveLevel::pins)};
constexpr std::array kQueueArbitrations = {entry("round_robin", QueueArbitration::round_robin),
                                           entry("weighted", QueueArbitration::weighted)};
constexpr std::array kRemaps = {entry("modulo", Remap::modulo), entry("error", Remap::error)};
constexpr std::array kPairings = {entry("off", fw::Pairing::off), entry("next", fw::Pairing::next),
                                  entry("any", fw::Pairing::any)};
constexpr std::array kProgramUnits = {entry("plane", fw::ProgramUnit::plane),
                                      entry("die", fw::ProgramUnit::die)};
constexpr std::array kEraseUnits = {entry("block", fw::EraseUnit::block), entry("die", fw::EraseUnit::die),
                                    entry("chip", fw::EraseUnit::chip),
                                    entry("channel", fw::EraseUnit::channel),
                                    entry("drive", fw::EraseUnit::drive)};
constexpr std::array kFrontiers = {entry("shared", fw::Frontier::shared),
                                   entry("separate", fw::Frontier::separate)};
constexpr std::array kCopybacks = {entry("never", CopybackPolicy::never),
                                   entry("checked", CopybackPolicy::checked),
                                   entry("unchecked", CopybackPolicy::unchecked)};
constexpr std::array kGcMoves = {entry("single", fw::GcMoves::single), entry("multi", fw::GcMoves::multi)};
constexpr std::array kTbmGcs = {entry("paper", fw::TbmGc::paper), entry("simulator", fw::TbmGc::simulator)};
constexpr std::array kWriteAcks = {entry("programmed", fw::WriteAck::programmed),
                                   entry("buffered", fw::WriteAck::buffered)};
constexpr std::array kLowerPages = {entry("none", fw::LowerPageProtection::none),
                                    entry("backup", fw::LowerPageProtection::backup),
                                    entry("wordline", fw::LowerPageProtection::wordline)};
constexpr std::array kPreconditions = {
    entry("none", PreconditionMode::none), entry("fill", PreconditionMode::fill),
    entry("aged", PreconditionMode::aged), entry("trace", PreconditionMode::trace)};
constexpr std::array kPlanePhases = {entry("auto", PlanePhase::automatic), entry("equal", PlanePhase::equal),
                                     entry("random", PlanePhase::random)};
constexpr std::array kDataModes = {entry("none", DataMode::none), entry("tag", DataMode::tag),
                                   entry("full", DataMode::full)};
constexpr std::array kRateProcesses = {entry("linear", RateProcess::linear),
                                       entry("poisson", RateProcess::poisson)};

const Type kAnyCount = count(0, kUnlimited);
const Type kAnySize = limited(Kind::size, 0, kUnlimited);

void add_host(Rows& rows) {
  using H = HostKeys;
  constexpr auto h = &Config::host;
  rows.insert(
      rows.end(),
      {
          {"host.mode", word(kHostModes),
           "open: requests start at their own times; closed: iodepth requests are kept outstanding; auto: "
           "open for "
           "traces and profiles with times and for workload.rate_iops, else closed",
           at<h, &H::mode>},
          {"host.iodepth", count(1, 65535), "outstanding requests in closed mode", at<h, &H::iodepth>},
          {"host.queues", count(1, 64), "I/O queue pairs", at<h, &H::queues>},
          {"host.queue_size", count(2, 65536), "entries of each I/O queue; one less can be used",
           at<h, &H::queue_size>},
          {"host.arbitration", word(kQueueArbitrations), "NVMe arbitration between the queues",
           at<h, &H::arbitration>},
          {"host.rounds", count(1, 1'000'000),
           "times the trace or workload is replayed; a trace repeats its requests, a workload draws new ones",
           at<h, &H::rounds>},
          {"host.drive_writes", limited(Kind::real, 0, 1e6),
           "replay whole rounds until writes reach that many times the capacity; 0 = host.rounds",
           at<h, &H::drive_writes>},
          {"host.repeat_rounds", boolean(),
           "a workload repeats the requests of its first round in each of the others, in the same order",
           at<h, &H::repeat_rounds>},
          {"host.report_round", kAnyCount,
           "requests that are reported as one round; 0 = the rounds of the trace or workload",
           at<h, &H::report_round>},
          {"host.time_scale", limited(Kind::real, 1e-9, 1e9),
           "arrival times are multiplied by this in open mode", at<h, &H::time_scale>},
          {"host.remap", word(kRemaps),
           "addresses beyond the drive: folded by modulo, or an error that names the record",
           at<h, &H::remap>},
          {"host.max_transfer", limited(Kind::size, 4096, 1 << 21),
           "largest NVMe command (MDTS); larger requests are split", at<h, &H::max_transfer>},
          {"host.slots", count(2, 65535),
           "commands the controller holds at a time, I/O completions that wait for room in their queue among "
           "them; "
           "asynchronous event requests hold one each",
           at<h, &H::slots>},
          {"host.shadow_doorbells", boolean(),
           "the controller offers Doorbell Buffer Config, and its host keeps the doorbells of I/O queues in "
           "its "
           "memory; serve --vfio-user does where nothing else is said",
           at<h, &H::shadow_doorbells>},
          {"host.max_requests", kAnyCount, "stop after that many requests; 0 = all", at<h, &H::max_requests>},
      });
}

void add_ftl_decisions(Rows& rows) {
  using F = FtlKeys;
  constexpr auto f = &Config::ftl;
  rows.insert(
      rows.end(),
      {
          {"ftl.policy", name(names::policies), "preset of the other ftl keys; each can be overridden",
           at<f, &F::policy>},
          {"ftl.classifier", name(names::classifiers, names::is_classifier),
           "which page type a request wants: PA-SSD's schemes, two of them as X+Y (Y decides what X leaves "
           "open), PAPA's classifiers, hot_size, hot_frequency, or none",
           at<f, &F::classifier>},
          {"ftl.small_request", count(1, 65535), "SBS, size: requests of up to that many pages are small",
           at<f, &F::small_request>},
          {"ftl.queue_threshold", count(0, 65535),
           "QDS: longer queues get fast pages; the entering request counts", at<f, &F::queue_threshold>},
          {"ftl.plane_allocation", name(names::plane_allocations, names::is_plane_allocation),
           "static levels in stripe order, any subset of C channel, W chip, D die, P plane; the rest "
           "dynamic; F = all dynamic; 2 = plane first",
           at<f, &F::plane_allocation>},
          {"ftl.block_allocation", name(names::block_allocations), "block and page inside the plane",
           at<f, &F::block_allocation>},
          {"ftl.slc_mode", boolean(),
           "all blocks in SLC mode: a page per wordline, with the times of nand.slc; the capacity shrinks by "
           "the bits per cell",
           at<f, &F::slc_mode>},
          {"ftl.mapping", name(names::mappings), "where the map of pages is kept", at<f, &F::mapping>},
          {"ftl.map_unit", limited(Kind::page_or_size, 512, 1 << 15),
           "what the map names: whole pages, or units of that size, of which any page takes any, those of "
           "several "
           "writes and moves among them; a power of two that divides geometry.page_size",
           at<f, &F::map_unit>},
          {"ftl.victim", name(names::victims), "which block to reclaim", at<f, &F::victim>},
          {"ftl.victim_d", count(1, 64), "rga: blocks drawn for each choice", at<f, &F::victim_d>},
          {"ftl.relocation", name(names::relocations), "where valid pages of a victim go",
           at<f, &F::relocation>},
          {"ftl.scheduling", name(names::schedulings), "which flash transaction next, which together",
           at<f, &F::scheduling>},
          {"ftl.die_queue_depth", count(1, fw::kMostDieQueueDepth),
           "commands of all planes that a die's flash controller may hold, the running one included",
           at<f, &F::die_queue_depth>},
          {"ftl.page_buffers", count(0, 65536),
           "buffers of pages on their way between host and flash, one each; at least 64; 0 = four per "
           "command "
           "of host.slots and eight per plane, 1024 to 65536",
           at<f, &F::page_buffers>},
          {"ftl.program_unit", word(kProgramUnits),
           "what writes wait for each other to fill: plane = a page of ftl.map_unit, or a wordline with "
           "nand.one_pass; die = the same of all planes, where ftl.plane_allocation does not name the plane",
           at<f, &F::program_unit>},
          {"ftl.erase_unit", word(kEraseUnits),
           "what is opened, filled, collected and erased together: block = each block by itself; die = the "
           "blocks of equal number in all planes of a die, which so stay level (a superblock); chip, "
           "channel, drive = one such unit of each of its dies; twin, pa-twin: always die",
           at<f, &F::erase_unit>},
          {"ftl.pack_timeout", time(0, ms(1000)),
           "ftl.map_unit, nand.one_pass without a cache, or ftl.program_unit = die: writes wait so long for "
           "others of what they fill, while any are under way",
           at<f, &F::pack_timeout>},
          {"ftl.age_limit", time(0, ms(1000)),
           "read_first, paced, paq: what has waited for its die for longer goes first, the oldest before the "
           "rest; 0 = no limit",
           at<f, &F::age_limit>},
          {"ftl.pair", word(kPairings),
           "planes of a die that host programs may use together: off = not with F, which then goes for idle "
           "dies alone; next = the following plane only; any = whichever has an equal free page",
           at<f, &F::pair>},
          {"ftl.frontier", word(kFrontiers), "host and relocated data share one open block or not",
           at<f, &F::frontier>},
          {"ftl.host_streams", count(1, 2),
           "1 = all pages of the host go to the same open block of a plane, or unit; 2 = those that "
           "ftl.classifier calls hot (that want the fastest page type) to one of their own",
           at<f, &F::host_streams>},
          {"ftl.gc_moves", word(kGcMoves), "relocation reads and programs one plane or several at a time",
           at<f, &F::gc_moves>},
          {"ftl.copyback", word(kCopybacks),
           "how the collector moves a page inside its plane: through the controller (never); by copyback, "
           "which leaves the data in the die and lets its errors add up, except of every n-th move in a row "
           "(checked, n = ftl.copyback_limit + 1); by copyback always (unchecked)",
           at<f, &F::copyback>},
          {"ftl.copyback_limit", count(1, kAnyCopybacks - 1),
           "checked: moves of a page by copyback in a row; at most nand.copybacks",
           at<f, &F::copyback_limit>},
          {"ftl.tbm_gc", word(kTbmGcs),
           "twin blocks: pages of one index stay together (paper), or pages stay in their plane while "
           "all planes advance alike and the dies of a chip collect together (the authors' simulator)",
           at<f, &F::tbm_gc>},
      });
}

void add_ftl_space(Rows& rows) {
  using F = FtlKeys;
  constexpr auto f = &Config::ftl;
  rows.insert(
      rows.end(),
      {
          {"ftl.over_provisioning", share(0.01, 0.95), "share of the raw capacity kept from the host",
           at<f, &F::over_provisioning>},
          {"ftl.wear_gap", count(0, 1'000'000),
           "static wear levelling: a block (of twins: a unit) that has been erased so many times less often "
           "than the most worn one of its plane, and of its region there, is collected next; 0: none, as "
           "with the default where ftl.regions brings its own (combo_logs, slc_cache, mga, ipu, pslc)",
           at<f, &F::wear_gap>},
          {"ftl.checkpoint_interval", count(0, 1'000'000'000),
           "pages programmed between two checkpoints of map and block table, which a recovery goes on from; "
           "also written when the host shuts the drive down; 0: none",
           at<f, &F::checkpoint_interval>},
          {"ftl.lower_pages", word(kLowerPages),
           "without power.hold_up, of cells of several bits: lower pages, which an upper page's program "
           "ruins when "
           "the supply fails, are written twice before they are answered, the copy in SLC mode; or are "
           "answered when their wordline is complete, which may take padding; or nothing is done",
           at<f, &F::lower_pages>},
          {"ftl.gc_threshold", limited(Kind::blocks_or_share, 2, 65533),
           "reclaim in a plane with fewer free blocks than this (number or share of its blocks)",
           at<f, &F::gc_threshold>},
          {"ftl.write_buffer", limited(Kind::pages_or_bytes, 0, 1 << 24), "DRAM write buffer; 0 = none",
           at<f, &F::write_buffer>},
          {"ftl.write_ack", word(kWriteAcks), "a write is done when programmed or when buffered",
           at<f, &F::write_ack>},
          {"precondition.mode", word(kPreconditions),
           "state before the run: empty, filled with valid data, aged as SSDSim does (invalid pages), or "
           "holding the pages that the trace reads before it writes them",
           at<&Config::precondition, &PreconditionKeys::mode>},
          {"precondition.fill", share(0, 1),
           "share that is filled: of the exported capacity (fill) or of each plane (aged)",
           at<&Config::precondition, &PreconditionKeys::fill>},
          {"precondition.overwrite", share(0, 100),
           "random overwrites of filled data, page by page or by units of ftl.map_unit, as a share of the "
           "exported capacity",
           at<&Config::precondition, &PreconditionKeys::overwrite>},
          {"precondition.valid", share(0, 1),
           "aged: share of the exported capacity, from address 0, that is written first and stays valid",
           at<&Config::precondition, &PreconditionKeys::valid>},
          {"precondition.phase", word(kPlanePhases),
           "planes start at the same page of a block (equal), or each at a random one (random: up to a block "
           "of "
           "invalid pages), so that they are not all collected at once; auto = random for units of a die or "
           "more "
           "(ftl.erase_unit), whose planes stay level all the same, unless precondition.mode = none; else "
           "equal",
           at<&Config::precondition, &PreconditionKeys::phase>},
          {"data.mode", word(kDataModes),
           "what travels with a sector: nothing, a 16-byte tag that is verified, all bytes",
           at<&Config::data>},
      });
}

void add_workload(Rows& rows) {
  using W = WorkloadKeys;
  constexpr auto w = &Config::workload;
  rows.insert(
      rows.end(),
      {
          {"workload.rw", name(names::access_patterns), "pattern, in fio's words", at<w, &W::rw>},
          {"workload.bs", limited(Kind::size, 512, 1 << 25), "request size", at<w, &W::bs>},
          {"workload.bssplit", text(), "mix of sizes as in fio: \"4k/60:64k/40\", reads and writes by comma",
           at<w, &W::bssplit>},
          {"workload.iodepth", count(1, 65535), "same as host.iodepth",
           at<&Config::host, &HostKeys::iodepth>},
          {"workload.rwmixread", count(0, 100), "percentage of reads in rw and randrw", at<w, &W::rwmixread>},
          {"workload.rwmixtrim", count(0, 100),
           "percentage of trims in what rw and randrw do not read, the rest is written",
           at<w, &W::rwmixtrim>},
          {"workload.random_distribution", text(),
           "random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:ACCESS/SIZE:..., "
           "sized:BYTES/SIZE[/THETA]:... "
           "(each size of request its own part of the space, zipf in it with THETA; what is left is not "
           "used)",
           at<w, &W::random_distribution>},
          {"workload.percentage_random", count(0, 100), "percentage of random offsets in random patterns",
           at<w, &W::percentage_random>},
          {"workload.randommap", boolean(), "every block once per pass, in random order",
           at<w, &W::randommap>},
          {"workload.blockalign", kAnySize, "random offsets are multiples of this; 0 = smallest request size",
           at<w, &W::blockalign>},
          {"workload.rate_iops", count(0, 1'000'000'000), "requests per second (open mode); 0 = no rate",
           at<w, &W::rate_iops>},
          {"workload.rate_process", word(kRateProcesses), "arrivals at equal distances or Poisson",
           at<w, &W::rate_process>},
          {"workload.thinktime", time(0, ms(1000) * 3600),
           "pause after every thinktime_blocks requests: open mode, between arrivals; closed mode, when all "
           "are done",
           at<w, &W::thinktime>},
          {"workload.thinktime_blocks", count(1, kUnlimited), "requests between two pauses",
           at<w, &W::thinktime_blocks>},
          {"workload.fsync", kAnyCount, "a flush after that many writes; 0 = none", at<w, &W::fsync>},
          {"workload.number_ios", kAnyCount, "requests of one round", at<w, &W::number_ios>},
          {"workload.size", kAnySize, "bytes of the drive that are used; 0 = all", at<w, &W::size>},
          {"workload.offset", kAnySize, "first byte that is used", at<w, &W::offset>},
          {"workload.seed", kAnyCount, "seed of the workload's random numbers", at<w, &W::seed>},
          {"workload.time_based", boolean(), "run for runtime instead of number_ios", at<w, &W::time_based>,
           true},
          {"workload.runtime", time(0, ms(1000) * 3600 * 24), "simulated time with time_based",
           at<w, &W::runtime>, true},
          {"workload.ramp_ios", kAnyCount,
           "requests, of a trace too, until whose end nothing counts in the results of host and FTL",
           at<w, &W::ramp_ios>},
      });
}

void add_run(Rows& rows) {
  constexpr auto w = &Config::waves;
  constexpr auto r = &Config::run;
  rows.insert(
      rows.end(),
      {
          {"waves.vcd", boolean(), "write waves.vcd and its GTKWave files", at<w, &WavesKeys::vcd>},
          {"waves.fst", boolean(), "write waves.fst, the same in a smaller file, and its GTKWave files",
           at<w, &WavesKeys::fst>},
          {"waves.perfetto", boolean(), "write waves.json for ui.perfetto.dev", at<w, &WavesKeys::perfetto>},
          {"waves.level", word(kWaveLevels),
           "bus phases only, or every cycle of every pin too (needs waves.to)", at<w, &WavesKeys::level>},
          {"waves.scope", text(), "only signals below this scope, e.g. \"ssd.ch0\"; empty = all",
           at<w, &WavesKeys::scope>},
          {"waves.from", time(0, ms(1000) * 86400), "first simulated time recorded", at<w, &WavesKeys::from>},
          {"waves.to", time(0, ms(1000) * 86400), "last simulated time recorded; 0 = end of the run",
           at<w, &WavesKeys::to>},
          {"report.interval", time(us(1), ms(1000) * 3600), "simulated time of one row of timeline.csv",
           at<&Config::report, &ReportKeys::interval>},
          {"report.requests", boolean(), "write every request to requests.csv.zst",
           at<&Config::report, &ReportKeys::requests>},
          {"report.energy", boolean(), "report the drive's energy and power (section energy)",
           at<&Config::report, &ReportKeys::energy>},
          {"report.plane_time", boolean(), "report which cause had each picosecond of each plane",
           at<&Config::report, &ReportKeys::plane_time>},
          {"report.profile", boolean(),
           "of an image (cpu.firmware): report where the core's time went, and write profile.folded",
           at<&Config::report, &ReportKeys::profile>},
          {"run.seed", kAnyCount, "seed of everything random in the device and preconditioning",
           at<r, &RunKeys::seed>},
          {"run.progress", boolean(), "show progress on standard error", at<r, &RunKeys::progress>},
          {"run.strict", boolean(), "a refused flash command ends the run", at<r, &RunKeys::strict>},
          {"run.timeout", time(us(1), ms(1000) * 3600),
           "a block of the drive that keeps others waiting for longer than this ends the run",
           at<r, &RunKeys::timeout>},
          {"run.check_turns", kAnyCount,
           "turns of the firmware between two checks of its tables (map, valid pages, blocks, locks); what "
           "does not agree ends the run; 0 = never",
           at<r, &RunKeys::check_turns>},
      });
}

} // namespace

void add_system_rows(Rows& rows) {
  add_host(rows);
  add_ftl_decisions(rows);
  add_region_rows(rows);
  add_ftl_space(rows);
  add_broms_rows(rows);
  add_slc_cache_rows(rows);
  add_feature_rows(rows);
  add_workload(rows);
  add_energy_rows(rows);
  add_power_rows(rows);
  add_run(rows);
}

} // namespace twinplane::platform::rows
