// A host for the bare FTL: submits requests, turns the firmware's crank, and keeps a shadow of what
// every sector may contain. Checks the FTL's tables against each other and against the flash.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "firmware/ftl/core.h"
#include "tests/support/sim_hal.h"

namespace twinplane::test {

struct FtlBenchConfig {
  fw::FtlConfig ftl;
  std::uint32_t dram_bytes = 16u << 20;
  std::uint32_t slot_sectors = 256;
  bool shuffle = false;
  bool late_data = false;           // see SimHalConfig
  bool newest_first = false;        // flash commands complete in the other order, as far as dies allow it
  bool programs_last = false;       // see SimHalConfig
  bool reads_first = false;         // see SimHalConfig
  bool check_data = true;           // keep the shadow
  bool sleepy = false;              // turns only after interrupts, as on a real core: finds lost wake-ups
  std::uint32_t marked_percent = 0; // of the blocks, but for the first of each plane: bad from the maker
  std::uint64_t seed = 1;
};

class FtlBench final : public fw::RequestSink {
 public:
  explicit FtlBench(const FtlBenchConfig& config);

  /// Result of FtlCore::boot; nullptr when it booted.
  const char* error() const { return error_; }
  fw::FtlCore& ftl() { return *core_; }
  SimHal& hal() { return *hal_; }
  std::uint64_t sectors() const;
  const fw::FtlStatistics& statistics() { return core_->refresh_statistics(); }

  /// Submits and returns at once. The caller makes sure that a slot is free (free_slots()).
  void write(std::uint64_t lba, std::uint32_t sectors, bool force_unit_access = false);
  void read(std::uint64_t lba, std::uint32_t sectors);
  void trim(std::uint64_t lba, std::uint32_t sectors);
  void write_zeroes(std::uint64_t lba, std::uint32_t sectors);
  void spoil(std::uint64_t lba, std::uint32_t sectors);
  /// No power cut undoes the trims and spoils that have ended.
  void commit();
  void flush();
  /// The host is done: the tables are written, if the drive keeps them.
  void shut_down();
  /// Submits a request that the shadow knows nothing about, with the slot given in it.
  void begin_foreign(fw::Request& request);
  bool foreign_done() const { return foreign_ == nullptr; }
  /// Runs a request that the shadow knows nothing about, with the last slot's data, to its end.
  void submit_foreign(fw::Request& request);
  /// One functional write of a whole page, known to the shadow.
  const char* precondition(std::uint32_t lpn);
  /// One of as many units as a page has (ZeroTimeWriter::write_packed()).
  const char* precondition(const std::vector<std::uint32_t>& units);
  /// Sum of response times: 0 reads, 1 writes.
  std::uint64_t response_ps(int way) const { return response_ps_[way]; }
  /// All parts of their breakdowns, summed likewise.
  std::uint64_t breakdown_ps(int way) const {
    const fw::LatencyBreakdown& b = parts_[way];
    return b.page_buffer_wait + b.write_buffer_wait + b.map + b.die_wait + b.suspend_wait + b.bus_wait +
           b.bus + b.array + b.ecc + b.retry;
  }
  /// The parts that are the firmware's own waits, one by one.
  const fw::LatencyBreakdown& parts(int way) const { return parts_[way]; }
  std::uint64_t responses(int way) const { return responses_[way]; }
  std::size_t free_slots() const { return free_.size(); }

  /// The supply fails and hold-up energy (FtlConfig::hold_up_pages) completes what the firmware wants of it;
  /// then it comes back, as below.
  void cut_power_held_up(fw::Random& random);
  /// The supply fails (SimHal::cut_power) and comes back. When the firmware has recovered, each sector must
  /// hold what its last write that was answered has brought, or what one that was not might have; from then
  /// on that is what it holds.
  void cut_power(bool hold_up, fw::Random& random);

  /// One turn of the firmware: interrupts, pump, doorbells.
  void turn();
  /// One event of the hardware and one turn. False when nothing can happen any more.
  bool step();
  /// Events until flash completions wait, then one turn: as an interrupt-driven core would do.
  void run_until_interrupt();
  /// Until the FTL is idle and every command is completed; fails the test when it gets stuck.
  void settle();

  /// Checks tables that are cheap to check, for use after every step.
  void check_cheap();
  /// Checks everything: map, bitmaps, counts, life cycles, flash content. Needs nothing in flight
  /// only for the comparison with the flash (`quiet`).
  void check_all(bool quiet);
  /// Do the tables agree with each other (firmware/ftl/checks)?
  void check_tables();
  /// What is promised of the regions of a plane, in every step.
  void check_regions(std::uint32_t plane);
  /// Blocks may be lost: regions need not have what they need.
  void expect_wear() { wears_ = true; }
  /// What the write buffer promises of the versions of each page (io/buffered_writes.h).
  void check_versions();

  /// Physical place of an LPN.
  Ppa place(std::uint32_t lpn);
  /// Where a sector is in the flash: its page, and the sector of that. False: nowhere.
  bool place_sector(std::uint64_t lba, Ppa& page, std::uint32_t& sector);
  std::uint64_t commands_done() const { return done_; }
  std::uint16_t last_status() const { return last_status_; }
  /// Reads that ended with an error; what they delivered is not looked at.
  std::uint64_t failed_reads() const { return failed_reads_; }
  /// Those of them that have read, or may have read, a sector that was spoilt.
  std::uint64_t spoilt_reads() const { return spoilt_reads_; }
  /// What else ended with an error.
  std::uint64_t failed_writes() const { return failed_writes_; }

  void on_request_done(fw::Request& request) override;
  /// What a front end would count: lasts as long as the drive keeps it.
  fw::DriveRecord* record() override { return &record_; }

 private:
  void add_preconditioned(std::vector<std::uint8_t>& page, std::uint32_t number, std::uint32_t sectors);
  static constexpr std::uint64_t kSpoilt = ~std::uint64_t{0}; // value of what cannot be read
  /// One change of a sector in submission order.
  struct Version {
    std::uint64_t value;
    bool done;
    bool trim = false; // or spoil: may be undone by a power cut
  };
  struct Sector {
    std::deque<Version> versions{Version{0, true}};
    std::uint64_t first = 0; // absolute index of versions.front()
    std::uint32_t readers = 0;
  };
  struct Command {
    fw::Request request;
    bool busy = false;
    std::vector<std::uint64_t> index; // per sector: own version (writes) or oldest allowed one (reads)
    std::vector<std::pair<std::uint64_t, std::uint64_t>> kept; // commit: sector and version that it is about
  };

  const char* boot(bool used_cells);
  void mark_blocks();
  void settle_sector(std::uint64_t lba);
  bool programs_a_page() const;
  void collect();
  void start(fw::RequestKind kind, std::uint64_t lba, std::uint32_t sectors, bool fua);
  void fill_data(const Command& c);
  void finish(std::uint16_t slot, std::uint16_t status);
  void finish_write(Command& c);
  void finish_read(Command& c);
  bool word_was_spoilt(std::uint64_t lba) const;
  void begin_commit(Command& c);
  void finish_commit(const Command& c);
  bool changes(const Command& c, std::uint64_t lba) const;
  void prune(Sector& s);
  std::uint32_t most_open() const;
  void check_block(std::uint32_t plane, std::uint32_t block);

  FtlBenchConfig config_;
  std::unique_ptr<SimHal> hal_;
  fw::HostPort host_;
  std::unique_ptr<fw::FtlCore> core_;
  const char* error_ = nullptr;
  std::vector<Command> commands_;
  std::vector<std::uint16_t> free_;
  fw::Request* foreign_ = nullptr; // under way outside the shadow
  std::vector<Sector> shadow_;
  std::uint64_t sequence_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t response_ps_[2] = {};
  fw::LatencyBreakdown parts_[2];
  std::uint64_t responses_[2] = {};
  std::uint16_t last_status_ = 0;
  std::uint64_t failed_reads_ = 0;
  std::uint64_t spoilt_reads_ = 0;
  std::uint64_t failed_writes_ = 0;
  bool wears_ = false;
  bool host_gone_ = false; // answers are not taken any more
  fw::DriveRecord record_;
};

} // namespace twinplane::test
