#include "platform/pci_client/load.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>

#include "platform/config/error.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"

namespace twinplane::platform {
namespace {

std::uint64_t now_ns() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

/// The step of a generator that gives all 64-bit numbers (Vigna, splitmix64).
std::uint64_t mixed(std::uint64_t& state) {
  state += 0x9E37'79B9'7F4A'7C15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
  return z ^ (z >> 31);
}

} // namespace

Load::Load(NvmeDriver& driver, std::uint32_t depth, bool verify)
    : driver_(driver), depth_(depth), verify_(verify), commands_(depth), expected_(driver.sector_size()) {
  versions_.resize(driver.sectors());
  for (std::uint32_t tag = depth; tag-- > 0;) idle_.push_back(tag);
}

void Load::expect_written(std::uint64_t lba, std::uint64_t sectors) {
  for (std::uint64_t i = lba; i < std::min<std::uint64_t>(lba + sectors, versions_.size()); ++i)
    versions_[i] = 1;
}

LoadResult Load::run(IoSource& source) {
  const std::uint64_t begin = now_ns();
  IoRecord record;
  bool have = source.next(record);
  while (have || idle_.size() != depth_) {
    while (have && !idle_.empty() && !overlaps(record)) {
      const std::uint32_t tag = idle_.back();
      idle_.pop_back();
      start(tag, record);
      have = source.next(record);
    }
    driver_.ring();
    driver_.reap([this](const NvmeDriver::Completion& c) { finish(c.tag, c.status); });
  }
  result_.seconds = static_cast<double>(now_ns() - begin) / 1e9;
  if (latencies_ns_.empty()) return result_;
  const double sum = std::accumulate(latencies_ns_.begin(), latencies_ns_.end(), 0.0);
  result_.latency_mean_us = sum / static_cast<double>(latencies_ns_.size()) / 1e3;
  const std::size_t rank = latencies_ns_.size() * 99 / 100;
  std::nth_element(latencies_ns_.begin(), latencies_ns_.begin() + static_cast<std::ptrdiff_t>(rank),
                   latencies_ns_.end());
  result_.latency_p99_us = latencies_ns_[rank] / 1e3;
  return result_;
}

bool Load::overlaps(const IoRecord& record) const {
  if (!verify_ || record.op == IoOp::flush) return false;
  return std::any_of(commands_.begin(), commands_.end(), [&record](const Command& c) {
    return c.busy && c.record.op != IoOp::flush && c.record.offset < record.offset + record.length &&
           record.offset < c.record.offset + c.record.length;
  });
}

nvme::Sqe Load::entry_of(std::uint32_t tag, const IoRecord& record) {
  nvme::Sqe sqe;
  const std::uint64_t lba = record.offset / driver_.sector_size();
  const std::uint32_t sectors = record.length / driver_.sector_size();
  if (record.op == IoOp::flush) {
    sqe.opcode = nvme::io::flush;
  } else if (record.op == IoOp::trim) {
    sqe.opcode = nvme::io::dataset_management;
    sqe.cdw11 = 1 << 2;
    nvme::DsmRange range;
    range.blocks = sectors;
    range.slba = lba;
    std::memcpy(driver_.buffer(tag), &range, sizeof range);
  } else {
    sqe.opcode = record.op == IoOp::read ? nvme::io::read : nvme::io::write;
    sqe.cdw10 = static_cast<std::uint32_t>(lba);
    sqe.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    sqe.cdw12 = sectors - 1;
  }
  return sqe;
}

void Load::start(std::uint32_t tag, const IoRecord& record) {
  const std::uint32_t sector = driver_.sector_size();
  if (record.length > driver_.largest() || record.offset % sector != 0 || record.length % sector != 0) {
    throw InputError("workload.bs: a request of " + std::to_string(record.length) + " bytes at " +
                     std::to_string(record.offset) + ": expected whole sectors of " + std::to_string(sector) +
                     " bytes, at most " + std::to_string(driver_.largest()) + " bytes");
  }
  commands_[tag] = {record, now_ns(), true};
  const std::uint64_t lba = record.offset / sector;
  const std::uint64_t sectors = record.length / sector;
  for (std::uint64_t i = 0; i < sectors && record.op == IoOp::write; ++i)
    fill(driver_.buffer(tag) + i * sector, lba + i, ++versions_[lba + i]);
  for (std::uint64_t i = 0; i < sectors && record.op == IoOp::trim; ++i) versions_[lba + i] = 0;
  if (journal_ != nullptr && record.op == IoOp::trim)
    throw InputError("workload.rwmixtrim: expected 0 with --journal, a trimmed sector may hold anything");
  if (journal_ != nullptr && record.op == IoOp::write) journal_->begin(lba, sectors);
  const bool data = record.op != IoOp::flush;
  const std::uint32_t bytes = record.op == IoOp::trim ? 16 : record.length;
  driver_.submit(tag, entry_of(tag, record), data ? bytes : 0);
}

void Load::finish(std::uint32_t tag, std::uint16_t status) {
  if (tag >= depth_ || !commands_[tag].busy) throw InputError("the drive completes a command twice");
  Command& command = commands_[tag];
  command.busy = false;
  idle_.push_back(tag);
  latencies_ns_.push_back(
      static_cast<std::uint32_t>(std::min<std::uint64_t>(now_ns() - command.begun_ns, 0xFFFF'FFFF)));
  ++result_.requests;
  const IoOp op = command.record.op;
  (op == IoOp::read ? result_.reads : op == IoOp::write ? result_.writes : result_.others) += 1;
  if (op == IoOp::read || op == IoOp::write) result_.bytes += command.record.length;
  if (status != nvme::status::success) {
    ++result_.failed;
    return;
  }
  if (journal_ != nullptr && op == IoOp::write) {
    const std::uint32_t sector = driver_.sector_size();
    journal_->end(command.record.offset / sector, command.record.length / sector);
  }
  if (op == IoOp::read && verify_) compare(command, driver_.buffer(tag));
}

void Load::fill(std::uint8_t* sector, std::uint64_t lba, std::uint32_t version) const {
  std::uint64_t state = lba << 32 ^ version;
  for (std::uint32_t at = 0; at < driver_.sector_size(); at += 8) {
    const std::uint64_t word = mixed(state);
    std::memcpy(sector + at, &word, sizeof word);
  }
}

void Load::compare(const Command& command, const std::uint8_t* data) {
  const std::uint32_t sector = driver_.sector_size();
  const std::uint64_t lba = command.record.offset / sector;
  for (std::uint64_t i = 0; i < command.record.length / sector; ++i) {
    const std::uint32_t version = versions_[lba + i];
    if (version == 0) continue;
    ++result_.compared;
    fill(expected_.data(), lba + i, version);
    if (std::memcmp(expected_.data(), data + i * sector, sector) != 0) ++result_.mismatches;
  }
}

void Load::go_on_with(WriteJournal& journal) {
  journal_ = &journal;
  for (std::uint64_t lba = 0; lba < journal.sectors();) {
    lba += journal.sector(lba).known() ? check_piece(lba) : 1;
  }
  result_ = {0, 0, 0, 0, 0, result_.failed, result_.compared, result_.mismatches, result_.under_way, 0, 0, 0};
}

/// One command's worth of neighbours; returns how many.
std::uint64_t Load::check_piece(std::uint64_t lba) {
  const std::uint64_t most =
      std::min<std::uint64_t>(driver_.largest() / driver_.sector_size(), journal_->sectors() - lba);
  std::uint64_t count = 1;
  while (count < most && journal_->sector(lba + count).known()) ++count;
  IoRecord record;
  record.op = IoOp::read;
  record.offset = lba * driver_.sector_size();
  record.length = static_cast<std::uint32_t>(count * driver_.sector_size());
  driver_.submit(0, entry_of(0, record), record.length);
  driver_.ring();
  bool ok = false;
  driver_.reap([&ok](const NvmeDriver::Completion& c) { ok = c.status == nvme::status::success; });
  result_.failed += ok ? 0 : 1;
  for (std::uint64_t i = 0; i < count && ok; ++i)
    check_sector(lba + i, driver_.buffer(0) + i * driver_.sector_size());
  return count;
}

void Load::check_sector(std::uint64_t lba, const std::uint8_t* data) {
  const WriteJournal::Sector was = journal_->sector(lba);
  ++result_.compared;
  versions_[lba] = was.version;
  bool right = was.version == 0 || holds(data, lba, was.version); // what was there before is not known
  if (was.under_way) {
    ++result_.under_way;
    const bool newer = holds(data, lba, was.version + 1);
    right = right || newer;
    versions_[lba] += newer ? 1 : 0;
    journal_->settle(lba, versions_[lba]);
  }
  result_.mismatches += right ? 0 : 1;
}

bool Load::holds(const std::uint8_t* sector, std::uint64_t lba, std::uint32_t version) {
  fill(expected_.data(), lba, version);
  return std::memcmp(expected_.data(), sector, driver_.sector_size()) == 0;
}

namespace {

/// What the drive counts of its own life (the SMART / health page).
void print_health(NvmeDriver& driver) {
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::get_log_page;
  sqe.nsid = ~0u;
  sqe.cdw10 = 2 | 127u << 16;
  std::vector<std::uint8_t> page;
  if (driver.admin(sqe, &page).status >> 1 != 0) throw InputError("the drive refuses its health log");
  std::uint64_t cycles = 0, unsafe = 0;
  std::memcpy(&cycles, page.data() + 112, sizeof cycles);
  std::memcpy(&unsafe, page.data() + 144, sizeof unsafe);
  std::printf("drive             %llu power cycles, %llu unsafe shutdowns\n",
              static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(unsafe));
}

void print(const LoadResult& r) {
  std::printf("requests          %llu (%llu reads, %llu writes, %llu others)\n",
              static_cast<unsigned long long>(r.requests), static_cast<unsigned long long>(r.reads),
              static_cast<unsigned long long>(r.writes), static_cast<unsigned long long>(r.others));
  std::printf("failed            %llu\n", static_cast<unsigned long long>(r.failed));
  std::printf("sectors compared  %llu, wrong %llu\n", static_cast<unsigned long long>(r.compared),
              static_cast<unsigned long long>(r.mismatches));
  std::printf("wall clock        %.3f s, %.0f requests/s, %.1f MB/s\n", r.seconds,
              static_cast<double>(r.requests) / r.seconds, static_cast<double>(r.bytes) / r.seconds / 1e6);
  std::printf("latency there     mean %.1f us, p99 %.1f us\n", r.latency_mean_us, r.latency_p99_us);
}

} // namespace

int run_load(const LoadOptions& options) {
  VfioUserClient client(options.vfio_user, options.wait_ms);
  NvmeDriver::Options o;
  o.queues = options.config.host.queues;
  o.depth = options.config.host.iodepth;
  o.buffer_bytes = static_cast<std::uint32_t>(options.config.host.max_transfer);
  NvmeDriver driver(client, o);
  const std::uint64_t capacity = driver.sectors() * driver.sector_size();
  const WorkloadSpec spec = to_workload_spec(options.config, capacity);
  const std::unique_ptr<IoSource> source = make_workload(spec);
  const bool journal = !options.journal.empty();
  Load load(driver, o.depth, options.verify || journal);
  std::optional<WriteJournal> written;
  if (journal) {
    load.go_on_with(written.emplace(options.journal, driver.sectors()));
    print_health(driver);
    const LoadResult& before = load.result();
    std::printf("journal           %llu sectors compared, wrong %llu, %llu with a write under way\n",
                static_cast<unsigned long long>(before.compared),
                static_cast<unsigned long long>(before.mismatches),
                static_cast<unsigned long long>(before.under_way));
    std::fflush(stdout); // it may be killed
  }
  if (options.written_once) {
    load.expect_written(spec.offset / driver.sector_size(), spec.size / driver.sector_size());
  }
  const LoadResult result = load.run(*source);
  if (options.shut_down) driver.shut_down();
  print(result);
  std::printf("doorbells         %llu register writes\n",
              static_cast<unsigned long long>(driver.registers_written()));
  return result.failed != 0 || result.mismatches != 0 ? 1 : 0;
}

} // namespace twinplane::platform
