// Plays a stream of I/O records against the driver model, then shuts the drive down and stops the simulation.
//
//   open loop    each record arrives at its own time (times the time scale) however busy the drive is; it
//                waits in an unlimited host queue while the submission queues are full, and its latency
//                counts from its arrival. One call of its timer (host_timer.h) per arrival time.
//   closed loop  `iodepth` requests are kept outstanding; of a record's times only its pause counts: it is
//                sent so long after all before it are done (fio's thinktime).
//
// A record is aligned to sectors, outward, and inward if it is a trim, and split into commands of at most the
// drive's MDTS; it counts as one request, finished when its last command is. Rounds go on with the stream
// (IoSource::next_round), with arrivals shifted behind the last one, a given number of times or until a given
// volume is written. Record errors (malformed input, beyond the drive without remapping, later than the
// simulated clock goes) stop the run: error() tells. SIGINT and SIGTERM end the stream early (interruption.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "platform/host/address_map.h"
#include "platform/host/host_client.h"
#include "platform/host/latency_sink.h"
#include "platform/host/nvme_host.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

struct ReplayConfig {
  bool open_loop = false;
  std::uint32_t iodepth = 32; // closed loop, 1 or more
  double time_scale = 1;      // open loop: arrival times are multiplied by it
  std::uint32_t rounds = 1;
  double drive_writes = 0;    // unless 0, instead of rounds: until writes reach that many times the capacity
  bool repeat_rounds = false; // the same records again in each round, also those of a workload
  std::uint64_t report_round = 0; // unless 0, that many requests are told as a round to the sink
  TimePs round_gap = us(1);       // open loop: from the last arrival of a round to the first of the next
  bool remap_modulo = true;
  std::uint64_t max_requests = 0;       // over all rounds; 0 = no limit
  std::string source_name = "workload"; // for messages; set_source_name() replaces it
};

/// How far a stream has been sent, for another process that goes on with it.
struct ReplayPosition {
  std::uint64_t records = 0;  // over all rounds
  std::uint64_t requests = 0; // of them, finished
};

struct ReplayStatistics {
  std::uint64_t requests = 0; // finished
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t trims = 0;
  std::uint64_t flushes = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t failed = 0;   // finished with an error status
  std::uint64_t commands = 0; // NVMe commands submitted
  std::uint64_t folded = 0;   // reads, writes and trims beyond the drive's end, which were wrapped
  Unaligned unaligned;        // of those that arrived
  std::uint64_t left_at_last_arrival =
      0;                        // open loop: requests that were not finished when the last one arrived
  std::uint64_t max_queued = 0; // open loop: longest host queue
  TimePs started_at = 0;        // drive ready
  TimePs finished_at = 0;       // last completion
  TimePs latency_sum = 0;       // sum of (completion - arrival): with the span, Little's law
};

/// When the records of a round arrive; kNever where that is beyond the simulated clock.
struct RoundClock {
  double scale = 1; // of their times
  TimePs start = 0;
  TimePs skipped = 0; // of the first round in a later power cycle: records before that time have been sent

  TimePs since_begin(const IoRecord& record) const;
  TimePs arrival_of(const IoRecord& record) const;
};

class ReplayEngine : public sc_core::sc_module, public HostClient {
 public:
  ReplayEngine(const sc_core::sc_module_name& name, const ReplayConfig& config, NvmeHost& host,
               IoSource& source);

  /// Optional; before simulation starts.
  void bind(LatencySink& sink) { sink_ = &sink; }
  /// As NvmeHost's; both or neither do.
  void act_with(hw::EventQueue& event_queue) { timer_.act_with(event_queue); }

  /// Called instead of sc_stop() when the drive has shut down; before simulation starts.
  void at_end(std::function<void()> call) { at_end_ = std::move(call); }

  /// Requests of each of so many traces wait for and use queues of their own; before simulation starts.
  void share_queues(std::uint32_t shares);

  /// What messages about records call the source: a file, a profile.
  void set_source_name(const std::string& name) { config_.source_name = name; }

  /// The records up to there have been sent in an earlier power cycle; open loop: the next one arrives
  /// as soon as the drive is ready. Before simulation starts.
  void resume_from(const ReplayPosition& position) { resumed_from_ = position; }
  ReplayPosition position() const {
    const std::uint64_t sent = read_ - (have_record_ ? 1 : 0);
    const bool begun =
        sent > resumed_from_.records; // else the drive may not have got ready in this power cycle
    return {begun ? sent : resumed_from_.records, resumed_from_.requests + statistics_.requests};
  }

  /// Empty, or why the run ended early. To be looked at after sc_start() has returned.
  const std::string& error() const { return error_; }
  bool finished() const { return finished_; }
  /// The drive owes something: it is to become ready, to answer requests, or to shut down.
  bool waits_for_drive() const { return !ready_ || outstanding_ != 0 || finished_; }
  /// A signal asked for an end before the stream's: what had been sent is finished, nothing else.
  bool interrupted() const { return interrupted_; }
  const ReplayStatistics& statistics() const { return statistics_; }
  std::uint64_t outstanding() const { return outstanding_; }

 private:
  struct Request {
    FinishedIo io;
    std::uint64_t next_lba = 0;
    std::uint64_t left = 0;     // sectors not submitted yet
    std::uint32_t commands = 0; // submitted and not completed
    bool issued = false;        // all its commands are submitted
    bool fua = false;
    std::uint8_t access_latency = 0;
    std::uint32_t next = 0; // free list or host queue
  };
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  /// Requests with commands still to submit, in order of arrival.
  struct HostQueueList {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  void on_ready() override;
  void on_complete(const HostCompletion& completion) override;
  void on_batch_end() override;
  void on_shutdown() override;
  void on_failure(const std::string& what) override;

  void skip_sent();
  void on_timer() { timer_.on_event(); }
  void on_arrival();
  void admit_closed();
  bool pauses();
  void arm_arrival();
  bool read_record();
  bool next_round();
  bool wants_round() const;
  void end_of_stream();
  void mark_round();
  void end_round(TimePs at);
  void admit(TimePs arrival);
  bool submit_next_command(std::uint32_t index);
  void pump();
  void pump(HostQueueList& waiting);
  void finish(std::uint32_t index, TimePs at);
  void finish_if_done();
  void stop(const std::string& why);
  void wind_up();
  void drop_unsent();
  void drop_unsent(HostQueueList& waiting);
  bool any_unsent() const;
  std::uint32_t take_request();
  std::uint32_t share_of(const FinishedIo& io) const {
    return io.trace == 0 ? 0 : io.trace % static_cast<std::uint32_t>(waiting_.size());
  }
  bool clock_ends_before(TimePs time);

  ReplayConfig config_;
  NvmeHost& host_;
  IoSource& source_;
  LatencySink* sink_ = nullptr;
  AddressMap map_;
  HostTimer timer_{"arrival", [this] { on_arrival(); }};

  IoRecord record_; // read ahead
  bool have_record_ = false;
  bool exhausted_ = false;
  std::function<void()> at_end_;
  ReplayPosition resumed_from_;
  std::uint64_t read_ = 0; // records taken from the source
  std::uint32_t round_ = 0;
  std::uint64_t in_round_ = 0;
  std::uint64_t write_bytes_admitted_ = 0;
  std::vector<std::uint64_t>
      round_ends_;              // records of this power cycle up to the end of each round read so far
  std::size_t rounds_done_ = 0; // whose requests have been finished
  std::uint64_t round_end_ = ~std::uint64_t{0}; // of the round after those, once it is known
  RoundClock clock_;
  TimePs last_arrival_ = 0;

  std::vector<Request> requests_;
  std::uint32_t first_free_ = kNone;
  std::vector<HostQueueList> waiting_ = std::vector<HostQueueList>(1); // for each share of the queues
  std::uint64_t queued_ = 0;
  std::uint64_t outstanding_ = 0;
  bool pausing_ = false; // closed loop: the pause of the record read ahead is on
  bool paused_ = false;  // ... and over
  bool ready_ = false;
  bool finished_ = false;
  bool stopped_ = false;
  bool interrupted_ = false;
  std::string error_;
  ReplayStatistics statistics_;
};

} // namespace twinplane::platform
